package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTheServersMessagesAreInTheChosenLanguage chooses Chinese in an English browser.
func TestTheServersMessagesAreInTheChosenLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "PARLEY_USER_STORAGE=2000B") // a file takes 1267 with its text and index
	token := w.register(t)
	b := signedIn(t, w, token, "#/", 1280)
	b.prefer(look{theme: "light", language: "zh"})
	b.do(chromedp.Reload())
	b.paste("empty.md", 0)
	b.shows("文件无法读取：文件为空。")
	b.paste("first.md", 600)
	b.until(`document.querySelector("button.files")?.textContent.includes("1")`)
	b.paste("second.md", 600)
	b.shows("文件未上传：你的文件已占用 1.2 KiB（上限 2 KiB），存储空间不足以保存此文件，请先删除一些文件。")
	b.checkQuiet(w.url)
}

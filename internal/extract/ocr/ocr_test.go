package ocr

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func find(t *testing.T, config Config) (*Tesseract, error) {
	t.Helper()
	config.Command = []string{os.Args[0], becomeArgument}
	return Find(t.Context(), config)
}

func newTesseract(t *testing.T) *Tesseract {
	t.Helper()
	tesseract, err := find(t, Config{Program: "tesseract"})
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("PARLEY_TEST_OCR") == "" {
		t.Skip("Tesseract is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	return tesseract
}

func blank(t *testing.T, width, height int) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = 0xff
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, picture); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes()
}

func TestTesseractIsFound(t *testing.T) {
	found := newTesseract(t)
	if !strings.HasPrefix(found.String(), "Tesseract ") || len(found.languages) == 0 || found.folder == "" {
		t.Errorf("got %v with %q in %q", found, found.languages, found.folder)
	}
	if _, err := find(t, Config{Program: "tesseract", Languages: []string{"xyz"}}); err == nil ||
		!strings.Contains(err.Error(), "xyz") {
		t.Errorf("a language that is not there: %v", err)
	}
	if _, err := find(t, Config{Program: filepath.Join(t.TempDir(), "none")}); err == nil {
		t.Error("a program that is not there")
	}
	if _, err := find(t, Config{Program: program}); err == nil {
		t.Error("another program")
	}
}

func TestAPictureThatCantBeReadIsToldApart(t *testing.T) {
	tesseract := newTesseract(t)
	if text, err := tesseract.Recognize(t.Context(), blank(t, 200, 100)); err != nil || text != "" {
		t.Errorf("a blank picture: %q, %v", text, err)
	}
	for name, picture := range map[string][]byte{
		"no picture":  []byte("hello"),
		"cut":         blank(t, 200, 100)[:60],
		"many pixels": blank(t, MaxPixels/1000+1, 1000),
	} {
		if text, err := tesseract.Recognize(t.Context(), picture); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tesseract.Recognize(gone, blank(t, 200, 100)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestLanguagesAreChosen(t *testing.T) {
	folder, names := parseLanguages(
		"List of available languages in \"/usr/share/tessdata/\" (4):\nchi_sim\neng\nequ\nosd\n")
	if folder != "/usr/share/tessdata/" || !slices.Equal(names, []string{"chi_sim", "eng"}) {
		t.Errorf("got %q, %q", folder, names)
	}
	for _, tt := range []struct{ installed, wanted, want string }{
		{"eng", "", "eng"},
		{"deu eng chi_sim", "", "chi_sim eng deu"},
		{"afr amh ara chi_sim eng", "", "chi_sim eng afr"},
		{"afr amh eng", "amh eng", "amh eng"},
		{"eng", "deu", ""},
		{"", "", ""},
	} {
		got, err := chooseLanguages(strings.Fields(tt.installed), strings.Fields(tt.wanted))
		if strings.Join(got, " ") != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%+v: got %q, %v", tt, got, err)
		}
	}
}

func TestLinesAreJoined(t *testing.T) {
	const (
		list  = "These are the things that you have to take along:\nBread\nWater\nA map"
		table = "Island Harbor Crossing\nCapri Marina Grande 50 min"
	)
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"one line\n\f", "one line"},
		{
			"The harbor is quiet in the early morning,\nand the boats are in.\n\nNext",
			"The harbor is quiet in the early morning, and the boats are in.\n\nNext",
		},
		{
			"The keeper of the old island's only light-\nhouse has a cat.",
			"The keeper of the old island's only lighthouse has a cat.",
		},
		{list, list},
		{table, table},
		{
			"渡 轮 每 天 上 午 九 点 整 和 下 午 三 点 一 刻 从 岛 上 的 旧\n码 头 出 发 。",
			"渡轮每天上午九点整和下午三点一刻从岛上的旧码头出发。",
		},
		{"打开 Parley 设置", "打开 Parley 设置"},
	} {
		if got := Join(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

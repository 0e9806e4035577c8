package api_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/client"
	"parley/internal/ai"
	"parley/internal/ai/aitest"
)

func seeing(w *world) { w.Pictures = true }

// picture uploads a picture in a color that depends on n. It returns the id.
func (w *world) picture(c *client.Client, session string, n int) string {
	w.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	for i := range 200 {
		m.Set(i%20, i/20, color.NRGBA{R: uint8(n), G: 100, B: 200, A: 255})
	}
	var b bytes.Buffer
	w.must(png.Encode(&b, m))
	file, err := c.Upload(w.Context(), session, fmt.Sprintf("p%d.png", n), &b)
	w.must(err)
	if file.FileType != "image/png" {
		w.Errorf("the type is %s", file.FileType)
	}
	return file.FileID
}

// shown returns the pictures in each message of a request, as the numbers that picture got.
func (w *world) shown(request aitest.Request) [][]int {
	w.Helper()
	all := make([][]int, 0, len(request.Messages))
	for _, m := range request.Messages {
		if m.Role == "system" {
			continue
		}
		var numbers []int
		for _, address := range m.Images {
			encoded, ok := strings.CutPrefix(address, "data:image/png;base64,")
			if !ok {
				w.Fatalf("the address is %.50s", address)
			}
			content, err := base64.StdEncoding.DecodeString(encoded)
			w.must(err)
			decoded, err := png.Decode(bytes.NewReader(content))
			w.must(err)
			red, _, _, _ := decoded.At(3, 3).RGBA()
			numbers = append(numbers, int(red>>8))
		}
		all = append(all, numbers)
	}
	return all
}

func (w *world) wantShown(want ...[]int) {
	w.Helper()
	if got := w.shown(w.Model.Last(w.T)); !slices.EqualFunc(got, want, slices.Equal) {
		w.Errorf("the model was shown %v, want %v", got, want)
	}
}

func TestPicturesGoWithTheNextQuestion(t *testing.T) {
	eachWith(t, seeing, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.say(ada, session, "Hello")
		one, two := w.picture(ada, session, 1), w.picture(ada, session, 2)
		sent := w.say(ada, session, "What is this?")
		w.wantShown(nil, nil, []int{1, 2})
		if asked := w.Model.Last(w.T); asked.Question() != "What is this?" || strings.Contains(asked.System(), "can't see") {
			w.Errorf("asked %q, %q", asked.Question(), asked.System())
		}
		messages := w.messages(ada, session)
		if got := messages[2].Images; !slices.Equal(got, []string{one, two}) || messages[0].Images != nil ||
			messages[3].Images != nil {
			w.Errorf("the messages are %+v", messages)
		}
		if sent.UserMessageID != messages[2].ID {
			w.Errorf("got %+v", sent)
		}

		w.sub("later questions have them in the history", func(w *world) {
			three := w.picture(ada, session, 3)
			w.say(ada, session, "And this?")
			w.wantShown(nil, nil, []int{1, 2}, nil, []int{3})
			if got := w.messages(ada, session)[4].Images; !slices.Equal(got, []string{three}) {
				w.Errorf("got %v", got)
			}
		})
		w.sub("regenerate", func(w *world) {
			_, err := ada.Regenerate(w.Context(), session, parley.RegenerateInput{})
			w.must(err)
			w.wantShown(nil, nil, []int{1, 2}, nil, []int{3})
		})
		w.sub("an edited question keeps them and gets new ones", func(w *world) {
			four := w.picture(ada, session, 4)
			_, err := ada.Send(w.Context(), parley.SendInput{
				SessionID: session, Content: "What are these?", Replaces: sent.UserMessageID,
			})
			w.must(err)
			w.wantShown(nil, nil, []int{1, 2, 4})
			if got := w.messages(ada, session)[2].Images; !slices.Equal(got, []string{one, two, four}) {
				w.Errorf("got %v", got)
			}
			w.must(ada.ShowVersion(w.Context(), sent.UserMessageID, 1))
			if got := w.messages(ada, session)[2].Images; !slices.Equal(got, []string{one, two}) {
				w.Errorf("got %v", got)
			}
		})
		w.sub("a deleted one is gone", func(w *world) {
			w.must(ada.DeleteFile(w.Context(), one))
			w.say(ada, session, "Still there?")
			w.wantShown(nil, nil, []int{2}, nil, []int{3}, nil, nil)
			w.eventually("its bytes are gone", func() bool { return !w.onDisk(one) })
		})
		w.sub("after a clear they go with the next question", func(w *world) {
			w.must(ada.ClearSession(w.Context(), session))
			w.say(ada, session, "Again?")
			w.wantShown([]int{2, 3, 4})
		})
	})
}

func TestPicturesOfAFailedSendGoWithTheNext(t *testing.T) {
	eachWith(t, seeing, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		one := w.picture(ada, session, 1)
		w.Model.Script(aitest.Status(400, "no"))
		_, err := ada.Send(w.Context(), parley.SendInput{SessionID: session, Content: "What?"})
		w.wants(err, parley.CodeAIUnavailable, 503)
		w.say(ada, session, "What now?")
		w.wantShown([]int{1})
		if got := w.messages(ada, session)[0].Images; !slices.Equal(got, []string{one}) {
			w.Errorf("got %v", got)
		}
		two := w.picture(ada, session, 2)
		w.Model.Script(aitest.Status(400, "no"))
		_, err = ada.Send(w.Context(), parley.SendInput{
			SessionID: session, Content: "What?", Replaces: w.messages(ada, session)[0].ID,
		})
		w.wants(err, parley.CodeAIUnavailable, 503)
		w.say(ada, session, "And now?")
		w.wantShown([]int{1}, nil, []int{2})
		if got := w.messages(ada, session)[2].Images; !slices.Equal(got, []string{two}) {
			w.Errorf("got %v", got)
		}
	})
}

func TestAContinuedReplyHasThePicturesOfItsQuestion(t *testing.T) {
	eachWith(t, seeing, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.picture(ada, session, 1)
		w.interrupted(ada, session, "")
		_, err := ada.Continue(w.Context(), session, parley.RegenerateInput{})
		w.must(err)
		w.wantShown([]int{1}, nil, nil) // the question, its reply so far, the rule
	})
}

func TestAModelThatSeesNoPicturesIsToldSo(t *testing.T) {
	eachWith(t, seeing, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		w.picture(ada, session, 1)
		in := parley.SendInput{SessionID: session, Content: "What is this?"}
		in.Model = parley.ModelBasic
		_, err := ada.Send(w.Context(), in)
		w.must(err)
		asked := w.Model.Last(w.T)
		w.wantShown(nil)
		if !strings.Contains(asked.System(), "you can't see: 1") || asked.Question() != in.Content {
			w.Errorf("asked %q, %q", asked.System(), asked.Question())
		}
		w.say(ada, session, "And you?") // the default model sees it in the history
		w.wantShown([]int{1}, nil, nil)
	})
}

func TestAtMostEightOfTheLatestPicturesAreShown(t *testing.T) {
	eachWith(t, seeing, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		for n := range 3 {
			w.picture(ada, session, 10+n)
		}
		w.say(ada, session, "First")
		for n := range 7 {
			w.picture(ada, session, 20+n)
		}
		w.say(ada, session, "Second")
		w.wantShown([]int{12}, nil, []int{20, 21, 22, 23, 24, 25, 26})
		if told := w.Model.Last(w.T).System(); !strings.Contains(told, "you can't see: 2") {
			w.Errorf("told %q", told)
		}
	})
}

func TestPicturesFitTheContext(t *testing.T) {
	eachWith(t, func(w *world) { w.Pictures, w.ContextTokens = true, 6000 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		for n := range 5 {
			w.picture(ada, session, n)
		}
		w.say(ada, session, "What are these?")
		w.wantShown([]int{3, 4})
		w.say(ada, session, "And?")
		if got := len(slices.Concat(w.shown(w.Model.Last(w.T))...)); got*ai.ImageTokens > 4500 || got == 0 {
			w.Errorf("%d pictures", got)
		}
	})
}

func TestAPictureIsShownCleaned(t *testing.T) {
	eachWith(t, seeing, func(w *world) {
		ada, eve := w.user("ada"), w.user("eve")
		session := w.session(ada, "")
		original, err := os.ReadFile("../extract/picture/testdata/turned-6.jpg")
		w.must(err)
		file, err := ada.Upload(w.Context(), session, `a"b.jpg`, bytes.NewReader(original))
		w.must(err)
		path := "/api/files/" + file.FileID
		if got := w.request("GET", path, "", as(ada)); got.text != string(original) {
			w.Error("the original was changed")
		}
		for _, size := range []string{"", "?size=full", "?size=thumbnail"} {
			got := w.request("GET", path+"/picture"+size, "", as(ada))
			header, _, err := image.DecodeConfig(strings.NewReader(got.text))
			if err != nil || header.Width != 60 || strings.Contains(got.text, "Exif") {
				w.Errorf("%s: %+v, %v", size, header, err)
			}
			for name, want := range map[string]string{
				"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-cache",
				"Content-Security-Policy": "default-src 'none'; sandbox", "Content-Disposition": `inline; filename=a_b.jpg`,
			} {
				if value := got.Header.Get(name); value != want {
					w.Errorf("%s is %q, want %q", name, value, want)
				}
			}
			tag := got.Header.Get("ETag")
			if again := w.request("GET", path+"/picture"+size, "", as(ada), "If-None-Match: "+tag); tag == "" ||
				again.StatusCode != http.StatusNotModified {
				w.Errorf("%s: %q, %d", size, tag, again.StatusCode)
			}
		}
		text, err := ada.Upload(w.Context(), session, "a.txt", strings.NewReader("text"))
		w.must(err)
		w.play(ada, []scenario{
			{
				name: "a text", method: "GET", path: "/api/files/" + text.FileID + "/picture",
				status: 404, code: 2003, says: "not a picture",
			},
			{name: "unknown", method: "GET", path: "/api/files/x/picture", status: 404, code: 2003},
			{name: "size", method: "GET", path: path + "/picture?size=huge", status: 400, code: 1001, says: "size"},
		})
		foreign := w.request("GET", path+"/picture", "", as(eve))
		if unknown := w.request("GET", "/api/files/x/picture", "", as(eve)); foreign.text != unknown.text {
			w.Errorf("got %s and %s", foreign.text, unknown.text)
		}
		opened, err := ada.Thumbnail(w.Context(), file.FileID)
		w.must(err)
		defer opened.Close()
		if _, err := io.ReadAll(opened); err != nil || opened.FileType != "image/png" {
			w.Errorf("got %+v, %v", opened, err)
		}
	})
}

func TestWithoutAModelThatSeesAPictureIsRefused(t *testing.T) {
	each(t, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		_, err := ada.Upload(w.Context(), session, "a.png", strings.NewReader("\x89PNG\r\n\x1a\n"))
		w.wants(err, parley.CodeFormatUnsupported, 415)
		if !strings.Contains(err.Error(), "no model") {
			w.Errorf("got %v", err)
		}
	})
}

func TestDocumentsSayWhereThePicturesAre(t *testing.T) {
	eachWith(t, seeing, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		one := w.picture(ada, session, 1)
		w.say(ada, session, "What?")
		for format, want := range map[string]string{
			"markdown": "*1 picture, not included*", "html": ">1 picture, not included<", "json": `"images":["` + one + `"]`,
		} {
			got := w.request("GET", "/api/chat/session/"+session+"/export?format="+format, "", as(ada))
			if !strings.Contains(got.text, want) {
				w.Errorf("%s: %s", format, got.text)
			}
		}
		shared := w.read(w.share(ada, session, parley.ShareInput{}))
		if shared.Messages[0].Pictures != 1 || shared.Messages[1].Pictures != 0 {
			w.Errorf("got %+v", shared)
		}
	})
}

func TestPicturesCountInTheStorage(t *testing.T) {
	eachWith(t, func(w *world) { w.Pictures, w.UserStorage = true, 10_000 }, func(w *world) {
		ada := w.user("ada")
		session := w.session(ada, "")
		original, err := os.ReadFile("../extract/picture/testdata/lossless.webp") // 54 bytes; the others take more
		w.must(err)
		taken := 0
		for range 100 {
			if _, err = ada.Upload(w.Context(), session, "a.webp", bytes.NewReader(original)); err != nil {
				break
			}
			taken++
		}
		w.wants(err, parley.CodeFileTooLarge, 413)
		if taken == 0 || taken > 30 {
			w.Errorf("%d were accepted", taken)
		}
	})
}

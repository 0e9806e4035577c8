package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/testtier"
)

// decoded decodes a cleaned picture, which must be PNG or JPEG.
func decoded(t *testing.T, content []byte) image.Image {
	t.Helper()
	m, format, err := image.Decode(bytes.NewReader(content))
	if err != nil || format != "png" && format != "jpeg" {
		t.Fatalf("got %q, %v", format, err)
	}
	return m
}

func sample(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// isNear reports whether a color is about the wanted one. JPEG and lossy WebP change colors a little.
func isNear(got color.Color, want color.NRGBA) bool {
	c := color.NRGBAModel.Convert(got).(color.NRGBA)
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 60 }
	return near(c.R, want.R) && near(c.G, want.G) && near(c.B, want.B) && near(c.A, want.A)
}

var (
	red  = color.NRGBA{R: 255, A: 255}
	blue = color.NRGBA{B: 255, A: 255}
)

// All samples show the same, upright: 60 × 40 pixels of blue, red in the corner on the top left.
func TestEveryFormatIsReadUprightAndWithoutMetadata(t *testing.T) {
	entries, err := os.ReadDir("testdata")
	if err != nil || len(entries) < 18 {
		t.Fatalf("%d samples, %v", len(entries), err)
	}
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) {
			made, err := Clean(sample(t, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			for _, content := range [][]byte{made.Full, made.Thumbnail} {
				m := decoded(t, content)
				if size := m.Bounds().Size(); size != image.Pt(60, 40) {
					t.Errorf("got %v", size)
				}
				if corner, right := m.At(8, 8), m.At(50, 8); !isNear(corner, red) || !isNear(right, blue) {
					t.Errorf("got %v in the corner, %v on the right", corner, right)
				}
				if bytes.Contains(content, []byte("Exif")) || bytes.Contains(content, []byte("home")) {
					t.Error("metadata was kept")
				}
			}
		})
	}
}

func TestTransparencyIsKept(t *testing.T) {
	for _, name := range []string{"alpha.webp", "animated.webp"} {
		made, err := Clean(sample(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, alpha := decoded(t, made.Full).At(50, 30).RGBA(); alpha != 0 {
			t.Errorf("%s: got the alpha %d", name, alpha)
		}
	}
}

func TestPicturesAreScaledDown(t *testing.T) {
	for _, tt := range []struct{ size, full, thumbnail image.Point }{
		{image.Pt(1, 1), image.Pt(1, 1), image.Pt(1, 1)},
		{image.Pt(480, 100), image.Pt(480, 100), image.Pt(480, 100)},
		{image.Pt(2048, 1024), image.Pt(2048, 1024), image.Pt(480, 240)},
		{image.Pt(2049, 10), image.Pt(2048, 9), image.Pt(480, 1)},
		{image.Pt(3000, 6000), image.Pt(1024, 2048), image.Pt(240, 480)},
		{image.Pt(100_000, 1), image.Pt(2048, 1), image.Pt(480, 1)},
	} {
		made, err := Clean(pngOf(t, image.NewGray(image.Rectangle{Max: tt.size})))
		if err != nil {
			t.Fatal(err)
		}
		full, thumbnail := decoded(t, made.Full).Bounds().Size(), decoded(t, made.Thumbnail).Bounds().Size()
		if full != tt.full || thumbnail != tt.thumbnail {
			t.Errorf("%v: got %v and %v", tt.size, full, thumbnail)
		}
	}
}

func TestASixteenBitPNGIsRead(t *testing.T) {
	m := image.NewNRGBA64(image.Rect(0, 0, 30, 20))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	made, err := Clean(pngOf(t, m))
	if err != nil || !isNear(decoded(t, made.Full).At(5, 5), color.NRGBA{255, 255, 255, 255}) {
		t.Errorf("got %v", err)
	}
}

// noise is what compresses worst.
func noise(size int, alpha uint8) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, size, size))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = uint8(random.Uint32())
		if i%4 == 3 {
			m.Pix[i] |= alpha
		}
	}
	return m
}

func TestNoiseIsMadeSmall(t *testing.T) {
	testtier.Slow(t)
	for _, alpha := range []uint8{0, 255} {
		made, err := Clean(pngOf(t, noise(FullSide, alpha)))
		if err != nil || len(made.Full) > MaxFull || len(made.Thumbnail) > MaxThumbnail {
			t.Errorf("got %d and %d bytes, %v", len(made.Full), len(made.Thumbnail), err)
		}
	}
}

func TestScreenshotsArePNGAndPhotographsJPEG(t *testing.T) {
	plain := image.NewNRGBA(image.Rect(0, 0, 100, 100))
	for i := range plain.Pix {
		plain.Pix[i] = 255
	}
	for want, m := range map[string]image.Image{"image/png": plain, "image/jpeg": noise(100, 255)} {
		if made, err := Clean(pngOf(t, m)); err != nil || Type(made.Full) != want {
			t.Errorf("got %s, %v, want %s", Type(made.Full), err, want)
		}
	}
}

// hugePNG is a PNG of 50,000 × 50,000 pixels. Its data unpacks to as much as it says.
func hugePNG(t *testing.T) []byte {
	t.Helper()
	small := pngOf(t, image.NewGray(image.Rect(0, 0, 1, 1)))
	binary.BigEndian.PutUint32(small[16:], 50_000)
	binary.BigEndian.PutUint32(small[20:], 50_000)
	binary.BigEndian.PutUint32(small[29:], crc32.ChecksumIEEE(small[12:29]))
	return append(small, make([]byte, 40<<10)...)
}

func TestBombsAreRefusedByTheirHeader(t *testing.T) {
	var canvas bytes.Buffer
	if err := gif.Encode(&canvas, image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{color.Black}), nil); err != nil {
		t.Fatal(err)
	}
	hugeGIF := canvas.Bytes()
	copy(hugeGIF[6:], "\xff\xff\xff\xff")
	hugeJPEG := sample(t, "turned-1.jpg")
	frame := bytes.Index(hugeJPEG, []byte{0xff, 0xc0})
	copy(hugeJPEG[frame+5:], "\xff\xff\xff\xff")
	hugeWebP := sample(t, "animated.webp") // the header of its first frame says 16 million pixels on each side
	at := bytes.Index(hugeWebP, []byte("ANMF"))
	copy(hugeWebP[at+14:], "\xff\xff\xff\xff\xff\xff")
	lossless := sample(t, "lossless.webp")
	at = bytes.Index(lossless, []byte("VP8L"))
	copy(lossless[at+9:], "\xff\xff\xff\x0f")
	for name, tt := range map[string]struct {
		file []byte
		want error
	}{
		"PNG":           {hugePNG(t), ErrTooManyPixels},
		"GIF":           {hugeGIF, ErrTooManyPixels},
		"JPEG":          {hugeJPEG, ErrTooManyPixels},
		"animated WebP": {hugeWebP, nil}, // an invalid size
		"WebP":          {lossless, ErrTooManyPixels},
		"large file":    {append(hugePNG(t), make([]byte, MaxBytes)...), ErrTooLarge},
	} {
		before := testing.AllocsPerRun(1, func() {
			if _, err := Clean(tt.file); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%s: got %v", name, err)
			}
		})
		if before > 100 {
			t.Errorf("%s: %v allocations", name, before)
		}
	}
}

func TestAPictureOfTheLargestSizeIsTaken(t *testing.T) {
	if err := checkSize(10_000, 5_000); err != nil {
		t.Errorf("got %v", err)
	}
	if err := checkSize(10_001, 5_000); !errors.Is(err, ErrTooManyPixels) {
		t.Errorf("got %v", err)
	}
}

func TestTruncatedPicturesAreBroken(t *testing.T) {
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, noise(64, 255), nil); err != nil {
		t.Fatal(err)
	}
	whole := [][]byte{photo.Bytes(), pngOf(t, noise(64, 255))}
	for _, name := range []string{"lossy.webp", "lossless.webp", "animated.webp", "animated.gif"} {
		whole = append(whole, sample(t, name))
	}
	for i, file := range whole {
		for _, size := range []int{12, 20, len(file) / 3} {
			if _, err := Clean(file[:size]); err == nil {
				t.Errorf("%d: %d of %d bytes were taken", i, size, len(file))
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	entries, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, entry := range entries {
		if content, err := os.ReadFile(filepath.Join("testdata", entry.Name())); err == nil {
			f.Add(content)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		made, err := Clean(file)
		if err == nil && (len(made.Full) > MaxFull || len(made.Thumbnail) > MaxThumbnail) {
			t.Errorf("got %d and %d bytes", len(made.Full), len(made.Thumbnail))
		}
	})
}

package picture

import (
	"image"

	"golang.org/x/image/draw"
)

// shrink returns a copy of a picture with at most limit pixels on the longest side. It halves the picture until one
// smaller step is left: at one half, the approximation takes the mean of four pixels. The better kernels need several
// times the memory of the source.
func shrink(src image.Image, limit int) *image.NRGBA {
	size := src.Bounds().Size()
	for max(size.X, size.Y) >= 2*limit {
		size = image.Pt(max(1, size.X/2), max(1, size.Y/2))
		src = scaled(src, size, draw.ApproxBiLinear)
	}
	longest := max(size.X, size.Y)
	if longest <= limit {
		return scaled(src, size, draw.NearestNeighbor)
	}
	size = image.Pt(max(1, size.X*limit/longest), max(1, size.Y*limit/longest))
	return scaled(src, size, draw.ApproxBiLinear)
}

func scaled(src image.Image, size image.Point, by draw.Scaler) *image.NRGBA {
	if same, ok := src.(*image.NRGBA); ok && same.Rect.Size() == size && same.Rect.Min == (image.Point{}) {
		return same
	}
	// Colors are scaled with their alpha applied. Otherwise those of transparent pixels would show.
	dst := image.NewRGBA(image.Rectangle{Max: size})
	by.Scale(dst, dst.Rect, src, src.Bounds(), draw.Src, nil)
	made := image.NewNRGBA(dst.Rect)
	draw.Draw(made, made.Rect, dst, image.Point{}, draw.Src)
	return made
}

// upright turns a picture by an EXIF orientation, from 1 to 8.
func upright(src *image.NRGBA, turn int) *image.NRGBA {
	if turn < 2 || turn > 8 {
		return src
	}
	size := src.Rect.Size()
	if turn >= 5 { // width and height change places
		size.X, size.Y = size.Y, size.X
	}
	dst := image.NewNRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			dst.SetNRGBA(x, y, src.NRGBAAt(sourceOf(x, y, size.X-1, size.Y-1, turn)))
		}
	}
	return dst
}

// sourceOf returns the place in the stored picture of a place in the upright one. right and bottom are the last column
// and row of the upright one.
func sourceOf(x, y, right, bottom, turn int) (int, int) {
	switch turn {
	case 2:
		return right - x, y
	case 3:
		return right - x, bottom - y
	case 4:
		return x, bottom - y
	case 5:
		return y, x
	case 6:
		return y, right - x
	case 7:
		return bottom - y, right - x
	default:
		return bottom - y, x
	}
}

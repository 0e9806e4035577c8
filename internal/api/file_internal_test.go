package api

import (
	"testing"
	"time"
)

func TestAnUploadMayNeitherStandStillNorCrawl(t *testing.T) {
	begun := time.Unix(1_767_225_600, 0)
	for name, c := range map[string]struct {
		read    int64
		elapsed time.Duration
		want    time.Duration // from the beginning
	}{
		"at first":                  {0, 0, uploadPause},
		"fast":                      {10 << 20, time.Minute, time.Minute + uploadPause},
		"at the least pace":         {61 * uploadRate, time.Minute, time.Minute + uploadPause},
		"slower":                    {1000, time.Minute, uploadPause + 1000*(time.Second/uploadRate)},
		"a byte now and then":       {3, 29 * time.Second, uploadPause + 3*(time.Second/uploadRate)},
		"long after its time is up": {1, time.Hour, uploadPause + time.Second/uploadRate},
	} {
		b := &uploadReader{begun: begun, read: c.read, pace: pace{rate: uploadRate}}
		if got := b.deadline(begun.Add(c.elapsed)).Sub(begun); got != c.want {
			t.Errorf("%s: the next bytes have to come within %v, want %v", name, got, c.want)
		}
	}
}

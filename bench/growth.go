package main

import (
	"context"
	"fmt"
)

// growth measures whether a page costs the same wherever it is, and however much the
// session holds.
func growth(ctx context.Context, w *world) error {
	for _, size := range w.plan.growth {
		w.say("pages of a session of %d messages", size)
		for _, at := range []struct {
			name string
			page int
		}{{"first", 1}, {"last", (size + 49) / 50}} {
			request := w.page(size, at.page)
			same := func(int, int) []byte { return request }
			if _, err := drive(ctx, w.server.address, w.connections, w.warm/2, same); err != nil {
				return err
			}
			f, err := underLoad(ctx, w.target(), w.connections, w.growthLoad, same)
			if err != nil {
				return fmt.Errorf("page %d of %d messages: %w", at.page, size, err)
			}
			g := grown{Messages: size, Page: at.name, PerSecond: f.PerSecond, CPU: f.CPU, Ratio: 1}
			if len(w.report.Growth) > 0 {
				g.Ratio = f.CPU / w.report.Growth[0].CPU
			}
			w.report.Growth = append(w.report.Growth, g)
		}
	}
	return nil
}

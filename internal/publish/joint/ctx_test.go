// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"testing"
)

// recode and findKnown are for tests that nobody cancels.
func recode(v *View, p Partition) *Recoding {
	r, err := v.Recode(context.Background(), p)
	if err != nil {
		panic(err)
	}
	return r
}

func findKnown(c Config, rows []Row) int {
	n, err := FindKnown(context.Background(), c, rows)
	if err != nil {
		panic(err)
	}
	return n
}

func TestASweepCountsPlacesAsAReleaseDoes(t *testing.T) {
	v := paperView(t)
	points, err := v.Sweep(t.Context(), SweepOptions{K: []int{2, 3}, Lambda: []float64{0, 1}, Workers: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range points {
		if one.Published {
			continue
		}
		p := partition(t, v, one.Settings)
		report, err := recode(v, p).Report(t.Context(), one.Settings, p, Exposure{})
		if err != nil || one.Mentions != report.Mentions || one.Mentions.Places == 0 {
			t.Errorf("%+v, a release %+v, %v", one.Mentions, report.Mentions, err)
		}
	}
}

func TestWhatIsCancelledEnds(t *testing.T) {
	v := paperView(t)
	rows := rowsOf(t, paperRows)
	p := Partition{Classes: [][]int{v.everybody()}}
	r := recode(v, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, work := range map[string]func() error{
		"FindKnown": func() error { _, err := FindKnown(ctx, v.Config, rows); return err },
		"NewView":   func() error { _, err := NewView(ctx, v.Config, rows); return err },
		"textual":   func() error { return v.textual(ctx) },
		"Recode":    func() error { _, err := v.Recode(ctx, p); return err },
		"Report":    func() error { _, err := r.Report(ctx, Settings{K: 2, Lambda: .5}, p, Exposure{}); return err },
	} {
		if err := work(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// writing reports whether originals are being written.
func writing() bool {
	stacks := make([]byte, 1<<20)
	return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), ".WriteOriginals(")
}

// emptyOnceWriting has no files, which it says once originals are being written.
type emptyOnceWriting struct{}

func (emptyOnceWriting) Open(string) (fs.File, error) {
	for !writing() {
		runtime.Gosched()
	}
	return nil, fs.ErrNotExist
}

func TestNothingReadsTheViewOnceItIsCompared(t *testing.T) {
	v := paperView(t)
	for range 20 {
		if _, err := v.compare(t.Context(), emptyOnceWriting{}, nil); err == nil {
			t.Fatal("a folder without files is a release")
		}
		if writing() {
			t.Fatal("originals are still written")
		}
	}
}

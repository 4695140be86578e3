// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
)

// shortNotes are n notes of n/5 patients, some 400 bytes each with three terms.
func shortNotes(b *testing.B, n int) *View {
	b.Helper()
	c, err := ReadConfig(strings.NewReader(leakConfig))
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(4, 2))
	prose := strings.Repeat("was seen on the ward and went home well. ", 9)
	rows := make([]Row, n)
	for i := range rows {
		name := fmt.Sprintf("Name%d", rng.IntN(500))
		rows[i] = Row{
			Values: []string{fmt.Sprint(i % (n / 5)), "Ulm", fmt.Sprint(20 + i%(n/5)%60), fmt.Sprintf("2004-%02d-%02d", 1+i%12, 1+i%28), ""},
			Texts: []Text{{Text: name + " " + prose + "Seen by Weiss in Bonn.", Terms: []annotate.Span{
				{Start: 0, End: annotate.ByteOff(len(name)), Label: "NAME"},
				{Start: annotate.ByteOff(len(name) + 1 + len(prose) + 8), End: annotate.ByteOff(len(name) + 1 + len(prose) + 13), Label: "NAME"},
			}}},
		}
	}
	v, err := NewView(context.Background(), c, rows)
	if err != nil {
		b.Fatal(err)
	}
	return v
}

// BenchmarkWriteRelease tells by how much the live heap grows at most, in notes of
// text, while a release is made, written and checked.
func BenchmarkWriteRelease(b *testing.B) {
	const notes = 100_000
	v := shortNotes(b, notes)
	size := 0
	for _, row := range v.rows {
		size += len(row.Texts[0].Text)
	}
	s := Settings{K: 5, Lambda: 1}
	p, err := v.Partition(context.Background(), s)
	if err != nil {
		b.Fatal(err)
	}
	r, err := v.Recode(context.Background(), p)
	if err != nil {
		b.Fatal(err)
	}
	report, err := r.Report(context.Background(), s, p, Exposure{})
	if err != nil {
		b.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	for b.Loop() {
		runtime.GC()
		done, grown := make(chan struct{}), make(chan float64)
		go func() { grown <- growth(done) }()
		_, err := r.Release(rand.New(rand.NewPCG(1, 1))).Write(context.Background(), filepath.Join(b.TempDir(), "release"), Origin{}, report)
		close(done)
		if err != nil {
			b.Fatal(err)
		}
		most := <-grown
		b.ReportMetric(most/(1<<20), "MiB-grown")
		b.ReportMetric(most/float64(size), "texts-grown")
	}
}

// growth is by how much the heap grows at most until done is closed.
func growth(done <-chan struct{}) float64 {
	heap := func() float64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	first, most := heap(), 0.0
	for {
		select {
		case <-done:
			return most
		case <-time.After(5 * time.Millisecond):
			most = max(most, heap()-first)
		}
	}
}

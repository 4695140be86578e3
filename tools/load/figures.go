// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"hide/tools/rig"
)

// figures are what one cell measured. Times are in milliseconds.
type figures struct {
	Cell    string  `json:"cell"`
	Seconds float64 `json:"seconds"`
	Asked   float64 `json:"edits_asked_per_second"`
	Came    float64 `json:"edits_acknowledged_per_second"`
	Edits   int     `json:"edits_acknowledged"`

	P50 float64 `json:"acknowledged_p50_ms"`
	P95 float64 `json:"acknowledged_p95_ms"`
	P99 float64 `json:"acknowledged_p99_ms"`
	Max float64 `json:"acknowledged_max_ms"`

	Shown95  float64 `json:"broadcast_p95_ms"` // from acknowledged to in a frame of a viewer
	NotShown int     `json:"edits_never_broadcast"`

	Failed    map[string]int `json:"errors_by_status"`
	Conflicts int            `json:"conflicts"`
	Dropped   int            `json:"live_connections_lost"`
	Lost      int            `json:"lost_edits"`

	ElsewhereBytes float64 `json:"bytes_per_viewer_of_another_note_and_edit"`
	NoteBytes      float64 `json:"bytes_per_viewer_of_the_note_and_edit"`
	FetchedBytes   float64 `json:"bytes_fetched_by_viewer_of_the_note_per_edit"`
	AnswerBytes    float64 `json:"bytes_per_answer"`

	CPU  float64 `json:"server_cpu_seconds"`
	Peak int64   `json:"server_peak_bytes"`
	Open int     `json:"server_most_open_descriptors"`

	MemoryGrowth float64 `json:"memory_growth,omitempty"` // of a soak, as shares
	OpenGrowth   float64 `json:"descriptor_growth,omitempty"`
}

// figure puts together what everybody saw.
func (c *cell) figure(took time.Duration, before, after rig.Usage) figures {
	f := figures{
		Seconds: took.Seconds(), Asked: float64(len(c.team)) / c.every.Seconds(), Failed: map[string]int{},
		CPU: after.CPU - before.CPU, Peak: after.Peak, Open: max(before.Open, after.Open),
	}
	var times []time.Duration
	var edits []acked
	answered := 0
	for _, a := range c.team {
		times = append(times, a.tally.took...)
		edits = append(edits, a.tally.acked...)
		answered += a.tally.bytes
		f.Conflicts += a.tally.conflicts
		for what, n := range a.tally.failed {
			f.Failed[what] += n
		}
	}
	f.Edits, f.Came = len(edits), float64(len(edits))/took.Seconds()
	f.AnswerBytes = float64(answered) / float64(max(1, len(edits)))
	f.P50, f.P95, f.P99, f.Max = rig.Percentile(times, 50), rig.Percentile(times, 95), rig.Percentile(times, 99), rig.Percentile(times, 100)
	for _, u := range c.watch.uses {
		f.Open = max(f.Open, u.Open)
	}
	f.broadcasts(c.looking, edits)
	for _, p := range c.pages() {
		if p.lost() {
			f.Dropped++
		}
	}
	if c.soak {
		f.MemoryGrowth, f.OpenGrowth = growth(c.watch.uses)
	}
	return f
}

// broadcasts compares the edits with what the viewers of their notes were told, and when.
func (f *figures) broadcasts(viewers []*page, edits []acked) {
	of := map[int][]acked{}
	for _, e := range edits {
		of[e.doc] = append(of[e.doc], e)
	}
	var delays []time.Duration
	var others, notes, fetched, elsewhere, noted float64
	for _, p := range viewers {
		wire := float64(p.received.Load())
		if p.doc == 0 {
			others, elsewhere = others+wire, elsewhere+1
			continue
		}
		notes, fetched, noted = notes+wire, fetched+float64(p.fetched.Load()), noted+1
		sights := p.sights()
		for _, e := range of[p.doc] {
			if e.at.Before(p.opened) {
				continue // the page showed it when it was opened
			}
			i, _ := slices.BinarySearchFunc(sights, e.revision, func(s sight, r int) int { return s.revision - r })
			if i == len(sights) {
				f.NotShown++
				continue
			}
			delays = append(delays, max(0, sights[i].at.Sub(e.at)))
		}
	}
	n := float64(max(1, len(edits)))
	f.ElsewhereBytes, f.NoteBytes = others/max(1, elsewhere)/n, notes/max(1, noted)/n
	f.FetchedBytes = fetched / max(1, noted) / n
	f.Shown95 = rig.Percentile(delays, 95)
}

// lostEdits reads the notes back, after the server has ended, and counts the acknowledged
// edits that are not in them.
func (c *cell) lostEdits(ctx context.Context) (int, error) {
	out, err := c.hide.Command(ctx, "export", "--project", projectID)
	if err != nil {
		return 0, err
	}
	names := map[int]string{c.shared.doc: c.shared.name}
	for _, n := range c.open {
		names[n.doc] = n.name
	}
	type place struct {
		Start int `json:"start"`
		End   int `json:"end"`
	}
	kept := map[string]map[place]bool{}
	for line := range bytes.Lines(out) {
		var r struct {
			ID    string  `json:"id"`
			Spans []place `json:"spans"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return 0, fmt.Errorf("the export: %w", err)
		}
		kept[r.ID] = map[place]bool{}
		for _, s := range r.Spans {
			kept[r.ID][s] = true
		}
	}
	lost := 0
	for _, a := range c.team {
		for _, e := range a.tally.acked {
			if !kept[names[e.doc]][place{e.word.start, e.word.end}] {
				lost++
			}
		}
	}
	return lost, nil
}

// failures are the errors in words, in order.
func (f figures) failures() string {
	words := ""
	for _, what := range slices.Sorted(maps.Keys(f.Failed)) {
		words += fmt.Sprintf(" %s×%d", what, f.Failed[what])
	}
	if words == "" {
		return "0"
	}
	return words[1:]
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	"hide/tools/rig"
)

func TestPercentileIsTheSmallestTimeThatEnoughDoNotExceed(t *testing.T) {
	var times []time.Duration
	for n := range 100 {
		times = append(times, time.Duration(100-n)*time.Millisecond)
	}
	for p, want := range map[int]float64{50: 50, 95: 95, 99: 99, 100: 100} {
		if got := rig.Percentile(times, p); got != want {
			t.Errorf("percentile %d: %v, want %v", p, got, want)
		}
	}
	if got := rig.Percentile(times[:3], 99); got != 100 {
		t.Errorf("of three times: %v, want the slowest", got)
	}
	if got := rig.Percentile(nil, 99); got != 0 {
		t.Errorf("without times: %v", got)
	}
}

func TestWordsHaveTheirPlacesInCodePoints(t *testing.T) {
	text := "Frau Müller saw Dr. Weiß-Kern on ward, then left"
	for _, w := range wordsOf(text) {
		if got := string([]rune(text)[w.start:w.end]); got != w.text {
			t.Errorf("%q at %d is %q", w.text, w.start, got)
		}
		if w.text == "ward" || w.text == "Wei" || w.text == "ller" {
			t.Errorf("%q is not a word between spaces", w.text)
		}
	}
	if n := len(wordsOf(text)); n != 4 {
		t.Errorf("%d words, want Frau, saw, then, left", n)
	}
}

func TestRevisionsAreReadFromPagesAndFrames(t *testing.T) {
	for text, want := range map[string]int{
		`<header data-revision="12" data-suggestions="x">`:               12,
		`{"content":"\u003cspan data-revision=\"7\" hidden\u003e"}`:      7,
		`{"content":"<span data-revision=\"7\">","target":"#x"}`:         7,
		`{"changes":[{"doc":3,"revision": 9}]}`:                          9,
		`<span data-revision="3"></span><span data-revision="4"></span>`: 4,
		`<p>nothing of the kind</p>`:                                     0,
	} {
		if got := revisionIn(text); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// Viewers are told of revisions 2 and 5 only: an edit in between is shown by the next frame.
func TestABroadcastIsTheFirstFrameThatShowsTheEdit(t *testing.T) {
	at := time.Now()
	p := &page{doc: 3, seen: []sight{{2, at.Add(10 * time.Millisecond)}, {5, at.Add(200 * time.Millisecond)}}}
	var f figures
	f.broadcasts([]*page{p}, []acked{{doc: 3, revision: 2, at: at}, {doc: 3, revision: 4, at: at}, {doc: 3, revision: 6, at: at}, {doc: 4, revision: 1, at: at}})
	if f.Shown95 != 200 || f.NotShown != 1 {
		t.Errorf("p95 %v ms and %d never shown, want 200 and the last", f.Shown95, f.NotShown)
	}
}

func TestGrowthComparesTheSecondSixthWithTheLast(t *testing.T) {
	var uses []rig.Usage
	for n := range 60 {
		uses = append(uses, rig.Usage{Anonymous: 100 << 20, Open: 50})
		if n >= 50 {
			uses[n].Anonymous = 120 << 20
		}
		if n < 10 {
			uses[n].Anonymous = 1 // the start does not count
		}
	}
	memory, open := growth(uses)
	if memory < 0.19 || memory > 0.21 || open != 0 {
		t.Errorf("growth of memory %v and descriptors %v, want 0.2 and 0", memory, open)
	}
}

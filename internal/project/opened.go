// SPDX-License-Identifier: Apache-2.0

package project

import (
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
)

// Opened lists the unfinished documents that people have open.
func (ws *Workspace) Opened() []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	var open []annotate.DocumentID
	for _, h := range ws.hands {
		if r := ws.row(h.doc); r != nil && r.state != stateDone {
			open = append(open, h.doc)
		}
	}
	slices.Sort(open)
	return slices.Compact(open)
}

// SomeUnfinished lists unfinished documents: the first ones, and some at random. It looks at no
// others.
func (ws *Workspace) SomeUnfinished(first, atRandom int) (window, drawn []annotate.DocumentID) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	begun, fresh := &ws.begun, &ws.fresh
	window = slices.Sorted(slices.Values(slices.Concat(begun.Window(0, first), fresh.Window(0, first))))
	n := begun.Len() + fresh.Len()
	for _, place := range somePlaces(n, atRandom) {
		if place < begun.Len() {
			drawn = append(drawn, begun.At(place))
		} else {
			drawn = append(drawn, fresh.At(place-begun.Len()))
		}
	}
	return window[:min(first, n)], drawn
}

// somePlaces draws k of the numbers below n, or all, in random order (Floyd's method: Bentley
// and Floyd 1987).
func somePlaces(n, k int) []int {
	var places []int
	for j := max(0, n-k); j < n; j++ {
		place := rand.IntN(j + 1)
		if slices.Contains(places, place) {
			place = j
		}
		places = append(places, place)
	}
	rand.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	return places
}

// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
)

// Which finished notes does a model train on? More notes help less and less, and cost
// more and more. Beyond a size, a model trains on a sample of them. The sample holds all
// rare labels, many patients and all kinds of note. Chance decides among equal notes, by
// a hash of their numbers, so the sample changes little when notes are added.

// The size of the sample that models train on; see docs/performance.md for the
// measurement.
const (
	SampleNotes  = 1_200
	SampleTokens = 500_000
)

const (
	measuredShare = 3  // one in three places is for notes drawn by chance alone
	labelShare    = 20 // a label that occurs in at most one 20th of the places is kept whole
	freshShare    = 20 // as many new notes join a sample before it is drawn again
)

// Finished is what the choice needs to know of a finished note.
type Finished struct {
	Number int    // identifies the note
	Group  string // its patient
	Kind   string // such as "discharge"; may be empty
	Labels []annotate.Label
	Tokens int
	Random bool // belongs to a random sample of the project
}

// Bound limits a sample.
type Bound struct{ Notes, Tokens int }

// Holds reports whether this many notes and tokens are within the bound.
func (b Bound) Holds(notes, tokens int) bool { return notes <= b.Notes && tokens <= b.Tokens }

// Fresh is how many new notes train together with a sample before it is drawn again.
func (b Bound) Fresh() Bound { return Bound{b.Notes / freshShare, b.Tokens / freshShare} }

// Sample chooses notes within a bound, as indices in order. measured are those that chance
// alone chose among the random notes: only they may be used for estimates.
func Sample(all []Finished, b Bound) (chosen []int, measured map[int]bool) {
	s := &sampling{all: all, bound: b, taken: make([]bool, len(all)), measured: map[int]bool{}, order: byHash(all)}
	s.takeMeasured()
	s.takeLabels()
	s.takeKinds()
	for i, taken := range s.taken {
		if taken {
			chosen = append(chosen, i)
		}
	}
	return chosen, s.measured
}

type sampling struct {
	all           []Finished
	bound         Bound
	order         []int // by the hash of their numbers
	taken         []bool
	measured      map[int]bool
	notes, tokens int
}

const sampleSeed = 0x73616d70

// byHash orders the notes by a hash of their numbers.
func byHash(all []Finished) []int {
	order, hash := make([]int, len(all)), make([]uint64, len(all))
	for i, n := range all {
		order[i], hash[i] = i, rand.NewPCG(sampleSeed, uint64(n.Number)).Uint64()
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(hash[a], hash[b]), cmp.Compare(all[a].Number, all[b].Number))
	})
	return order
}

// take adds a note if there is room.
func (s *sampling) take(i int) bool {
	if s.taken[i] {
		return true
	}
	if !s.bound.Holds(s.notes+1, s.tokens+s.all[i].Tokens) {
		return false
	}
	s.taken[i] = true
	s.notes, s.tokens = s.notes+1, s.tokens+s.all[i].Tokens
	return true
}

// takeMeasured takes random notes in order of the hash. It stops at the first that does
// not fit, because leaving out long notes would bias estimates.
func (s *sampling) takeMeasured() {
	share := Bound{s.bound.Notes / measuredShare, s.bound.Tokens / measuredShare}
	for _, i := range s.order {
		if !s.all[i].Random {
			continue
		}
		if !share.Holds(s.notes+1, s.tokens+s.all[i].Tokens) || !s.take(i) {
			return
		}
		s.measured[i] = true
	}
}

// takeLabels takes notes of each label, the rarest label first.
func (s *sampling) takeLabels() {
	with := map[annotate.Label][]int{}
	for _, i := range s.order {
		for _, l := range s.all[i].Labels {
			with[l] = append(with[l], i)
		}
	}
	labels := make([]annotate.Label, 0, len(with))
	for l := range with {
		labels = append(labels, l)
	}
	slices.SortFunc(labels, func(a, b annotate.Label) int {
		return cmp.Or(cmp.Compare(len(with[a]), len(with[b])), cmp.Compare(a, b))
	})
	for _, l := range labels {
		s.takeOf(with[l], max(1, s.bound.Notes/labelShare))
	}
}

// takeOf takes notes until this many of them are in the sample.
func (s *sampling) takeOf(notes []int, want int) {
	for _, i := range notes {
		if s.taken[i] {
			want--
		}
	}
	for _, i := range notes {
		if want <= 0 {
			return
		}
		if !s.taken[i] && s.take(i) {
			want--
		}
	}
}

// takeKinds fills the sample with the kinds of note in turn, and within a kind with one
// note of each patient before a second one.
func (s *sampling) takeKinds() {
	rank, seen := make([]int, len(s.all)), map[string]int{}
	for _, i := range s.order {
		rank[i] = seen[s.all[i].Group]
		seen[s.all[i].Group]++
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	kinds, of := []string{}, map[string][]int{}
	for _, i := range s.order {
		kind := s.all[i].Kind
		if of[kind] == nil {
			kinds = append(kinds, kind)
		}
		of[kind] = append(of[kind], i)
	}
	slices.Sort(kinds)
	for left := true; left; {
		left = false
		for _, kind := range kinds {
			if notes := of[kind]; len(notes) > 0 {
				s.take(notes[0])
				of[kind], left = notes[1:], true
			}
		}
	}
}

// checkShare is by which share the finished notes must change before a check could change
// a decision.
const checkShare = 10

// CheckDue reports whether a model must be checked again: when the number of finished
// notes has changed by a tenth since the last check.
func CheckDue(checked, now int) bool {
	return checkShare*max(now-checked, checked-now) >= checked
}

// SPDX-License-Identifier: Apache-2.0

// Package sampling chooses the words that a learner is trained on, and how often each is
// used (Gardner 2012, section 4.5).
//
//	s, err := sampling.Parse("o=.5+window=8")
//	skip := s.Skips(view)
//
// It is pure: equal documents and settings give equal choices.
package sampling

import (
	"cmp"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
)

// Sampling changes which words training uses. The learner then sees fewer words that are
// not sensitive (O) for each sensitive word, and predicts O less often: recall rises,
// precision falls. Features still see every word. The zero value uses every word once;
// with several fields set, a word stays only if all of them keep it.
//
// Every word of a document gets a random number u in [0, 1). With Z the greater of 1
// and the highest cost:
//
//   - A word of label O stays when u < O*cost(O)/Z and a sensitive word is at most
//     Window words away in the same document.
//   - A sensitive span is accepted or rejected whole, so that BIO labels stay
//     valid: all of its words stay when the u of its first is below cost(label)/Z.
//     Without Cost that is always.
//   - A document is never drawn as a whole. One of which no word stays teaches
//     nothing.
//
// This is rejection sampling as in Zadrozny, Langford and Abe (2003), with words of O
// and spans as the examples; nothing is drawn twice. The numbers depend only on Seed
// and the document's words, not on labels or the order of documents. Of two settings
// the stricter one keeps a subset, and two documents with the same words get the same
// numbers. With Times, [Sampling.Draw] draws with replacement instead.
type Sampling struct {
	O      float64                    // probability that a word of O stays, in (0, 1]; 0 means 1
	Window int                        // 0 means any distance
	Cost   map[annotate.Label]float64 // of missing a word of this label, above 0; "" is O, and a label without a cost has cost 1
	Times  float64                    // words drawn with replacement, by cost, for each word that O and Window keep; 0 draws without replacement
	Seed   uint64
}

// Document is what a sampling reads of a document.
type Document struct {
	Words  []string
	Labels []annotate.Label // nil, or one per word; "" is not sensitive
	Begins []bool           // nil, or whether the word opens a span; a change of label always does
	Skip   []bool           // nil, or the words that training leaves out anyway
}

// Unlabelled is the label of sensitive words without one.
const Unlabelled annotate.Label = "PHI"

// Of reads a view for training. A span that a redacted token splits becomes two.
func Of(v annotate.View) Document {
	d := Document{Words: v.VisibleWords(), Skip: v.Skip}
	if !slices.Contains(v.Sensitive, true) {
		return d
	}
	d.Labels, d.Begins = make([]annotate.Label, len(d.Words)), make([]bool, len(d.Words))
	for i := range d.Words {
		if v.Remaining(i) {
			d.Labels[i] = cmp.Or(v.Label(i), Unlabelled)
			d.Begins[i] = v.Opens(i) || !v.Remaining(i-1)
		}
	}
	return d
}

func (d Document) label(t int) annotate.Label {
	if t < len(d.Labels) {
		return d.Labels[t]
	}
	return ""
}

// opens reports whether labelled word t is the first of its span.
func (d Document) opens(t int) bool {
	return t == 0 || d.Labels[t-1] != d.Labels[t] || d.Begins != nil && d.Begins[t]
}

// Everything reports whether s uses every word once.
func (s Sampling) Everything() bool {
	return s.O == 0 && s.Window == 0 && len(s.Cost) == 0 && s.Times == 0
}

// Skips returns which words of v training leaves out: those removed by the sampling and
// those of v.Skip. The result is parallel to v.Words, or nil if there are none. It ignores
// Times, which [Sampling.Draw] needs all documents for.
func (s Sampling) Skips(v annotate.View) []bool { return s.Rejects(Of(v)) }

// Rejects is [Sampling.Skips] of a document.
func (s Sampling) Rejects(d Document) []bool {
	s.Times = 0
	if s.Everything() {
		return d.Skip
	}
	skip := make([]bool, len(d.Words))
	copy(skip, d.Skip)
	random, near := s.random(d), s.near(d)
	rejected := false // of the span that word t is in
	for t := range d.Words {
		u := random.Float64()
		switch label := d.label(t); {
		case label == "":
			skip[t] = skip[t] || u >= cmp.Or(s.O, 1)*s.accept("") || !near[t]
		case d.opens(t):
			rejected = u >= s.accept(label)
			fallthrough
		default:
			skip[t] = skip[t] || rejected
		}
	}
	return skip
}

func (s Sampling) random(d Document) *rand.Rand {
	h := fnv.New64a()
	for _, w := range d.Words {
		_, _ = io.WriteString(h, w+"\x00")
	}
	return rand.New(rand.NewPCG(s.Seed, h.Sum64()))
}

// accept is cost(label)/Z.
func (s Sampling) accept(label annotate.Label) float64 {
	z := 1.0
	for _, c := range s.Cost {
		z = max(z, c)
	}
	return cmp.Or(s.Cost[label], 1) / z
}

// near reports which words have a sensitive word within Window.
func (s Sampling) near(d Document) []bool {
	near, from := make([]bool, len(d.Words)), 0
	if s.Window == 0 {
		for t := range near {
			near[t] = true
		}
		return near
	}
	for t, label := range d.Labels {
		if label == "" {
			continue
		}
		to := min(t+s.Window+1, len(near))
		for i := max(t-s.Window, from); i < to; i++ {
			near[i] = true
		}
		from = to
	}
	return near
}

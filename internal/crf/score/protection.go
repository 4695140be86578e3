// SPDX-License-Identifier: Apache-2.0

package score

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/annotate/entities"
)

// Protection measures whether predictions hide entities, as the Text Anonymization Benchmark
// counts (Pilán et al. 2022). A mention is masked if every word of it is covered by the
// union of the predicted spans, whatever their labels. An entity is masked if all of its
// mentions are. Tokens without a letter or digit are no words: a comma identifies nobody.
type Protection struct {
	Direct    Recall          `json:"direct"`
	Quasi     Recall          `json:"quasi"`
	Documents Share           `json:"documents"` // of those with a direct entity, those that mask all of them
	Precision MaskedPrecision `json:"precision"`
}

// Recall counts the masked ones among entities of one identifier type, and among their
// mentions.
type Recall struct {
	Entities Share                    `json:"entities"`
	Mentions Share                    `json:"mentions"`
	Labels   map[annotate.Label]Share `json:"labels"` // entities by label
}

// MaskedPrecision is the share of the masked words that belong to an entity to be hidden.
// The weighted share counts each word with its information content within the notes,
//
//	w(t) = -log2(c(t)/N),
//
// where c(t) counts the word without case among all N words of the notes. Masking "the"
// then costs less than masking a rare word. The benchmark takes the probability of a word
// from a language model; unigram counts need no model and give equal results everywhere.
type MaskedPrecision struct {
	Words    Share   `json:"words"`
	Weighted float64 `json:"weighted"` // 0 if no word is masked
}

// Protect measures predictions on notes with these entities.
func Protect(docs []Prediction, all []entities.Entity) Protection {
	p := protector{docs: docs, masked: make([][]bool, len(docs)), hidden: make([][]bool, len(docs))}
	for i, d := range docs {
		p.masked[i], p.hidden[i] = make([]bool, len(d.Tokens)), make([]bool, len(d.Tokens))
		for _, s := range d.Predicted {
			p.mark(p.masked, entities.Place{Note: i, Span: s.Span})
		}
	}
	out := Protection{Direct: newRecall(), Quasi: newRecall()}
	leaking := map[int]bool{} // documents with a direct entity, and whether one is not masked
	for _, e := range all {
		recall := &out.Quasi
		masked, mentions := p.entity(e)
		if e.Identifier == entities.Direct {
			recall = &out.Direct
			for _, place := range e.Places {
				leaking[place.Note] = leaking[place.Note] || !masked
			}
		}
		recall.add(e.Label, masked, mentions, len(e.Places))
	}
	for _, leaks := range leaking {
		out.Documents.Of++
		if !leaks {
			out.Documents.Count++
		}
	}
	out.Precision = p.precision()
	out.each(func(s Share) Share {
		s.Share = ratio(s.Count, s.Of)
		return s
	})
	return out
}

func newRecall() Recall { return Recall{Labels: map[annotate.Label]Share{}} }

func (r *Recall) add(label annotate.Label, masked bool, mentions, of int) {
	one := r.Labels[label]
	one.Of++
	r.Entities.Of++
	if masked {
		one.Count++
		r.Entities.Count++
	}
	r.Labels[label] = one
	r.Mentions.Count += mentions
	r.Mentions.Of += of
}

// WithIntervals gives each share of something the interval that interval computes. Such an
// interval takes entities as independent; several of one note are not, so the truth may lie
// outside more often.
func (p Protection) WithIntervals(interval func(of, count int) (low, high float64)) Protection {
	p.Direct.Labels, p.Quasi.Labels = maps.Clone(p.Direct.Labels), maps.Clone(p.Quasi.Labels)
	p.each(func(s Share) Share {
		if s.Of > 0 {
			low, high := interval(s.Of, s.Count)
			s.Interval = &Interval{low, high}
		}
		return s
	})
	return p
}

// each replaces all shares.
func (p *Protection) each(change func(Share) Share) {
	for _, s := range []*Share{&p.Direct.Entities, &p.Direct.Mentions, &p.Quasi.Entities, &p.Quasi.Mentions, &p.Documents, &p.Precision.Words} {
		*s = change(*s)
	}
	for _, labels := range []map[annotate.Label]Share{p.Direct.Labels, p.Quasi.Labels} {
		for l, s := range labels {
			labels[l] = change(s)
		}
	}
}

// protector has two marks for each token: covered by a prediction, and to be hidden.
type protector struct {
	docs           []Prediction
	masked, hidden [][]bool
}

func (p *protector) mark(marks [][]bool, at entities.Place) {
	from, to := annotate.Covered(p.docs[at.Note].Tokens, at.Span)
	for t := from; t < to; t++ {
		marks[at.Note][t] = true
	}
}

// entity marks the tokens of an entity as to be hidden. It reports whether all mentions are
// masked, and how many are.
func (p *protector) entity(e entities.Entity) (all bool, mentions int) {
	for _, place := range e.Places {
		p.mark(p.hidden, place)
		if p.covers(place) {
			mentions++
		}
	}
	return mentions == len(e.Places), mentions
}

// covers reports whether all words of a place are masked. A place without a word is masked
// if all of its tokens are.
func (p *protector) covers(at entities.Place) bool {
	d := p.docs[at.Note]
	from, to := annotate.Covered(d.Tokens, at.Span)
	words := slices.ContainsFunc(d.Words[from:to], isWord)
	for t := from; t < to; t++ {
		if !p.masked[at.Note][t] && (!words || isWord(d.Words[t])) {
			return false
		}
	}
	return true
}

func isWord(token string) bool {
	return strings.ContainsFunc(token, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// precision compares the two marks of every masked word.
func (p *protector) precision() MaskedPrecision {
	counts, n := p.frequencies()
	var out MaskedPrecision
	var right, all float64
	for i, d := range p.docs {
		for t, word := range d.Words {
			if !p.masked[i][t] || !isWord(word) {
				continue
			}
			weight := -math.Log2(float64(counts[strings.ToLower(word)]) / float64(n))
			out.Words.Of++
			all += weight
			if p.hidden[i][t] {
				out.Words.Count++
				right += weight
			}
		}
	}
	switch {
	case all > 0:
		out.Weighted = right / all
	case out.Words.Of > 0: // a single word makes up all notes, and has no information
		out.Weighted = ratio(out.Words.Count, out.Words.Of)
	}
	return out
}

// frequencies counts the words of all notes without case.
func (p *protector) frequencies() (counts map[string]int, n int) {
	counts = map[string]int{}
	for _, d := range p.docs {
		for _, word := range d.Words {
			if isWord(word) {
				counts[strings.ToLower(word)]++
				n++
			}
		}
	}
	return counts, n
}

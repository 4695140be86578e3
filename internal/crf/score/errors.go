// SPDX-License-Identifier: Apache-2.0

package score

import (
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate"
)

// Kind is one of the two kinds of error.
type Kind string

// The kinds. Names are stored: do not change them.
const (
	Miss  Kind = "miss"  // a gold span that no prediction equals
	Alarm Kind = "alarm" // a prediction that no gold span equals
)

// Reason is why a span was probably missed or wrongly found.
type Reason string

// The reasons, in the order in which they are tried; the first that applies is used.
// Training documents are those of the model that tagged the document. The last four
// consider the rarest word of the span in training. Names are stored: do not change
// them.
const (
	Boundary  Reason = "boundary"  // overlaps a span of its label on the other side
	Relabel   Reason = "label"     // overlaps a span of another label
	Elsewhere Reason = "elsewhere" // the same text is a span of the other side elsewhere in the document
	Form      Reason = "form"      // has digits, and no span of its form is marked in training
	Unseen    Reason = "unseen"    // the word does not occur in training
	Ordinary  Reason = "ordinary"  // the word is never marked in training
	Ambiguous Reason = "ambiguous" // the word occurs in training both marked and unmarked
	Known     Reason = "known"     // the word is always marked in training, or the form of the digits is marked there

	Untold Reason = "untold" // none of the first three, and the training documents are not known
)

// Reasons lists the reasons in that order, without [Untold].
func Reasons() []Reason {
	return []Reason{Boundary, Relabel, Elsewhere, Form, Unseen, Ordinary, Ambiguous, Known}
}

// Error is a span that only one side has.
type Error struct {
	Document int // index
	Kind     Kind
	Span     annotate.Span // the gold span of a miss, the predicted one of an alarm
	Reason   Reason
	Leaks    int     // tokens of a missed span that no prediction covers
	Score    float64 // of a false alarm, its score; of a miss, the mean probability of its tokens to be sensitive, or 0
}

// Errors lists the errors in cross-validated documents, by document and place. fold[i]
// is the fold that held out document i: its model was trained on the documents of the
// other folds.
func Errors(docs []Prediction, fold []int) []Error {
	if len(fold) != len(docs) {
		panic("score: Errors wants a fold for each document")
	}
	all, held := newVocabulary(), map[int]*vocabulary{}
	for i, d := range docs {
		if held[fold[i]] == nil {
			held[fold[i]] = newVocabulary()
		}
		all.learn(d)
		held[fold[i]].learn(d)
	}
	var out []Error
	for i, d := range docs {
		out = append(out, d.errors(i, seen{all, held[fold[i]]})...)
	}
	return out
}

// ErrorsAfter lists the errors in documents tagged by a model of the training
// documents. Of these only Text, Tokens and Gold are used.
func ErrorsAfter(docs, training []Prediction) []Error {
	all := newVocabulary()
	for _, d := range training {
		all.learn(d)
	}
	var out []Error
	for i, d := range docs {
		out = append(out, d.errors(i, seen{all, newVocabulary()})...)
	}
	return out
}

// ErrorsAlone lists the errors in documents tagged by a model whose training documents
// are not known. Only the first three reasons can be told.
func ErrorsAlone(docs []Prediction) []Error {
	var out []Error
	for i, d := range docs {
		out = append(out, d.errors(i, seen{})...)
	}
	return out
}

func (d Prediction) errors(index int, known seen) []Error {
	s := d.labelled()
	right := d.judge(s)
	_, covered := d.labels(s)
	var out []Error
	for _, g := range s.gold {
		if !right.gold(g) {
			e := Error{Document: index, Kind: Miss, Span: g, Reason: d.reason(g, s.predicted, known)}
			e.Leaks, e.Score = d.uncovered(g, covered)
			out = append(out, e)
		}
	}
	for _, p := range d.Predicted {
		if !right.predicted(p.Span) {
			out = append(out, Error{Document: index, Kind: Alarm, Span: p.Span, Reason: d.reason(p.Span, s.gold, known), Score: p.Score})
		}
	}
	slices.SortStableFunc(out, func(a, b Error) int { return annotate.CompareSpans(a.Span, b.Span) })
	return out
}

// judgement says which spans are right.
type judgement struct{ gold, predicted func(annotate.Span) bool }

// judge compares the sides. Without labels a gold span is right if all of its tokens are
// marked, and marks are right if all of their tokens are PHI.
func (d Prediction) judge(s sides) judgement {
	if !d.Unlabelled {
		gold, predicted := setOf(s.gold), setOf(s.predicted)
		return judgement{func(g annotate.Span) bool { return predicted[g] }, func(p annotate.Span) bool { return gold[p] }}
	}
	truth, said := d.labels(s)
	within := func(labels []annotate.Label) func(annotate.Span) bool {
		return func(s annotate.Span) bool {
			marked, all := d.marked(s, labels)
			return marked == all
		}
	}
	return judgement{within(said), within(truth)}
}

// uncovered counts the tokens of a gold span that no prediction covers, and averages
// their probability.
func (d Prediction) uncovered(g annotate.Span, covered []annotate.Label) (leaks int, score float64) {
	from, to := annotate.Covered(d.Tokens, g)
	for i := from; i < to; i++ {
		if covered[i] == "" {
			leaks++
		}
		if d.Probability != nil {
			score += d.Probability[i] / float64(to-from)
		}
	}
	return leaks, score
}

// reason returns why the other side's spans do not include this one.
func (d Prediction) reason(s annotate.Span, others []annotate.Span, known seen) Reason {
	overlaps := func(o annotate.Span) bool { return o.Overlaps(s) }
	if slices.ContainsFunc(others, func(o annotate.Span) bool { return overlaps(o) && (o.Label == s.Label || d.Unlabelled) }) {
		return Boundary
	}
	if slices.ContainsFunc(others, overlaps) {
		return Relabel
	}
	surface := s.Surface(d.Text)
	if slices.ContainsFunc(others, func(o annotate.Span) bool { return strings.EqualFold(o.Surface(d.Text), surface) }) {
		return Elsewhere
	}
	if known.all == nil {
		return Untold
	}
	if form, digits := formOf(surface); digits {
		if known.form(form) == 0 {
			return Form
		}
		return Known
	}
	return d.byWords(s, known)
}

// byWords decides by the word of the span that is rarest in training: the distinctive
// part of a name identifies, not "of" and "hospital".
func (d Prediction) byWords(s annotate.Span, known seen) Reason {
	var rarest use
	first := true
	from, to := annotate.Covered(d.Tokens, s)
	for _, t := range d.Tokens[from:to] {
		word, is := wordOf(d.Text[t.Start:t.End])
		if !is {
			continue
		}
		if u := known.word(word); first || u.marked+u.plain < rarest.marked+rarest.plain {
			rarest, first = u, false
		}
	}
	switch {
	case rarest.marked == 0 && rarest.plain == 0:
		return Unseen
	case rarest.marked == 0:
		return Ordinary
	case rarest.plain > 0:
		return Ambiguous
	}
	return Known
}

// Words describe the reason of a miss, an alarm, or, with "", of either to people.
func (r Reason) Words(k Kind) string {
	switch k {
	case "":
		switch r {
		case Boundary:
			return "another boundary"
		case Relabel:
			return "another label"
		case Elsewhere:
			return "same text is right elsewhere in the note"
		}
	case Alarm:
		switch r {
		case Boundary:
			return "marked, but with another boundary"
		case Relabel:
			return "marked under another label"
		case Elsewhere:
			return "same text is marked elsewhere in the note"
		}
	}
	switch r {
	case Boundary:
		return "found, but with another boundary"
	case Relabel:
		return "found under another label"
	case Elsewhere:
		return "same text was found elsewhere in the note"
	case Form:
		return "number of a form never marked in training"
	case Unseen:
		return "word not seen in training"
	case Ordinary:
		return "word never marked in training"
	case Ambiguous:
		return "word marked in training, but not always"
	case Known:
		return "word or number always marked in training"
	case Untold:
		return "not told: it needs the notes that the model was trained on"
	}
	return string(r)
}

// use is how often documents have a word, or a form of numbers, inside and outside
// sensitive spans.
type use struct{ marked, plain int }

// vocabulary is the use of words in training documents. Words are runs of letters in
// folded case; the form of a span with digits is its text with each digit as 0 and each
// letter as a.
type vocabulary struct {
	words map[string]use
	forms map[string]int // spans of that form
}

func newVocabulary() *vocabulary { return &vocabulary{map[string]use{}, map[string]int{}} }

// learn adds a document.
func (v *vocabulary) learn(d Prediction) {
	gold := sorted(d.Spans)
	labels, _ := annotate.TokenLabels(d.Tokens, gold)
	for i, t := range d.Tokens {
		word, is := wordOf(d.Text[t.Start:t.End])
		if !is {
			continue
		}
		u := v.words[word]
		if labels[i] != "" {
			u.marked++
		} else {
			u.plain++
		}
		v.words[word] = u
	}
	for _, s := range gold {
		if form, is := formOf(s.Surface(d.Text)); is {
			v.forms[form]++
		}
	}
}

// seen is the training documents: all but those held out. The zero value stands for
// documents that are not known.
type seen struct{ all, held *vocabulary }

func (s seen) word(w string) use {
	all, held := s.all.words[w], s.held.words[w]
	return use{all.marked - held.marked, all.plain - held.plain}
}

func (s seen) form(f string) int { return s.all.forms[f] - s.held.forms[f] }

// wordOf is a token in the vocabulary's form; tokens without a letter are not words.
func wordOf(token string) (string, bool) {
	return fold(token), strings.ContainsFunc(token, unicode.IsLetter)
}

func fold(s string) string { return strings.ToLower(s) }

// formOf is the form of a text with digits.
func formOf(s string) (string, bool) {
	digits := false
	form := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			digits = true
			return '0'
		case unicode.IsLetter(r):
			return 'a'
		}
		return r
	}, s)
	return form, digits
}

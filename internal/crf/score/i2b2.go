// SPDX-License-Identifier: Apache-2.0

package score

import (
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
)

// I2B2 has the figures that the evaluation script of the i2b2-2014 de-identification
// task prints, under the script's names. Spans and tokens form sets, so a repeated
// prediction counts once.
//
//   - Strict: a span is right when start, end and label are.
//   - Relaxed: as strict, but ends may lie up to two characters apart.
//   - Token: each span is cut into runs of ASCII letters and digits, and a run is
//     right when start, end and label are. What a boundary cuts in two is two
//     different tokens. Punctuation and letters beyond ASCII are none, but a span
//     of nothing else counts as one.
//   - Binary: as strict or token, without the label.
//
// Micro sums over all documents. Macro is the mean of the documents' precisions and
// recalls. A ratio without denominator is 0, so a document without anything sensitive
// counts as 0. F1 is the harmonic mean of the two means.
//
// HIPAA has the same figures for only those spans, gold or predicted, whose label the
// task lists as protected by HIPAA (see [HIPAA]); nil if no span has one.
type I2B2 struct {
	I2B2Figures
	HIPAA *I2B2Figures `json:"hipaa,omitempty"`
}

// I2B2Figures are the script's ways of counting.
type I2B2Figures struct {
	Strict       I2B2Score `json:"strict"`
	Relaxed      I2B2Score `json:"relaxed"`
	Token        I2B2Score `json:"token"`
	BinaryStrict I2B2Score `json:"binary_strict"`
	BinaryToken  I2B2Score `json:"binary_token"`
}

// I2B2Score is one way of counting: over all documents together, and the mean over
// documents.
type I2B2Score struct {
	Micro Tally `json:"micro"`
	Macro Mean  `json:"macro"`
}

// HIPAA reports whether the task counts a label as protected by HIPAA, ignoring case.
// The list comes from the script. The script's own pattern for IDNUM ends in a blank
// and matches nothing; here IDNUM counts, as listed.
func HIPAA(l annotate.Label) bool {
	switch strings.ToUpper(string(l)) {
	case "PATIENT", "AGE", "CITY", "STREET", "ZIP", "ORGANIZATION", "DATE", "PHONE", "FAX", "EMAIL",
		"SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM":
		return true
	}
	return false
}

const (
	wayI2B2Strict       measure = "i2b2 strict"
	wayI2B2Relaxed      measure = "i2b2 relaxed"
	wayI2B2Token        measure = "i2b2 token"
	wayI2B2BinaryStrict measure = "i2b2 binary strict"
	wayI2B2BinaryToken  measure = "i2b2 binary token"
)

// onlyHIPAA and byDocument mark ways of i2b2: their HIPAA variant, and the
// account of means over documents.
func (w measure) onlyHIPAA() measure  { return w + ", HIPAA" }
func (w measure) byDocument() measure { return w + ", by document" }

// i2b2 records a document with the script's counts.
func (l *ledger) i2b2(group int, d Prediction, s sides) {
	same := func(w measure) measure { return w }
	l.i2b2Ways(group, d.Text, s, same)
	hipaa := sides{only(s.gold), only(s.predicted)}
	l.i2b2Ways(group, d.Text, hipaa, measure.onlyHIPAA)
}

func only(spans []annotate.Span) []annotate.Span {
	var out []annotate.Span
	for _, s := range spans {
		if HIPAA(s.Label) {
			out = append(out, s)
		}
	}
	return out
}

func (l *ledger) i2b2Ways(group int, text string, s sides, name func(measure) measure) {
	l.sets(group, name(wayI2B2Strict), s.gold, s.predicted)
	l.tallied(group, name(wayI2B2Relaxed), relaxed(text, s))
	l.sets(group, name(wayI2B2BinaryStrict), bare(s.gold), bare(s.predicted))
	gold, predicted := cut(text, s.gold), cut(text, s.predicted)
	l.sets(group, name(wayI2B2Token), gold, predicted)
	l.sets(group, name(wayI2B2BinaryToken), bare(gold), bare(predicted))
}

// sets records the agreement of two sets of spans.
func (l *ledger) sets(group int, w measure, gold, predicted []annotate.Span) {
	g, p := setOf(gold), setOf(predicted)
	t := Tally{FP: len(p), FN: len(g)}
	for s := range p {
		if g[s] {
			t.TP++
			t.FP--
			t.FN--
		}
	}
	l.tallied(group, w, t)
}

func setOf(spans []annotate.Span) map[annotate.Span]bool {
	set := make(map[annotate.Span]bool, len(spans))
	for _, s := range spans {
		set[s] = true
	}
	return set
}

// tallied adds one document to the micro and the macro figures.
func (l *ledger) tallied(group int, w measure, t Tally) {
	t = t.withRatios()
	l.add(group, account{w, anyLabel}, float64(t.TP), float64(t.FP), float64(t.FN))
	l.add(group, account{w.byDocument(), anyLabel}, t.Precision, t.Recall, 1)
}

// bare returns the spans without their labels.
func bare(spans []annotate.Span) []annotate.Span {
	out := make([]annotate.Span, len(spans))
	for i, s := range spans {
		out[i] = annotate.Span{Start: s.Start, End: s.End}
	}
	return out
}

// cut splits spans into the script's tokens. A span without tokens becomes one empty
// token at its end.
func cut(text string, spans []annotate.Span) []annotate.Span {
	var out []annotate.Span
	for _, s := range spans {
		before := len(out)
		for at := s.Start; at < s.End; at++ {
			from := at
			for at < s.End && alphanumeric(text[at]) {
				at++
			}
			if at > from {
				out = append(out, annotate.Span{Start: from, End: at, Label: s.Label})
			}
		}
		if len(out) == before {
			out = append(out, annotate.Span{Start: s.End, End: s.End, Label: s.Label})
		}
	}
	return out
}

func alphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// slack is the maximum distance of ends, in characters, in the relaxed way.
const slack = 2

// relaxed pairs gold spans, which start in different places, with predictions of the
// same start and label whose end is within slack.
func relaxed(text string, s sides) Tally {
	type head struct {
		start annotate.ByteOff
		label annotate.Label
	}
	ends := map[head][]annotate.ByteOff{}
	for p := range setOf(s.predicted) {
		h := head{p.Start, p.Label}
		ends[h] = append(ends[h], p.End)
	}
	t := Tally{FP: len(setOf(s.predicted))}
	for _, g := range s.gold {
		near := false
		for _, end := range ends[head{g.Start, g.Label}] {
			if charactersBetween(text, g.End, end) <= slack {
				near = true
				t.FP--
			}
		}
		if near {
			t.TP++
		} else {
			t.FN++
		}
	}
	return t
}

// charactersBetween is the number of characters between two places.
func charactersBetween(text string, a, b annotate.ByteOff) int {
	return utf8.RuneCountInString(text[min(a, b):max(a, b)])
}

func (b reportData) i2b2() I2B2 {
	same := func(w measure) measure { return w }
	out := I2B2{I2B2Figures: b.i2b2Figures(same)}
	if hipaa := b.i2b2Figures(measure.onlyHIPAA); hipaa.Strict.Micro.TP+hipaa.Strict.Micro.FP+hipaa.Strict.Micro.FN > 0 {
		out.HIPAA = &hipaa
	}
	return out
}

func (b reportData) i2b2Figures(name func(measure) measure) I2B2Figures {
	return I2B2Figures{
		Strict: b.i2b2Score(name(wayI2B2Strict)), Relaxed: b.i2b2Score(name(wayI2B2Relaxed)), Token: b.i2b2Score(name(wayI2B2Token)),
		BinaryStrict: b.i2b2Score(name(wayI2B2BinaryStrict)), BinaryToken: b.i2b2Score(name(wayI2B2BinaryToken)),
	}
}

func (b reportData) i2b2Score(w measure) I2B2Score {
	out := I2B2Score{Micro: b.one(account{w, anyLabel})}
	c, known := b.accounts[account{w.byDocument(), anyLabel}]
	if !known {
		return out
	}
	precision := func(s sums) float64 { return s[c] / s[c+2] }
	recall := func(s sums) float64 { return s[c+1] / s[c+2] }
	f1 := func(s sums) float64 {
		p, r := precision(s), recall(s)
		if p+r == 0 {
			return 0
		}
		return 2 * p * r / (p + r)
	}
	out.Macro = b.mean(int(b.all[c+2]), []int{c}, precision, recall, f1)
	return out
}

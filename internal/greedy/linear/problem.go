// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"

	"hide/internal/annotate"
)

// Row is one sparse vector: Value[k] is at Index[k]. A nil Value means that all are 1.
// Indices are distinct.
type Row struct {
	Index []int32
	Value []float64
}

// dot is w.x
func (r Row) dot(w []float64) float64 {
	sum := 0.0
	if r.Value == nil {
		for _, i := range r.Index {
			sum += w[i]
		}
		return sum
	}
	for k, i := range r.Index {
		sum += w[i] * r.Value[k]
	}
	return sum
}

// add is w += step * x
func (r Row) add(step float64, w []float64) {
	if r.Value == nil {
		for _, i := range r.Index {
			w[i] += step
		}
		return
	}
	for k, i := range r.Index {
		w[i] += step * r.Value[k]
	}
}

// Problem asks for the w that minimises
//
//	P(w) = 1/2 |w|^2 + sum_i Cost[i] * loss(1 - y_i w.x_i),
//
// where y_i is 1 for Positive rows and -1 for others. There is no intercept: a caller
// adds a constant feature.
type Problem struct {
	Dim      int       // indices are below it
	Rows     []Row     // x
	Positive []bool    // per row
	Cost     []float64 // per row, above 0; nil means Options.C for all
}

func (p *Problem) check(o Options) error {
	if len(p.Positive) != len(p.Rows) || p.Cost != nil && len(p.Cost) != len(p.Rows) {
		return errors.New("rows, labels and costs differ in number")
	}
	if p.Dim < 0 || !(o.C > 0) || math.IsInf(o.C, 0) || !(o.Tolerance > 0) || o.Passes < 1 {
		return fmt.Errorf("%d dimensions, C %g, tolerance %g, %d passes: all must be positive numbers", p.Dim, o.C, o.Tolerance, o.Passes)
	}
	if o.Loss != Hinge && o.Loss != SquaredHinge {
		return fmt.Errorf("unknown loss %q", o.Loss)
	}
	for i, c := range p.Cost {
		if !(c > 0) || math.IsInf(c, 0) {
			return fmt.Errorf("row %d: its cost is %g; it must be a number above 0", i, c)
		}
	}
	last := make([]int, p.Dim) // 1 + the last row with the index
	for i, r := range p.Rows {
		if err := r.check(last, i+1); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// check marks the row's indices in last.
func (r Row) check(last []int, number int) error {
	if r.Value != nil && len(r.Value) != len(r.Index) {
		return errors.New("indices and values differ in number")
	}
	for _, i := range r.Index {
		if i < 0 || int(i) >= len(last) {
			return fmt.Errorf("index %d is outside %d dimensions", i, len(last))
		}
		if last[i] == number {
			return fmt.Errorf("index %d is there twice", i)
		}
		last[i] = number
	}
	for _, v := range r.Value {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errors.New("a value is not a finite number")
		}
	}
	return nil
}

// cost is C_i.
func (p *Problem) cost(i int, o Options) float64 {
	if p.Cost == nil {
		return o.C
	}
	return p.Cost[i]
}

func (p *Problem) sign(i int) float64 {
	if p.Positive[i] {
		return 1
	}
	return -1
}

// reader describes tokens. Surfaces are computed once. It is used by one goroutine at a
// time.
type reader struct {
	words map[string]word
	doc   []word // of the document being read
	gaps  []uint64
}

func newReader() *reader { return &reader{words: map[string]word{}} }

// open reads a document; describe then describes its tokens.
func (r *reader) open(v annotate.View) {
	r.doc, r.gaps = r.doc[:0], r.gaps[:0]
	for i := range v.Words {
		surface := v.Word(i)
		w, known := r.words[surface]
		if !known {
			w = newWord(surface)
			r.words[surface] = w
		}
		r.doc = append(r.doc, w)
		r.gaps = append(r.gaps, gap(v, i))
	}
}

// gap is what is before token i: nothing, space, or a line break. Documents without
// places have spaces everywhere.
func gap(v annotate.View, i int) uint64 {
	const glued, space, line = 1, 2, 3
	switch {
	case i == 0:
		return line
	case v.Tokens == nil:
		return space
	}
	between := v.Text[v.Tokens[i-1].End:v.Tokens[i].Start]
	switch {
	case between == "":
		return glued
	case strings.ContainsAny(between, "\n\r"):
		return line
	}
	return space
}

func (r *reader) at(i int) *word {
	if i < 0 || i >= len(r.doc) {
		return &edge
	}
	return &r.doc[i]
}

// describe appends the features of token i that need no history.
func (r *reader) describe(i int, to []feature) []feature {
	w := r.doc[i]
	to = append(to, w.own...)
	for offset := -3; offset <= 3; offset++ {
		if offset != 0 {
			n := r.at(i + offset)
			kind := uint64(offsets + 2*(offset+3))
			to = append(to, of(kind, n.lower), of(kind+1, n.brief))
		}
	}
	before, after := r.at(i-1), r.at(i+1)
	to = append(to, of(beforeKind, before.lower, w.lower), of(afterKind, w.lower, after.lower),
		of(shapesKind, before.brief, w.brief, after.brief), of(gapKind, r.gaps[i]))
	if i+1 < len(r.doc) {
		to = append(to, of(gapKind, r.gaps[i+1]+8))
	}
	return to
}

// past appends the features of the history: the labels of the two tokens before token i,
// alone and with the shape of token i.
func (r *reader) past(i int, before, twoBefore bool, to []feature) []feature {
	h := uint64(0)
	if before {
		h = 1
	}
	to = append(to, of(pastKind, h), of(pastShapeKind, h, r.doc[i].brief))
	if twoBefore {
		h += 2
	}
	return append(to, of(pastTwoKind, h))
}

// feature is the hash of an attribute and what kind of attribute it is.
type feature uint64

// The kinds of attributes. They are part of what a trained machine knows.
const (
	wordKind = iota + 1
	lowerKind
	shapeKind
	briefKind
	prefixKind
	suffixKind
	lengthKind
	gapKind
	beforeKind
	afterKind
	shapesKind
	pastKind
	pastTwoKind
	pastShapeKind
	doubtKind
	offsets // kinds above it are those of neighbours
)

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// of mixes a kind and hashes into one feature (the finisher of splitmix64, once
// for each part).
func of(kind uint64, parts ...uint64) feature {
	h := kind * 0x9e3779b97f4a7c15
	for _, p := range parts {
		h += p + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return feature(h)
}

// word is what a surface tells by itself.
type word struct {
	lower uint64    // hash of it in lower case
	brief uint64    // hash of its shape, runs collapsed
	own   []feature // of the token itself
}

// edge stands before and after a document.
var edge = word{lower: 1, brief: 1}

func newWord(surface string) word {
	lower := strings.ToLower(surface)
	full, brief := shape(surface)
	w := word{lower: hash(lower), brief: hash(brief)}
	letters := []rune(lower)
	w.own = []feature{of(wordKind, hash(surface)), of(lowerKind, w.lower), of(shapeKind, hash(full)), of(briefKind, w.brief),
		of(lengthKind, uint64(min(len(letters), 12)))}
	for n := 1; n <= 4 && n < len(letters); n++ {
		w.own = append(w.own, of(prefixKind, hash(string(letters[:n]))), of(suffixKind, hash(string(letters[len(letters)-n:]))))
	}
	return w
}

// shape writes A for capitals, a for other letters, 0 for digits; brief has each
// run once. Only the first 32 characters of a word count.
func shape(surface string) (full, brief string) {
	var f, b []rune
	for _, r := range surface {
		if len(f) == 32 {
			break
		}
		c := class(r)
		if len(f) == 0 || f[len(f)-1] != c {
			b = append(b, c)
		}
		f = append(f, c)
	}
	return string(f), string(b)
}

func class(r rune) rune {
	switch {
	case unicode.IsUpper(r):
		return 'A'
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return 'a'
	case unicode.IsDigit(r):
		return '0'
	}
	return r
}

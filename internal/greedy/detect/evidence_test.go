// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
)

// witnessed are a few documents of few words in groups, with tokens hidden, scores of two
// base learners, and dense columns of small numbers.
func witnessed(r *rand.Rand, width int) []*evidence {
	docs := make([]*evidence, 1+r.IntN(6))
	for i := range docs {
		words := make([]string, r.IntN(20))
		v := annotate.View{Note: &annotate.Note{Words: words, Group: fmt.Sprint(r.IntN(3))}}
		if r.IntN(3) > 0 {
			v.Redacted = make([]bool, len(words))
		}
		said := [][]float64{make([]float64, len(words)), make([]float64, len(words))}
		for t := range words {
			words[t] = []string{"Ana", "ana", "ANA", "ruiz", "[NAME]", "É", "é", "."}[r.IntN(8)]
			if v.Redacted != nil {
				v.Redacted[t] = r.IntN(4) == 0
			}
			said[0][t], said[1][t] = r.NormFloat64(), r.NormFloat64()
		}
		x := make(boost.Matrix, width)
		for c := range x {
			for range words {
				x[c] = append(x[c], float32(r.IntN(4)))
			}
		}
		docs[i] = newEvidence(v, said, x)
	}
	return docs
}

// elsewhereOf is the highest, the mean and the number of the mean log-odds of a word's
// visible tokens in the places that are asked for.
func elsewhereOf(docs []*evidence, word string, asked func(doc, t int) bool) []float64 {
	highest, sum, n := math.Inf(-1), 0.0, 0.0
	for i, d := range docs {
		for t := range d.Words {
			if !d.Hidden(t) && strings.ToLower(d.Word(t)) == word && asked(i, t) {
				f := d.mean()[t]
				highest, sum, n = max(highest, f), sum+f, n+1
			}
		}
	}
	if n == 0 {
		return []float64{math.NaN(), math.NaN(), 0}
	}
	return []float64{highest, sum / n, n}
}

// TestSecondColumnsAreThoseOfTheirDefinitions counts each word anew for each token.
func TestSecondColumnsAreThoseOfTheirDefinitions(t *testing.T) {
	width := dense.Flags()[0]
	for _, c := range dense.Flags() {
		width = max(width, c+1)
	}
	width += 10
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		docs, parts := witnessed(r, width), CRF|Trees|SecondStage
		for _, p := range []Parts{Neighbours, Document, Group, Corpus} {
			if r.IntN(3) > 0 {
				parts |= p
			}
		}
		b := newBatch(parts, docs)
		for i, d := range docs {
			x, row := b.columns(i), 0
			if len(x) != secondColumns(parts) {
				t.Fatalf("seed %d: %d columns, want %d", seed, len(x), secondColumns(parts))
			}
			for at := range d.Words {
				if d.Hidden(at) {
					continue
				}
				for c, want := range secondRow(parts, docs, i, at) {
					got := float64(x[c][row])
					if same := got == want || math.Abs(got-want) < 1e-5 || got != got && want != want; !same {
						t.Fatalf("seed %d, document %d, token %d, column %d: %g, want %g", seed, i, at, c, got, want)
					}
				}
				row++
			}
			if rows := x.Rows(); rows != row {
				t.Fatalf("seed %d, document %d: %d rows of %d visible tokens", seed, i, rows, row)
			}
		}
	}
}

// secondRow are the columns of a visible token.
func secondRow(parts Parts, docs []*evidence, doc, at int) []float64 {
	d := docs[doc]
	word := strings.ToLower(d.Word(at))
	var row []float64
	for _, f := range d.logOdds {
		for t := at - 3; t <= at+3; t++ {
			switch {
			case t != at && !parts.has(Neighbours):
			case t < 0 || t >= len(f):
				row = append(row, math.NaN())
			case d.Hidden(t):
				row = append(row, mostOdds)
			default:
				row = append(row, f[t])
			}
		}
	}
	if parts.has(Document) {
		row = append(row, elsewhereOf(docs, word, func(i, t int) bool { return i == doc && t != at })...)
	}
	if parts.has(Group) {
		row = append(row, elsewhereOf(docs, word, func(i, _ int) bool { return i != doc && docs[i].Group == d.Group })...)
	}
	if parts.has(Corpus) {
		row = append(row, elsewhereOf(docs, word, func(i, _ int) bool { return docs[i].Group != d.Group })...)
	}
	for _, c := range d.flags {
		row = append(row, float64(c[at]))
	}
	return row
}

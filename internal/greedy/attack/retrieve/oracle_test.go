// SPDX-License-Identifier: Apache-2.0

package retrieve_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hide/internal/greedy/attack/retrieve"
)

// text is how often a word occurs in a text.
type text map[string]float64

func textOf(words []string) text {
	t := text{}
	for _, w := range words {
		t[w]++
	}
	return t
}

func (t text) size() float64 {
	n := 0.0
	for _, times := range t {
		n += times
	}
	return n
}

// meanOf is the mean of the texts that have words, nil if none has.
func meanOf(texts []text) text {
	sum, n := text{}, 0.0
	for _, t := range texts {
		if len(t) == 0 {
			continue
		}
		n++
		for w, times := range t {
			sum[w] += times
		}
	}
	if n == 0 {
		return nil
	}
	for w := range sum {
		sum[w] /= n
	}
	return sum
}

// collected are the profiles of all patients for one note, whose original is left out.
func collected(note retrieve.Released, known []retrieve.Known, k retrieve.Knowledge) []text {
	out := make([]text, len(known))
	for p, of := range known {
		if k == retrieve.Table {
			out[p] = meanOf([]text{textOf(of.Table)})
			continue
		}
		var texts []text
		for _, n := range of.Notes {
			if of.Patient != note.Patient || note.Note == "" || n.Name != note.Note {
				texts = append(texts, textOf(n.Words))
			}
		}
		out[p] = meanOf(texts)
	}
	return out
}

// scoresOf are the textbook formulas, one patient and one word at a time.
func scoresOf(note retrieve.Released, profiles []text, r retrieve.Ranker) []float64 {
	n, sum, having := 0.0, 0.0, text{}
	for _, d := range profiles {
		if d != nil {
			n, sum = n+1, sum+d.size()
		}
		for w := range d {
			having[w]++
		}
	}
	out := make([]float64, len(profiles))
	for p, d := range profiles {
		if d == nil {
			out[p] = math.Inf(-1)
			continue
		}
		for _, w := range note.Words { // each time that it occurs
			switch {
			case having[w] == 0:
			case r == retrieve.Bayes:
				out[p] += math.Log((d[w] + 1) / (d.size() + float64(len(having))))
			default:
				idf := math.Log(1 + (n-having[w]+.5)/(having[w]+.5))
				out[p] += idf * d[w] * 2.2 / (d[w] + 1.2*(1-.75+.75*d.size()/(sum/n)))
			}
		}
	}
	return out
}

// standardized are z-scores of the finite scores, 0 for the others.
func standardized(scores []float64) []float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, s := range scores {
		if !math.IsInf(s, -1) {
			n, sum = n+1, sum+s
		}
	}
	for _, s := range scores {
		if !math.IsInf(s, -1) {
			squares += (s - sum/n) * (s - sum/n)
		}
	}
	out := make([]float64, len(scores))
	for p, s := range scores {
		if sd := math.Sqrt(squares / n); !math.IsInf(s, -1) && sd > 1e-9 {
			out[p] = (s - sum/n) / sd
		}
	}
	return out
}

// expected is the probability of the true patient among the first k, found by counting who
// is better, equal within rounding, and worse.
func expected(scores []float64, own, k int) float64 {
	better, equal := 0, 0
	for _, s := range scores {
		switch {
		case s == scores[own], math.Abs(s-scores[own]) < 1e-9:
			equal++
		case s > scores[own]:
			better++
		}
	}
	hits := 0
	for place := better; place < better+equal; place++ { // each place of the tie is equally likely
		if place < k {
			hits++
		}
	}
	return float64(hits) / float64(equal)
}

func randomCorpus(random *rand.Rand, patients int) ([]retrieve.Released, []retrieve.Known) {
	words := func(most int) []string {
		var out []string
		for range random.IntN(most + 1) {
			out = append(out, fmt.Sprint("w", int(math.Abs(random.NormFloat64())*6)))
		}
		return out
	}
	var released []retrieve.Released
	var known []retrieve.Known
	for p := range patients {
		k := retrieve.Known{Patient: fmt.Sprint("p", p), Table: words(4)}
		for n := range random.IntN(4) {
			note := retrieve.Note{Name: fmt.Sprint(n), Words: words(12)}
			k.Notes = append(k.Notes, note)
			released = append(released, retrieve.Released{Patient: k.Patient, Note: note.Name, Words: append(words(2), note.Words[len(note.Words)/3:]...)})
		}
		known = append(known, k)
	}
	return append(released, retrieve.Released{Patient: "p0", Words: words(5)}), known
}

func TestScoresAreThoseOfTheTextbook(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	rows := 0
	for trial := range 150 {
		released, known := randomCorpus(random, 2+random.IntN(14))
		for i, row := range run(t, released, known).Rows {
			top1, top10 := 0.0, 0.0
			for _, note := range released {
				scores := oracle(note, known, row)
				own := 0
				for p := range known {
					if known[p].Patient == note.Patient {
						own = p
					}
				}
				top1, top10 = top1+expected(scores, own, 1), top10+expected(scores, own, 10)
			}
			if math.Abs(row.Top1.Hits-top1) > 1e-9 || math.Abs(row.Top10.Hits-top10) > 1e-9 {
				t.Errorf("corpus %d, row %d, %s by %s: %v and %v, not %v and %v", trial, i, row.Knowledge, row.Ranker, row.Top1.Hits, row.Top10.Hits, top1, top10)
			}
			rows++
		}
	}
	if rows < 600 {
		t.Errorf("only %d rows were compared", rows)
	}
}

func oracle(note retrieve.Released, known []retrieve.Known, row retrieve.Row) []float64 {
	if row.Knowledge != retrieve.Both {
		return scoresOf(note, collected(note, known, row.Knowledge), row.Ranker)
	}
	table := scoresOf(note, collected(note, known, retrieve.Table), row.Ranker)
	notes := scoresOf(note, collected(note, known, retrieve.Siblings), row.Ranker)
	z1, z2 := standardized(table), standardized(notes)
	out := make([]float64, len(known))
	for p := range out {
		out[p] = z1[p] + z2[p]
		if math.IsInf(table[p], -1) && math.IsInf(notes[p], -1) {
			out[p] = math.Inf(-1)
		}
	}
	return out
}

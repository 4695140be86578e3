// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"cmp"
	"math"
	"slices"
)

// A training note resembles the other training notes more than a note of another
// institution will. So learners also see each note as such a stranger would be seen: by what
// was learnt from notes that differ from it as much as possible, and are of other patients.
// Documents are divided twice, into two sides that differ and into two halves of the
// patients, and what describes a document as a stranger comes from the opposite quarter.

// Quarters returns the quarter of each document, from 0 to 3. [Opposite] quarters have no
// group in common, and differ in source, or else in their frequent words.
func (c *Corpus) Quarters() []int { return c.quarters }

// Quarters is their number.
const Quarters = 4

// Opposite is the quarter whose documents are on the other side and of other groups.
func Opposite(quarter int) int { return Quarters - 1 - quarter }

// divide computes the quarters.
func (c *Corpus) divide() {
	c.quarters = make([]int, len(c.docs))
	half := map[string]int{}
	for i, side := range c.sides() {
		group := c.docs[i].group
		h, known := half[group]
		if !known {
			h = len(half) % 2
			half[group] = h
		}
		c.quarters[i] = side + 2*h
	}
}

// sides are 0 and 1, cut at the median token along the first principal component of the
// documents' frequent words. Documents of a source are cut by the mean of their source
// first, so that sources stay together where sizes allow it.
func (c *Corpus) sides() []int {
	at := newTopics(c).component()
	sum, n := map[string]float64{}, map[string]float64{}
	for i, d := range c.docs {
		sum[d.source] += at[i]
		n[d.source]++
	}
	order, tokens := make([]int, len(at)), 0
	for i, d := range c.docs {
		order[i] = i
		tokens += d.tokens()
	}
	slices.SortStableFunc(order, func(a, b int) int {
		p, q := c.docs[a].source, c.docs[b].source
		return cmp.Or(cmp.Compare(sum[p]/n[p], sum[q]/n[q]), cmp.Compare(p, q), cmp.Compare(at[a], at[b]))
	})
	side, before := make([]int, len(at)), 0
	for _, i := range order {
		if 2*before >= tokens {
			side[i] = 1
		}
		before += c.docs[i].tokens()
	}
	return side
}

// topics are the documents as vectors of unit length over terms: words, and the forms of
// what follows them, that several groups have. Labels play no part.
type topics struct {
	terms   [][]int32   // by document, numbers of terms
	weights [][]float64 // of these: log(documents / documents with the term), scaled
	mean    []float64   // by term, over the documents
}

// leastDocuments is how many documents have a term.
const leastDocuments = 3

func newTopics(c *Corpus) *topics {
	number, documents := c.terms()
	t := &topics{make([][]int32, len(c.docs)), make([][]float64, len(c.docs)), make([]float64, len(documents))}
	for i := range c.docs {
		squares := 0.0
		for _, k := range c.docs[i].topicKeys() {
			if n := number[k]; n >= 0 {
				w := math.Log(float64(len(c.docs)) / float64(documents[n]))
				t.terms[i], t.weights[i] = append(t.terms[i], n), append(t.weights[i], w)
				squares += w * w
			}
		}
		for j := range t.weights[i] {
			t.weights[i][j] /= math.Sqrt(squares) + 1e-9
			t.mean[t.terms[i][j]] += t.weights[i][j] / float64(len(c.docs))
		}
	}
	return t
}

// terms numbers the keys that are terms, -1 for others, and counts their documents.
func (c *Corpus) terms() (number []int32, documents []int32) {
	seen, group := make([]int32, len(c.hashes)), make([]int32, len(c.hashes))
	of := map[string]int32{}
	for i := range c.docs {
		g, known := of[c.docs[i].group]
		if !known {
			g = int32(len(of)) + 1
			of[c.docs[i].group] = g
		}
		for _, k := range c.docs[i].topicKeys() {
			seen[k]++
			switch group[k] {
			case 0:
				group[k] = g
			case g:
			default:
				group[k] = -1
			}
		}
	}
	number = group
	for k, g := range group {
		if number[k] = -1; g == -1 && seen[k] >= leastDocuments {
			number[k] = int32(len(documents))
			documents = append(documents, seen[k])
		}
	}
	return number, documents
}

// topicKeys are the different keys of a document's visible tokens that can be terms.
func (d *document) topicKeys() []int32 {
	var out []int32
	for t := range d.words {
		if !d.hidden(t) {
			out = append(out, d.keys[t*keys+keyLower], d.keys[t*keys+keyBlurAfter])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// powerSteps is the number of steps of the power iteration: where the two largest components
// are alike, any direction between them divides as well.
const powerSteps = 30

// component is the first principal component of the documents, by power iteration.
func (t *topics) component() []float64 {
	x, axis := make([]float64, len(t.terms)), make([]float64, len(t.mean))
	for i := range x {
		x[i] = math.Sin(float64(i + 1)) // any start that no component is orthogonal to
	}
	for range powerSteps {
		t.project(x, axis)
		squares, offset := 0.0, 0.0
		for k := range axis {
			offset += axis[k] * t.mean[k]
		}
		for i := range x {
			x[i] = -offset
			for j, k := range t.terms[i] {
				x[i] += axis[k] * t.weights[i][j]
			}
			squares += x[i] * x[i]
		}
		for i := range x {
			x[i] /= math.Sqrt(squares) + 1e-12
		}
	}
	return x
}

// project makes axis the sum of the centred documents times x.
func (t *topics) project(x, axis []float64) {
	clear(axis)
	sum := 0.0
	for i := range x {
		sum += x[i]
		for j, k := range t.terms[i] {
			axis[k] += x[i] * t.weights[i][j]
		}
	}
	for k := range axis {
		axis[k] -= sum * t.mean[k]
	}
}

// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"math/rand/v2"
	"slices"
)

// Advised is a document to annotate.
type Advised struct {
	At     int  // its place
	Random bool // drawn at random, so that what it shows holds for others
}

// ToAnnotate advises n of the target documents to annotate first. Every second one, from the
// first on, is drawn at random. The others are the most useful of the rest. Each has the
// greatest
//
//	doubt * (1 + uncovered) / (1 + new) / (1 + c/e)
//
// doubt is the expected number of sensitive tokens in the text kept. new counts the words and
// line heads of the document that no reference document has, each as many times as target
// documents have it; uncovered counts those that no chosen document has. c documents of its
// type are chosen, and n documents have e of it if they have the types of the target. The
// first of equal documents is chosen.
func ToAnnotate(reference, target []Profile, n int, seed uint64) []Advised {
	n = min(n, len(target))
	order := rand.New(rand.NewPCG(seed, streamAnnotate)).Perm(len(target))
	drawn, others := order[:(n+1)/2], slices.Sorted(slices.Values(order[(n+1)/2:]))
	rest := make([]Profile, len(others))
	for i, at := range others {
		rest[i] = target[at]
	}
	chosen := useful(reference, rest, n-len(drawn))
	var out []Advised
	for i, at := range drawn {
		if out = append(out, Advised{at, true}); i < len(chosen) {
			out = append(out, Advised{others[chosen[i]], false})
		}
	}
	return out
}

const streamAnnotate = 3 // of the seeded generator

// useful are the most useful n of the target documents, the most useful one first.
func useful(reference, target []Profile, n int) []int {
	c := newChooser(reference, target, n)
	var out []int
	for range min(n, len(target)) {
		best, most := -1, -1.0
		for i := range target {
			if c.chosen[i] {
				continue
			}
			if v := c.value(i); v > most {
				best, most = i, v
			}
		}
		c.choose(best)
		out = append(out, best)
	}
	return out
}

type chooser struct {
	target []Profile
	n      int
	chosen []bool
	terms  [][]uint64         // new to the reference, of each target document
	weight map[uint64]float64 // of a term: the target documents that have it; 0 if a chosen document has it
	novel  []float64          // uncovered before the first choice
	kinds  map[string]int     // target documents
	taken  map[string]int     // chosen documents
}

func newChooser(reference, target []Profile, n int) *chooser {
	c := &chooser{target: target, n: n, chosen: make([]bool, len(target)), terms: make([][]uint64, len(target)), novel: make([]float64, len(target)),
		weight: map[uint64]float64{}, kinds: map[string]int{}, taken: map[string]int{}}
	known := map[uint64]bool{}
	for _, p := range reference {
		for _, term := range p.terms() {
			known[term] = true
		}
	}
	for i, p := range target {
		c.kinds[p.Kind]++
		c.terms[i] = slices.DeleteFunc(p.terms(), func(term uint64) bool { return known[term] })
		for _, term := range c.terms[i] {
			c.weight[term]++
		}
	}
	for i := range target {
		c.novel[i] = c.uncovered(i)
	}
	return c
}

// terms are the words and the line heads; a word that is a line head counts twice.
func (p *Profile) terms() []uint64 {
	out := slices.Clone(p.words)
	for _, h := range p.heads {
		out = append(out, ^h)
	}
	return out
}

func (c *chooser) value(i int) float64 {
	p := &c.target[i]
	expected := float64(c.n) * float64(c.kinds[p.Kind]) / float64(len(c.target))
	return p.Doubt * (1 + c.uncovered(i)) / (1 + c.novel[i]) / (1 + float64(c.taken[p.Kind])/expected)
}

func (c *chooser) uncovered(i int) (sum float64) {
	for _, term := range c.terms[i] {
		sum += c.weight[term]
	}
	return sum
}

func (c *chooser) choose(i int) {
	c.chosen[i] = true
	c.taken[c.target[i].Kind]++
	for _, term := range c.terms[i] {
		c.weight[term] = 0
	}
}

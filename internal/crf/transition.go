// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"math"

	"hide/internal/crf/kernel"
)

// connect looks which transitions the documents have.
func (p *pass[F]) connect(o Options) {
	d := p.data
	p.observed = observed(d)
	if p.frozen = d.frozen; p.frozen == nil {
		p.frozen = make([]bool, len(p.observed))
		for i, n := range p.observed {
			p.frozen[i] = o.Pairs == Observed && n == 0
		}
	}
	p.transitions = kernel.NewSparseTransitions[F](d.layout, func(from, to int) bool {
		arc := d.states.arc(from, to)
		return arc >= 0 && !p.frozen[arc]
	})
	for state := range p.places {
		if d.states.isAbsent(state) {
			p.transitions.Exclude(state)
		}
	}
}

func observed(d *dataset) []float64 {
	n := d.states.count()
	met := make([]int32, n*n)
	for i := range len(d.docs) - 1 {
		for t := d.docs[i] + 1; t < d.docs[i+1]; t++ {
			met[int(d.gold[t-1])*n+int(d.gold[t])]++
		}
	}
	counts := make([]float64, d.states.transitions())
	for i, times := range met {
		if times > 0 {
			counts[d.states.arc(i/n, i%n)] = float64(times)
		}
	}
	return counts
}

// setTransitions hands exp(w) to the kernel and remembers what w that is, exactly:
// the gold path must be scored by the same numbers as all the others.
func (p *pass[F]) setTransitions(w []F) {
	p.data.states.each(func(from, to, arc int) {
		v := F(math.Exp(min(max(float64(w[arc]), -steepest), steepest)))
		p.transitions.Set(from, to, float64(v))
		p.scores[arc] = math.Log(float64(v))
	})
}

// steepest bounds a transition's weight during training; float32 holds exp(80).
const steepest = 80

// goldTransitions is the score of the transitions of all gold paths.
func (p *pass[F]) goldTransitions() float64 {
	sum := 0.0
	for arc, n := range p.observed {
		if n != 0 {
			sum += n * p.scores[arc]
		}
	}
	return sum
}

// transitionGradient fills the transitions' part of the gradient.
func (p *pass[F]) transitionGradient(w, gradient []F) {
	p.data.states.each(func(from, to, arc int) {
		if p.frozen[arc] {
			gradient[arc] = 0
			return
		}
		sum := 0.0
		for _, expected := range p.expected {
			sum += expected.At(from, to)
		}
		gradient[arc] = F(sum*math.Exp(p.scores[arc]) - p.observed[arc] + 2*p.c2*float64(w[arc]))
	})
}

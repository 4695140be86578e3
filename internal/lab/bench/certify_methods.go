// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"hide/internal/greedy"
	"hide/internal/greedy/audit"
)

// certifyMethod is a way to bound the leaking passages.
type certifyMethod struct {
	name   string
	recall float64
	bound  func(random *rand.Rand) outcome
}

// certifyRecalls are those of the simulated readers.
var certifyRecalls = []float64{1, .95, .9, .8}

func (b *certifyBench) methods() []certifyMethod {
	out := []certifyMethod{{"forecast", 0, b.forecast}, {"document audit", 1, func(r *rand.Rand) outcome { return b.documentAudit(r, b.published.leaking) }},
		{"document audit, tokens", 1, func(r *rand.Rand) outcome { return b.documentAudit(r, b.published.tokens) }}}
	for _, m := range []sessionOf{{name: "m1"}, {name: "strata", doubtful: true}, {name: "any time", anytime: true}, {name: "strata, any time", doubtful: true, anytime: true}} {
		out = append(out, b.session(m, 1))
	}
	for _, m := range []sessionOf{{name: "m1, plants", planted: true}, {name: "strata, plants", planted: true, doubtful: true}, {name: "any time, plants", planted: true, anytime: true}} {
		for _, recall := range certifyRecalls {
			out = append(out, b.session(m, recall))
		}
	}
	return out
}

// forecast counts leaks in a random half of the finished notes and forecasts those of the
// other half; or, with other notes to train on, those of the publication.
func (b *certifyBench) forecast(random *rand.Rand) outcome {
	f := b.finished
	order := random.Perm(len(f.groups))
	counted, rest := order[:len(order)/2], order[len(order)/2:]
	perGroup, sensitive, worst := make([]float64, len(counted)), 0, []float64{}
	documents := 0
	for i, g := range counted {
		for _, d := range f.groups[g] {
			perGroup[i] += float64(f.leaking[d])
			sensitive += f.sensitive[d]
			worst = append(worst, float64(f.sensitive[d]))
			documents++
		}
	}
	slices.Sort(worst)
	e := greedy.Forecast(perGroup, worst[(95*len(worst)+99)/100-1], sensitive, random.Uint64())
	if b.finished != b.published {
		return outcome{bound: e.Times(float64(len(b.published.leaking)) / float64(documents)).AtMost, truth: float64(total(b.published.leaking))}
	}
	truth, others := 0, 0
	for _, g := range rest {
		for _, d := range f.groups[g] {
			truth += f.leaking[d]
			others++
		}
	}
	return outcome{bound: e.Times(float64(others) / float64(documents)).AtMost, truth: float64(truth)}
}

// documentAudit reads whole documents, one in three of them the most doubtful, and counts
// something in them.
func (b *certifyBench) documentAudit(random *rand.Rand, counts []int) outcome {
	p, seed := b.published, random.Uint64()
	selected := b.documentsRead / 3
	plan := audit.Draw(p.doubts, b.documentsRead-selected, selected, seed)
	found := func(which []int) []int {
		out := make([]int, len(which))
		for i, d := range which {
			out[i] = counts[d]
		}
		return out
	}
	r := audit.Count(len(counts), found(plan.Random), found(plan.Selected), seed)
	return outcome{bound: r.Remaining.AtMost, truth: float64(total(counts))}
}

// sessionOf says how passages are read.
type sessionOf struct {
	name                       string
	doubtful, anytime, planted bool
}

// session reads passages with as many words as the documents; a third of them are the most
// doubtful, if the method has them. With plants it reads at least two for each plant.
func (b *certifyBench) session(m sessionOf, recall float64) certifyMethod {
	return certifyMethod{m.name, recall, func(random *rand.Rand) outcome {
		read, selected := b.passagesRead, 0
		if m.planted {
			read = b.plantedRead
		}
		if m.doubtful {
			selected = read / 3
		}
		p := b.published
		doubtful, others := audit.Doubtful(p.doubt, selected)
		var secret [32]byte
		binary.BigEndian.PutUint64(secret[:], random.Uint64())
		order := audit.Order(audit.Seed(secret, "1"), others)[:min(read-selected, len(others))]
		r := audit.Reading{Alpha: audit.Alpha, Anytime: m.anytime, Planned: len(order), Documents: audit.Units{Total: p.units}}
		documents := map[int]bool{}
		answers := func(all int, passages []int) audit.Stratum {
			s := audit.Stratum{Passages: all, Read: len(passages)}
			for i, at := range passages {
				if p.leaks[at] && random.Float64() < recall {
					s.Found, documents[p.document[at]] = append(s.Found, i+1), true
				}
			}
			return s
		}
		r.Doubtful, r.Random = answers(len(doubtful), doubtful), answers(len(others), order)
		r.Documents.Found = len(documents)
		if m.planted {
			r.Plants = plantsCaught(random, min(b.o.Plants, len(doubtful)+len(order)), recall)
		}
		return outcomeOf(r, total(p.leaking))
	}}
}

func plantsCaught(random *rand.Rand, n int, recall float64) audit.PlantCount {
	out := audit.PlantCount{Planned: n, Read: n}
	for range n {
		if random.Float64() < recall {
			out.Caught++
		}
	}
	return out
}

func outcomeOf(r audit.Reading, truth int) outcome {
	c := audit.Certify(r)
	return outcome{bound: float64(c.Bound), truth: float64(truth), refused: c.Refusal != ""}
}

// SPDX-License-Identifier: Apache-2.0

package links

import (
	"cmp"
	"math"
	"slices"
)

// question is a pair that a person should decide about.
type question struct {
	scoredPair
	status Status
}

// sureBridge is the probability from which a bridge is beyond doubt.
const sureBridge = .999

// questions are the pairs to review: bridges first, then conflicts, then those nearest to even odds.
//
// A pair is asked about if its probability is from floor to 1-floor, unless its two records are
// joined, or kept apart, by surer pairs. Of the pairs between two groups of surely linked records
// only the most likely is asked about: one answer settles all.
//
// Two records of a patient with different birth dates are asked about however likely they are: a
// father and a son may share all the rest. Who said of a record that it is the same person all
// the same is not asked about it again.
func (g *groups) questions(floor float64) []question {
	sure := g.sure(floor)
	bridges := g.bridges(g.linkedPairs())
	split := map[[2]int]bool{}
	for _, p := range g.splits {
		split[[2]int{p.a, p.b}] = true
	}
	settled := g.settledConflicts()
	asked := map[[2]int]bool{}
	var all []question
	for _, p := range g.pairs {
		pair := [2]int{p.a, p.b}
		a, b := sure.root[p.a], sure.root[p.b]
		if _, is := g.decided[pair]; is || p.odds < oddsOf(floor) {
			continue
		}
		q := question{p, Uncertain}
		switch {
		case bridges[pair] && probability(p.odds) < sureBridge:
			q.status = Bridge
		case p.conflict && a == b && !asked[[2]int{a, b}] && !settled[p.a] && !settled[p.b]:
			q.status = Conflict
		case a == b || sure.isApart(a, b) || asked[[2]int{min(a, b), max(a, b)}]:
			continue
		case split[pair]:
			q.status = Split
		case probability(p.odds) > 1-floor:
			continue
		}
		asked[[2]int{min(a, b), max(a, b)}] = true
		all = append(all, q)
	}
	slices.SortStableFunc(all, func(x, y question) int {
		return cmp.Or(order[x.status]-order[y.status], cmp.Compare(math.Abs(x.odds), math.Abs(y.odds)))
	})
	return all
}

// order is that of the states in the queue.
var order = map[Status]int{Bridge: 0, Conflict: 1, Split: 2, Uncertain: 3}

// settledConflicts are the records of pairs with different birth dates that people said are the
// same person.
func (g *groups) settledConflicts() map[int]bool {
	out := map[int]bool{}
	for _, p := range g.pairs {
		if p.conflict && g.decided[[2]int{p.a, p.b}] {
			out[p.a], out[p.b] = true, true
		}
	}
	return out
}

// sure are the groups that decisions and pairs beyond doubt make, within the patients.
func (g *groups) sure(floor float64) *groups {
	var pairs []scoredPair
	for _, p := range g.pairs {
		if g.root[p.a] == g.root[p.b] {
			pairs = append(pairs, p)
		}
	}
	n := &network{records: g.records, pairs: pairs, odds: g.odds, decided: g.decided, link: 1 - floor, like: g.like}
	return n.group()
}

// count fills in the figures that links, decisions and thresholds change.
func (g *groups) count(f *Figures, below float64) {
	f.Records, f.Patients, f.Decided, f.Link = g.records, g.patients(), len(g.decided), g.link
	f.Links, f.False, f.Missed = 0, 0, f.Unseen+below
	for _, p := range g.linkedPairs() {
		f.Links++
		if _, is := g.decided[[2]int{p.a, p.b}]; !is {
			f.False += 1 - probability(p.odds)
		}
	}
	for _, p := range g.near(0) {
		f.Missed += probability(p.odds)
	}
	right := float64(f.Links) - f.False
	f.Precision, f.Recall = share(right, float64(f.Links)), share(right, right+f.Missed)
}

// share is a part of a whole; all of nothing is 1.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 1
	}
	return part / whole
}

// near are the most likely pairs of records of two patients, one for each two patients, that
// nobody said are different people.
func (g *groups) near(from float64) (all []scoredPair) {
	seen := map[[2]int]bool{}
	least := math.Inf(-1)
	if from > 0 {
		least = oddsOf(from)
	}
	for _, p := range g.pairs {
		a, b := g.root[p.a], g.root[p.b]
		key := [2]int{min(a, b), max(a, b)}
		if p.odds < least {
			break
		}
		if a == b || seen[key] {
			continue
		}
		seen[key] = true
		if !g.isApart(a, b) {
			all = append(all, p)
		}
	}
	return all
}

// thresholds are the probabilities whose links are counted after a run.
var thresholds = []float64{.05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .98, .99, .999}

// threshold says what a threshold gives.
func (n *network) threshold(link, unseen, below float64) Threshold {
	m := *n
	m.link = link
	f := Figures{Unseen: unseen}
	m.group().count(&f, below)
	return Threshold{Link: link, Links: f.Links, False: f.False, Missed: f.Missed, Precision: f.Precision, Recall: f.Recall, Patients: f.Patients}
}

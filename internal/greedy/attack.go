// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"context"
	"slices"

	"hide/internal/annotate"
)

// attacker is the papers' attacker on P(H): the classifier with the fewest errors on the
// training documents under the masks (tkde equation 2).
func (l *lab) attacker(ctx context.Context, masks [][]bool) (Classifier, int, error) {
	if len(l.learners) == 1 {
		h, err := l.classifier(ctx, 0, masks)
		return h, 0, err
	}
	var best Classifier
	which, errors := 0, 0
	for i := range l.learners {
		h, err := l.classifier(ctx, i, masks)
		if err != nil {
			return nil, 0, err
		}
		c := countHard(h, views(l.docs, masks))
		if best == nil || c.FP+c.FN < errors {
			best, which, errors = h, i, c.FP+c.FN
		}
	}
	return best, which, nil
}

// countHard counts h's hard labels on what the views show.
func countHard(h Classifier, all []annotate.View) Counts {
	var c Counts
	for i, hard := range HardAll(h, all) {
		c = c.plus(CountOn(hard, all[i].Redacted, all[i].Sensitive))
	}
	return c
}

// heldOutAttacker is the papers' attacker with classifiers that were not trained on the
// document: the counts of the learner with the fewest errors.
func (l *lab) heldOutAttacker(ctx context.Context, masks [][]bool) (best attackCounts, err error) {
	for i := range l.learners {
		s, err := l.outOfFold(ctx, i, masks)
		if err != nil {
			return attackCounts{}, err
		}
		c := l.countMarks(masks, s.hard)
		if best.hits == nil || c.all.FP+c.all.FN < best.all.FP+best.all.FN {
			best = c
		}
	}
	return best, nil
}

// attackCounts are the counts of an attacker's marks.
type attackCounts struct {
	all      Counts    // on all documents, for thresholds and choices
	measured Counts    // on the documents of the estimates, for the bounds
	hits     []float64 // true positives on these, by group
}

func (l *lab) countMarks(masks, marks [][]bool) attackCounts {
	out := attackCounts{hits: make([]float64, l.groups)}
	for i, d := range l.docs {
		c := CountOn(marks[i], masks[i], d.Sensitive)
		out.all = out.all.plus(c)
		if g := l.group[i]; g != uncounted {
			out.measured = out.measured.plus(c)
			out.hits[g] += float64(c.TP)
		}
	}
	return out
}

// rankedAttack is the budgeted attacker on the documents as published: she labels one of
// 1/Share parts, trains on it, and ranks the next part by P(sensitive), so that each part
// is attacked once. With several learners the one that finds most within the largest
// budget counts. The order is nil if there is only one group.
func (l *lab) rankedAttack(ctx context.Context, masks [][]bool, p Params) (reading, error) {
	key := l.asked(masks)
	if order, done := l.orders[key]; done {
		return order, nil
	}
	order, err := l.bestOrder(ctx, masks, slices.Max(p.Budgets), p)
	if err != nil {
		return nil, err
	}
	l.orders[key] = order
	return order, nil
}

func (l *lab) bestOrder(ctx context.Context, masks [][]bool, budget int, p Params) (reading, error) {
	part, parts := assign(l.docs, LabelledParts(p.Share), p.Seed, streamHalves)
	if parts < 2 {
		return nil, nil
	}
	var best reading
	most, once := -1.0, ones(l.groups)
	for i := range l.learners {
		s, err := l.rotate(ctx, l.trainee(i), masks, part, parts)
		if err != nil {
			return nil, err
		}
		order := readingOf(counted(l.rank(masks, s.scores)))
		if n := order.found([]int{budget}, once)[0]; n > most {
			best, most = order, n
		}
	}
	return best, nil
}

// reading is the attacker's order: per token twice its group, plus one if it is
// sensitive. It is read once per resample, so a token takes only four bytes.
type reading []int32

func readingOf(order []ranked) reading {
	out := make(reading, len(order))
	for i, r := range order {
		if out[i] = 2 * r.group; r.sensitive {
			out[i]++
		}
	}
	return out
}

// found counts the sensitive tokens within each budget, best first, with each token
// weighted by how often its group was drawn. Budgets ascend.
func (r reading) found(budgets []int, drawn times) []float64 {
	out, read, finds := make([]float64, 0, len(budgets)), 0, 0
	for _, token := range r {
		often, sensitive := int(drawn[token>>1]), int(token&1)
		for len(out) < len(budgets) && budgets[len(out)] <= read+often {
			out = append(out, float64(finds+sensitive*(budgets[len(out)]-read)))
		}
		if len(out) == len(budgets) {
			return out
		}
		read, finds = read+often, finds+sensitive*often
	}
	for len(out) < len(budgets) {
		out = append(out, float64(finds))
	}
	return out
}

// rankedFinds is what the ranked attacker finds with each budget, nil without such an
// attack: document is the leak of the pseudo-document, and sensitive the number of
// sensitive tokens.
func rankedFinds(s *resampler, order reading, budgets []int, document float64, sensitive int) map[int]Estimate {
	if order == nil {
		return nil
	}
	ascending := slices.Compact(slices.Sorted(slices.Values(budgets)))
	finds := make(map[int]Estimate, len(ascending))
	for i, d := range s.spreads(order, ascending, document) {
		b := ascending[i]
		finds[b] = d.bounded(min(b, sensitive))
	}
	return finds
}

// spreads returns the spread of the findings for each budget.
func (s *resampler) spreads(r reading, budgets []int, document float64) []spread {
	out, n := make([]spread, len(budgets)), len(s.once)
	for i, v := range r.found(budgets, s.once) {
		out[i].value = v
	}
	for _, drawn := range s.drawn {
		for i, v := range r.found(budgets, drawn) {
			out[i].drawn = append(out[i].drawn, v)
		}
	}
	for _, drawn := range s.worse {
		for i, v := range r.found(budgets, drawn) {
			out[i].worse = append(out[i].worse, v+float64(drawn[n])*min(document, float64(budgets[i])))
		}
	}
	for _, d := range out {
		slices.Sort(d.drawn)
		slices.Sort(d.worse)
	}
	return out
}

// gauge measures publications of the same documents.
type gauge struct {
	p       Params
	lab     *lab       // of the ranked attacker
	draws   *resampler // of the documents published
	further *resampler // resamples of as many further documents
}

func newGauge(docs []annotate.Note, p Params, work pool) *gauge {
	l := newLab(docs, p, work)
	return &gauge{p, l, newResampler(l.groups, p.Seed, false), newResampler(l.groups, p.Seed, true)}
}

func (g *gauge) measure(ctx context.Context, pub *publication, lc float64) (Measured, error) {
	order, err := g.ranked(ctx, pub.masks)
	if err != nil {
		return Measured{}, err
	}
	m := Measured{Rounds: pub.rounds, Views: views(g.lab.docs, pub.masks)}
	t, rounds := g.lab.tally(pub.masks), slices.Max(pub.rounds)
	found := g.lab.countMarks(pub.masks, pub.hard)
	m.Attacker, m.measured, t.attackerTP = found.all, found.measured, found.hits
	for _, n := range pub.removed {
		m.Removed += n
	}
	m.Outcome = t.outcome(lc, rounds, g.draws, order, g.p.Budgets)
	m.Outcome.bound(t.outcome(lc, rounds, g.further, nil, nil))
	return m, nil
}

// ranked is the ranked attacker under masks. Several L/C often publish the same in
// succession, so the last attack is cached.
func (g *gauge) ranked(ctx context.Context, masks [][]bool) (reading, error) {
	if _, done := g.lab.orders[HashMasks(masks)]; !done {
		clear(g.lab.orders)
	}
	return g.lab.rankedAttack(ctx, masks, g.p)
}

// bound copies the bounds of the same outcome for further documents.
func (o *Outcome) bound(further Outcome) {
	own, others := o.counts(), further.counts()
	for i := range own {
		own[i].AtMost = others[i].AtMost
	}
}

// counts returns the estimates in o that are numbers of leaks.
func (o *Outcome) counts() []*Estimate {
	all := []*Estimate{&o.Residual, &o.IdentifiersMissed, &o.InformativeMissed, &o.DocumentsWithLeak, &o.PatientsWithLeak}
	for i := range o.ByLabel {
		all = append(all, &o.ByLabel[i].Missed, &o.ByLabel[i].SpansMissed)
	}
	return all
}

// ranked is one token that would be published, in an attacker's order.
type ranked struct {
	score     float64
	weight    float64 // cost of an error on it: L_c/L if sensitive, otherwise C_k/C
	group     int32
	sensitive bool
}

// rank sorts the tokens left by masks by score, highest first; equal scores keep the
// order of document and token. If nothing is left, the order is empty but not nil: an
// attack was made, and finds nothing.
func (l *lab) rank(masks [][]bool, scores [][]float64) []ranked {
	out := []ranked{}
	for i := range l.docs {
		v := annotate.View{Note: &l.docs[i], Redacted: masks[i]}
		for x := range v.Words {
			if !v.Hidden(x) {
				out = append(out, ranked{scores[i][x], l.tariff.of(v.Note, x), int32(l.group[i]), v.Sensitive[x]})
			}
		}
	}
	return inOrder(out)
}

// inOrder sorts by score and, among equal scores, by original position, with explicit
// comparison of both: this takes a third of the time of a stable sort.
func inOrder(all []ranked) []ranked {
	type place struct {
		score float64
		at    int
	}
	places, out := make([]place, len(all)), make([]ranked, len(all))
	for i, r := range all {
		places[i] = place{r.score, i}
	}
	slices.SortFunc(places, func(a, b place) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return a.at - b.at
	})
	for i, p := range places {
		out[i] = all[p.at]
	}
	return out
}

// cut is a threshold on a ranking and what it marks.
type cut struct {
	threshold float64 // marks scores >= threshold
	counts    Priced
	gain      float64 // sum_c L_c*TP_c - sum_k C_k*FP_k with C = 1
}

// bestCut returns the prefix of the order, never empty unless the order is and never
// ending between equal scores, that maximises sum_c L_c*TP_c - sum_k C_k*FP_k; the
// shortest such prefix. If its gain is not above 0, no threshold on these scores pays.
func bestCut(order []ranked, lc float64) cut {
	best, marked := cut{threshold: 1}, Priced{}
	for i, r := range order {
		marked.add(r)
		if i+1 < len(order) && order[i+1].score == r.score {
			continue
		}
		if gain := marked.gain(lc); gain > best.gain || best.counts == (Priced{}) {
			best = cut{r.score, marked, gain}
		}
	}
	return best.complete(marked.TP, marked.FP)
}

// add counts r as marked.
func (p *Priced) add(r ranked) {
	if r.sensitive {
		p.TP++
		p.Worth += r.weight
	} else {
		p.FP++
		p.Cost += r.weight
	}
}

// complete fills in the counts outside the cut, from the totals of tp sensitive and fp
// other tokens.
func (c cut) complete(tp, fp int) cut {
	c.counts.FN, c.counts.TN = tp-c.counts.TP, fp-c.counts.FP
	return c
}

// cutAt is the cut at a given threshold.
func cutAt(order []ranked, threshold float64) cut {
	out, marked := cut{threshold: threshold}, Priced{}
	for _, r := range order {
		marked.add(r)
		if r.score >= threshold {
			out.counts = marked
		}
	}
	return out.complete(marked.TP, marked.FP)
}

// Certified is a learner's best attack on the text that would be published, and the two
// sides of the papers' stopping rule for it. The attack is the threshold on out-of-fold
// scores (or on priced scores, or the hard labels) that lowers the loss most. If it does
// not pay, no threshold of that learner pays, nor do its hard labels.
type Certified struct {
	Learner   string  `json:"learner"`
	Threshold float64 `json:"threshold"`
	Hard      bool    `json:"hard,omitempty"` // marks by hard labels, not by Threshold
	Counts    Counts  `json:"counts"`         // on the published text
	Cost      float64 `json:"cost"`           // sum_k C_k*FP_k
	Gain      float64 `json:"gain"`           // sum_c L_c*TP_c
	Pays      bool    `json:"pays"`           // Cost < Gain
}

// certify attacks the text left by masks with every learner.
func (l *lab) certify(ctx context.Context, masks [][]bool, lc float64) ([]Certified, error) {
	all := make([]Certified, len(l.learners))
	for i := range l.learners {
		m, err := l.attack(ctx, i, masks, lc)
		if err != nil {
			return nil, err
		}
		c := m.cut.counts
		all[i] = Certified{m.name, m.cut.threshold, m.hard, c.Counts, c.Cost, lc * c.Worth, c.Pays(lc)}
	}
	return all, nil
}

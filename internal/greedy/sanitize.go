// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"hide/internal/annotate"
)

// Sanitize chooses what to redact, for each L/C, from annotated documents, and estimates
// the missed PHI and over-redaction of a publication of as many similar documents. Rounds
// and outcomes are reported through progress, which may be nil. It returns ctx's error
// soon after ctx ends, [ErrNoSensitive], [ErrOnlySensitive], [ErrAllChosen] and, except
// in paper mode, [ErrFewDocuments].
func Sanitize(ctx context.Context, docs []annotate.Note, p Params, progress func(Event)) (*Result, error) {
	p = p.withDefaults()
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("sanitize: %w", err)
	}
	if err := checkDocs(docs); err != nil {
		return nil, fmt.Errorf("sanitize: %w", err)
	}
	docs, found, err := p.context(docs)
	if err != nil {
		return nil, fmt.Errorf("sanitize: %w", err)
	}
	p, closing, err := p.share()
	if err != nil {
		return nil, fmt.Errorf("sanitize: %w", err)
	}
	defer closing()
	s := newSession(docs, p, progress)
	if err := s.firstRounds(ctx); err != nil {
		return nil, fmt.Errorf("sanitize: %w", err)
	}
	result := &Result{Mode: p.Mode, Context: found}
	for _, lc := range p.LC {
		c, err := s.choose(ctx, lc)
		if err != nil {
			return nil, fmt.Errorf("sanitize with L/C %g: %w", lc, err)
		}
		s.lab.dropOldTrainings()
		result.Choices = append(result.Choices, *c)
		s.report.finished(c)
	}
	return result, nil
}

// context finds the contextual identifiers of Params.Context, and labels them if it says
// so.
func (p Params) context(docs []annotate.Note) ([]annotate.Note, []Association, error) {
	if p.Context == nil {
		return docs, nil, nil
	}
	found, err := Associations(docs, *p.Context)
	if err != nil || !p.Context.Redact {
		return docs, found, err
	}
	docs = LabelContext(docs, found)
	return docs, found, checkDocs(docs)
}

// session is one call of [Sanitize].
type session struct {
	p      Params
	lab    *lab
	draws  *resampler
	report *reporter
	held   *heldOut // paper mode only
}

func newSession(docs []annotate.Note, p Params, progress func(Event)) *session {
	s := &session{p: p, lab: newLab(docs, p, newPool(p.Workers)), report: newReporter(progress, p.LC)}
	s.lab.trained = s.report.trained
	s.draws = newResampler(s.lab.groups, p.Seed, true)
	if p.Mode == Paper && s.lab.folds > 1 {
		s.held = newHeldOut(docs, p, s.lab.work, s.lab.trained)
	}
	return s
}

// firstRounds reports what the first round of each L/C will leave, without any training
// that the first L/C would not need.
func (s *session) firstRounds(ctx context.Context) error {
	if s.p.Mode != Default || len(s.p.LC) == 1 || s.p.Ceiling > 0 { // first round not known yet
		return nil
	}
	for _, lc := range s.p.LC {
		untouched := &solution{masks: [][][]bool{nothing(s.lab.docs)}}
		m, err := s.lab.robust(ctx, untouched, lc)
		if err != nil {
			return err
		}
		masks, rounds := untouched.last(), 0
		if m.cut.counts.Pays(lc) {
			masks, rounds = m.marks, 1
		}
		o := s.lab.tally(masks).outcome(lc, rounds, s.draws, nil, nil)
		o.Attack = Attack{}
		s.report.first(lc, o)
	}
	return ctx.Err()
}

func (s *session) choose(ctx context.Context, lc float64) (*Choice, error) {
	if s.p.Mode == Paper {
		return s.choosePaper(ctx, lc)
	}
	return s.chooseOutOfFold(ctx, lc)
}

// chooseOutOfFold reports each round with its outcome before the next begins:
// the papers' attacker of the outcome is the one the next round starts with.
func (s *session) chooseOutOfFold(ctx context.Context, lc float64) (*Choice, error) {
	c := &Choice{LC: lc}
	watch := func(sol *solution, round Round) (err error) {
		if s.p.Mode != GreedyUnion { // its rounds are many and small
			round.Outcome, err = s.outcome(ctx, lc, len(sol.h), sol.last())
		}
		if err != nil {
			return err
		}
		c.Outcome, c.Rounds = round.Outcome, append(c.Rounds, round)
		s.report.finishedRound(round)
		return nil
	}
	solve := func(at float64) (*solution, error) {
		c.Rounds = nil
		s.report.solving(at)
		return s.lab.solve(ctx, s.p.Mode, at, s.p.MaxRounds, watch)
	}
	sol, at, err := s.lab.under(ctx, lc, s.p.ceiling(s.p.Mode, 1, 1), s.p, solve)
	if err != nil {
		return nil, err
	}
	c.Classifiers, c.At = sol.h, at
	return c, s.complete(ctx, c, sol)
}

// complete measures the result of the rounds: the outcome if no round has it, the
// certificate, missed PHI and over-redacted text.
func (s *session) complete(ctx context.Context, c *Choice, sol *solution) (err error) {
	if s.p.Mode == GreedyUnion {
		if c.Outcome, err = s.outcome(ctx, c.LC, len(sol.h), sol.last()); err != nil {
			return err
		}
	}
	if c.Certificate, err = s.lab.certify(ctx, sol.last(), c.LC); err != nil {
		return err
	}
	attacker, err := s.lab.heldOutAttacker(ctx, sol.last())
	if err != nil {
		return err
	}
	c.Bounds = s.lab.bounds(c.LC, attacker.measured)
	scores, err := s.lab.outOfFold(ctx, 0, sol.last())
	if err != nil {
		return err
	}
	first, err := s.lab.outOfFold(ctx, s.lab.opening(sol), sol.masks[0])
	if err != nil {
		return err
	}
	c.Leaks, c.OverRedacted = missedSpans(s.lab.docs, sol.last(), scores.scores), overRedacted(s.lab.docs, sol.last(), first.scores)
	return s.published(ctx, c.LC, sol.last())
}

// published calls Params.Published for masks.
func (s *session) published(ctx context.Context, lc float64, masks [][]bool) error {
	if s.p.Published == nil {
		return nil
	}
	s.lab.trained("other attackers", 0, 1)
	return s.p.Published(ctx, lc, views(s.lab.docs, masks))
}

// outcome measures masks found out of fold.
func (s *session) outcome(ctx context.Context, lc float64, rounds int, masks [][]bool) (Outcome, error) {
	order, err := s.lab.rankedAttack(ctx, masks, s.p)
	if err != nil {
		return Outcome{}, err
	}
	t := s.lab.tally(masks)
	attacker, err := s.lab.heldOutAttacker(ctx, masks)
	if err != nil {
		return Outcome{}, err
	}
	t.attackerTP = attacker.hits
	return t.outcome(lc, rounds, s.draws, order, s.p.Budgets), nil
}

// choosePaper returns the papers' figures, counted on the training documents, and the
// result of the same procedure on held-out documents. Findings of the ranked attacker in
// training data are meaningless: only the outcome, which was also measured on held-out
// documents, has them, and no round does.
func (s *session) choosePaper(ctx context.Context, lc float64) (*Choice, error) {
	sol, err := s.lab.solve(ctx, Paper, lc, s.p.MaxRounds, ignore)
	if err != nil {
		return nil, err
	}
	c := &Choice{LC: lc, At: lc, Classifiers: sol.h}
	held, err := s.heldOutcome(ctx, c)
	if err != nil {
		return nil, err
	}
	for i, round := range sol.rounds {
		k := min(i+1, len(sol.h))
		if round.Outcome, err = s.paperOutcome(ctx, lc, k, sol.masks[k]); err != nil {
			return nil, err
		}
		c.Rounds, c.Outcome = append(c.Rounds, round), round.Outcome
		s.report.finishedRound(round)
	}
	if held != nil {
		c.Outcome.HeldOut, c.Outcome.Attack.Ranked = held, held.Attack.Ranked
	}
	return c, nil
}

// paperOutcome counts on the training documents.
func (s *session) paperOutcome(ctx context.Context, lc float64, k int, masks [][]bool) (Outcome, error) {
	t := s.lab.tally(masks)
	h, _, err := s.lab.attacker(ctx, masks)
	if err != nil {
		return Outcome{}, err
	}
	t.attackerTP = s.lab.countMarks(masks, HardAll(h, views(s.lab.docs, masks))).hits
	return t.outcome(lc, k, s.draws, nil, s.p.Budgets), nil
}

// heldOutcome runs the papers' algorithm on the other folds and publishes the documents
// of each; it fills in the choice's leaks, losses and bounds. It returns nil if there are
// too few groups.
func (s *session) heldOutcome(ctx context.Context, c *Choice) (*Outcome, error) {
	if s.held == nil {
		return nil, nil
	}
	pub, err := s.held.publish(ctx, Paper, c.LC)
	if err != nil {
		return nil, err
	}
	order, err := s.lab.rankedAttack(ctx, pub.masks, s.p)
	if err != nil {
		return nil, err
	}
	c.Leaks, c.OverRedacted = missedSpans(s.lab.docs, pub.masks, pub.scores), overRedacted(s.lab.docs, pub.masks, pub.scores)
	t := s.lab.tally(pub.masks)
	attacker := s.lab.countMarks(pub.masks, pub.hard)
	t.attackerTP = attacker.hits
	c.Bounds = s.lab.paperBounds(c.LC, s.p.VC, pub, attacker.measured)
	out := t.outcome(c.LC, slices.Max(pub.rounds), s.draws, order, s.p.Budgets)
	return &out, s.published(ctx, c.LC, pub.masks)
}

// confidence is 1-delta of the finite sample bounds.
const confidence = 0.95

// bounds are theorems 3 and 4 on the documents of the estimates. With losses or prices they are about the least L_c over
// the greatest C_k, given as a multiple of L/C: they hold with it, since
// max C_k*FP_A >= sum_k C_k*FP_A,k >= sum_c L_c*TP_A,c >= min L_c*TP_A.
func (l *lab) bounds(lc float64, attacker Counts) []Bound {
	unit := l.tariff.least(l.docs)
	return inUnits(Bounds(lc*unit, l.measuredNonsensitive(), attacker), unit)
}

// paperBounds are all bounds of Algorithm 1. The attacker's counts come from documents
// that the classifiers were not trained on; those of the publisher's last classifier come
// from its remaining training data, for each published part. A dimension v of 0 stands for
// the largest of the classifiers.
func (l *lab) paperBounds(lc, v float64, pub *publication, attacker Counts) []Bound {
	all, unit := l.bounds(lc, attacker), l.tariff.least(l.docs)
	if v == 0 {
		v = slices.Max(pub.dimensions)
	}
	if v == 0 {
		return all
	}
	train := make([]Counts, len(pub.tried))
	for f, rounds := range pub.tried {
		train[f] = rounds[len(rounds)-1].Counts
	}
	return append(all, inUnits(FiniteBounds(lc*unit, l.measuredNonsensitive(), train, attacker, 1-confidence, v), unit)...)
}

// CheckCeiling refuses an invalid [Params].Ceiling.
func CheckCeiling(c float64) error {
	if c != 0 && !(c > 0 && c < 1) {
		return fmt.Errorf("ceiling %g on what an attacker finds: it must be above 0 and below 1", c)
	}
	return nil
}

// checkCeiling refuses a ceiling that no L/C can satisfy: PHI that costs nothing to miss
// stays readable.
func (p Params) checkCeiling() error {
	if err := CheckCeiling(p.Ceiling); err != nil || p.Ceiling == 0 {
		return err
	}
	for _, label := range slices.Sorted(maps.Keys(p.LossByLabel)) {
		if p.LossByLabel[label] == 0 {
			return fmt.Errorf("missed PHI of label %q costs nothing, so no L/C can keep attackers under a ceiling: set a cost above 0 for the label, or remove the ceiling", label)
		}
	}
	return nil
}

// roundRatios are the steps in which L/C is raised, times powers of ten.
var roundRatios = []float64{1, 1.5, 2, 3, 5, 7}

// nextRatio is the next round L/C above lc, at most [MaxLC].
func nextRatio(lc float64) float64 {
	for e := math.Floor(math.Log10(lc)); ; e++ {
		for _, r := range roundRatios {
			next := r * math.Pow(10, e)
			if e < 0 {
				next = r / math.Pow(10, -e) // 0.7 instead of 0.7000000000000001
			}
			if next > lc {
				return min(next, MaxLC)
			}
		}
	}
}

// ceiling is how much the ranked attacker may find within a budget, as a share of the
// sensitive tokens; the zero value allows everything.
type ceiling struct {
	share  float64
	budget int
}

// ceiling is the ceiling of a mode if as many tokens are published as were trained on;
// for another number, the budget is another share of them.
func (p Params) ceiling(mode Mode, learnt, published int) ceiling {
	if mode != Default {
		return ceiling{}
	}
	budget := float64(slices.Max(p.Budgets)) * float64(learnt) / float64(max(1, published))
	return ceiling{p.Ceiling, max(1, int(math.Round(budget)))}
}

// under solves for lc and, while the ranked attacker finds more than c allows in the
// result, for the next round L/C above, at most [MaxLC]. It returns the last L/C solved
// for. A move that does not pay there does not pay at lc either, so H is a local optimum
// for both.
func (l *lab) under(ctx context.Context, lc float64, c ceiling, p Params, solve func(at float64) (*solution, error)) (*solution, float64, error) {
	for at := lc; ; at = nextRatio(at) {
		if c.share > 0 && l.tooLow[at] {
			continue
		}
		sol, err := solve(at)
		if err != nil || c.share == 0 || at >= MaxLC {
			return sol, at, err
		}
		order, err := l.rankedAttack(ctx, sol.last(), p)
		if err != nil {
			return nil, at, err
		}
		if found := order.found([]int{c.budget}, ones(l.groups))[0]; found <= c.share*float64(l.sensitive()) {
			return sol, at, nil
		}
		l.tooLow[at] = true
		l.dropOldTrainings()
	}
}

// sensitive is |S| of the documents in the estimates.
func (l *lab) sensitive() int {
	n := 0
	for i := range l.docs {
		if l.group[i] != uncounted {
			n += l.docs[i].CountSensitive()
		}
	}
	return n
}

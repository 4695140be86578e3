// SPDX-License-Identifier: Apache-2.0

// Package attack simulates adversaries who read a publication, as in tkde section 3,
// on exactly the text that would be published.
//
//	results, err := attack.Run(ctx, views, attack.Params{Learners: class}, nil)
//	found := results[0].Points[0].Found // sensitive tokens among the first Budget tokens
//
// An attacker orders the published tokens and inspects the first B of them. A [Result]
// has, for each B, the expected number of sensitive tokens among them, and of documents
// and patients with at least one. Tokens with equal scores come in random order; every
// expectation over that order is exact. With L the value of a token to the attacker, U_A
// is L times the tokens that [Uniform] finds and U_A* is L times those of [Classifier].
//
// # What do attackers know?
//
// Attackers that train label a share of the published documents, whole patients at a
// time, and attack the others. The shares rotate, so that every document is attacked
// once. They read [annotate.Placeholder] for redacted tokens and see the annotation of
// the documents that they label only. [Dictionary] is not trained: it knows lists and
// patterns. [Repeat] knows redacted texts; [Redacted] gives all of them, the worst case.
//
// A [Panel] attacks several publications of the same documents.
//
// # Caveats
//
// Where an attacker has several learners, the best one counts, which a real attacker
// could not know: the figures are limits, not forecasts. Tokens in documents that the
// attacker labels do not count, nor tokens in documents that were selected for their
// content ([annotate.Note.Selected]).
package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Result is what one attacker finds in the published text.
type Result struct {
	Kind      Kind          `json:"kind"`
	Learner   string        `json:"learner,omitempty"` // the learner of her labels or scores; "" if none or several
	Tokens    int           `json:"tokens"`            // published tokens, in documents that were not [annotate.Note.Selected]
	Sensitive int           `json:"sensitive"`         // sensitive tokens among them
	Marked    greedy.Counts `json:"marked"`            // TP_A, FP_A and the rest for her marks; zero for Uniform and Best, which mark nothing
	Worth     float64       `json:"worth"`             // sum_c (L_c/L)*TP_A,c of Marked, by Params.LossByLabel
	Cost      float64       `json:"cost"`              // sum_k (C_k/C)*FP_k of Marked, by Params.CostByKind: the publisher's cost of redacting them
	Documents int           `json:"documents"`         // with a true positive
	Groups    int           `json:"patients"`          // with a true positive
	Points    []Point       `json:"points"`            // one per budget, in the order given
}

// Run attacks the published text of views with each requested kind. Results are in the
// order of the kinds, then of the learners. progress, if not nil, is called after each
// training, one call at a time. It returns ctx's error soon after ctx ends, and
// [ErrFewDocuments].
func Run(ctx context.Context, views []annotate.View, p Params, progress func(done, total int)) ([]Result, error) {
	p = p.withDefaults()
	if err := p.check(views); err != nil {
		return nil, fmt.Errorf("attack: %w", err)
	}
	a := newAttack(views, p)
	if err := a.train(ctx, progress); err != nil {
		return nil, fmt.Errorf("attack: %w", err)
	}
	var all []Result
	for _, k := range p.Kinds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, a.results(k)...)
	}
	return all, nil
}

// attack is the state of one Run.
type attack struct {
	p        Params
	views    []annotate.View
	group    []int // per view
	labelled []*opinion
	transfer []*opinion
}

// opinion is one learner's answer about every view.
type opinion struct {
	scores [][]float64
	marks  [][]bool
}

func newOpinion(n int) *opinion { return &opinion{make([][]float64, n), make([][]bool, n)} }

// ask fills in the answers of h about some views, which it sees together.
func (o *opinion) ask(ctx context.Context, h greedy.Classifier, views []annotate.View, which []int) error {
	some := make([]annotate.View, len(which))
	for k, i := range which {
		some[k] = views[i]
	}
	scores, marks := greedy.ScoreAll(h, some), greedy.HardAll(h, some)
	for k, i := range which {
		o.scores[i], o.marks[i] = scores[k], marks[k]
	}
	return ctx.Err()
}

func newAttack(views []annotate.View, p Params) *attack {
	p.Other = withoutKnown(p.Other)
	a := &attack{p: p, views: withoutKnown(views)}
	a.group, _ = greedy.Groups(views, func(v annotate.View) string { return v.Group })
	return a
}

// withoutKnown returns the views without identifiers from structured fields, which are
// not published.
func withoutKnown(views []annotate.View) []annotate.View {
	out := make([]annotate.View, len(views))
	for i, v := range views {
		d := *v.Note
		d.Known, d.Identities = nil, nil
		out[i] = annotate.View{Note: &d, Redacted: v.Redacted}
	}
	return out
}

// training is one classifier: its training documents and its targets.
type training struct {
	learner  greedy.Learner
	from     []annotate.View
	opinion  *opinion
	attacked []int
}

// train fills in the learners' answers.
func (a *attack) train(ctx context.Context, progress func(done, total int)) error {
	var all []training
	if a.p.learns() {
		some, err := a.rotation()
		if err != nil {
			return err
		}
		all = some
	}
	if a.p.wants(Transfer) {
		all = append(all, a.elsewhere()...)
	}
	var mu sync.Mutex // guards done, and serializes progress
	done := 0
	return greedy.Parallel(ctx, a.p.Workers, len(all), func(ctx context.Context, i int) error {
		t := all[i]
		h, err := greedy.Fit(ctx, t.learner, t.from)
		if err != nil {
			return err
		}
		if err := t.opinion.ask(ctx, h, a.views, t.attacked); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; progress != nil {
			progress(done, len(all))
		}
		return ctx.Err()
	})
}

// rotation deals groups into k parts: an attacker labels part f and attacks part f+1.
func (a *attack) rotation() ([]training, error) {
	names := make([]string, len(a.views))
	for i, v := range a.views {
		names[i] = v.Group
	}
	part, k := greedy.Deal(names, greedy.LabelledParts(a.p.Share), a.p.Seed)
	if k < 2 {
		return nil, ErrFewDocuments
	}
	from, attacked := make([][]annotate.View, k), make([][]int, k)
	for i, v := range a.views {
		from[part[i]] = append(from[part[i]], v)
		attacker := (part[i] + k - 1) % k
		attacked[attacker] = append(attacked[attacker], i)
	}
	var all []training
	for _, l := range a.p.Learners {
		o := newOpinion(len(a.views))
		a.labelled = append(a.labelled, o)
		for f := range k {
			all = append(all, training{l, from[f], o, attacked[f]})
		}
	}
	return all, nil
}

// elsewhere trains each learner on the other corpus, to attack everything.
func (a *attack) elsewhere() []training {
	everything := make([]int, len(a.views))
	for i := range everything {
		everything[i] = i
	}
	learners := a.p.elsewhere
	if learners == nil {
		learners = a.p.Learners
	}
	var all []training
	for _, l := range learners {
		o := newOpinion(len(a.views))
		a.transfer = append(a.transfer, o)
		all = append(all, training{l, a.p.Other, o, everything})
	}
	return all
}

// ErrFewDocuments is returned if an attacker has no patients to train on other than those
// she attacks.
var ErrFewDocuments = errors.New("too few documents of different patients to label some and attack others")

// Params describe the attackers. The zero value of each field but Learners is its
// default.
type Params struct {
	Kinds    []Kind           // nil means all, Transfer only with Other
	Learners []greedy.Learner // of Classifier, Ranked, Best, Stacked and Transfer
	Share    float64          // share of groups that she labels, greedy.MinShare to greedy.MaxShare, rounded to the nearest 1/k; 0 means 1/2
	Other    []annotate.View  // what Transfer trains on
	Known    []string         // surfaces that Repeat knows; nil means Redacted of the views
	Budgets  []int            // tokens that she inspects; nil means 25, 50, 100, 200, 500, 1000
	Seed     uint64           // of the choice of labelled and attacked groups
	Workers  int              // trainings at a time; 0 means 2

	LossByLabel map[annotate.Label]float64 // L_c/L, as in [greedy.Params]; a label that is not in it costs L
	CostByKind  greedy.Prices              // C_k/C, as there

	elsewhere []greedy.Learner // Learners as they train on Other; nil: as they are
}

func (p Params) withDefaults() Params {
	if p.Kinds == nil {
		for _, e := range Table() {
			if e.Kind != Transfer || p.Other != nil {
				p.Kinds = append(p.Kinds, e.Kind)
			}
		}
	}
	p.Share = cmp.Or(p.Share, greedy.MaxShare)
	if p.Budgets == nil {
		p.Budgets = []int{25, 50, 100, 200, 500, 1000}
	}
	p.Workers = cmp.Or(p.Workers, 2)
	return p
}

func (p Params) check(views []annotate.View) error {
	if err := greedy.CheckShare(p.Share); err != nil {
		return err
	}
	for _, b := range p.Budgets {
		if b < 1 {
			return fmt.Errorf("budget %d is not positive", b)
		}
	}
	if p.Workers < 1 {
		return fmt.Errorf("%d workers: at least 1 is needed", p.Workers)
	}
	for _, k := range p.Kinds {
		if k != Outside && !slices.Contains(Kinds(), k) {
			return fmt.Errorf("unknown attacker %q", k)
		}
	}
	if len(p.Learners) == 0 && (p.learns() || p.wants(Transfer)) {
		return errors.New("attackers that train need a learner")
	}
	if p.wants(Transfer) && len(p.Other) == 0 {
		return errors.New("attacker transfer needs another corpus")
	}
	return errors.Join(checkViews(views), checkViews(p.Other))
}

func checkViews(views []annotate.View) error {
	for i, v := range views {
		n := len(v.Words)
		if len(v.Sensitive) != n || v.Redacted != nil && len(v.Redacted) != n || v.Tokens != nil && len(v.Tokens) != n {
			return fmt.Errorf("document %d: words, tokens, flags and mask differ in number", i)
		}
	}
	return nil
}

func (p Params) wants(k Kind) bool { return slices.Contains(p.Kinds, k) }

// learns reports whether some attacker labels documents.
func (p Params) learns() bool { return slices.ContainsFunc(p.Kinds, Kind.Labels) }

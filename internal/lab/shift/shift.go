// SPDX-License-Identifier: Apache-2.0

// Package shift measures what happens to notes of another kind than the annotated ones:
// another institution, language, genre or source.
//
//	result, err := shift.Measure(ctx, published, annotated, shift.Options{LC: []float64{10}}, progress)
//
// Each method chooses classifiers on the annotated notes, with a forecast, and publishes the
// others. The result sets the forecast beside what happened, and beside the best that one
// threshold of the same scores could have done.
package shift

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/drift"
	"hide/internal/greedy/settings"
	"hide/internal/greedy/study"
	"hide/internal/lab"
	"hide/internal/option"
)

// Options configure [Measure].
type Options struct {
	File, From    string // of the notes published, and of those trained on
	LC            []float64
	Sensitive     []annotate.Label // of the notes trained on; nil: all
	Published     []annotate.Label // of those published; nil: as Sensitive
	Draws         int
	Folds         int
	Workers       int
	Seed          uint64
	WithoutParts  []string
	SkipBaselines bool
	Local         []int // numbers of local notes
	LocalTimes    int   // how often each of them is in training; 0 means 1
}

// Table declares the options of [Measure].
var Table = option.Table[Options]{
	option.Numbers(option.About{Name: "lc", Default: "1,10,100", Value: "VALUES", Help: "Values of L/C.", In: option.Command},
		option.Above(0).AtMost(greedy.MaxLC).Sorted(), func(o *Options) *[]float64 { return &o.LC }),
	option.Some(option.About{Name: "sensitive", Default: "all", None: "all", Value: "LABELS", Help: "Labels that are sensitive in the notes trained on.", In: option.Command},
		nil, func(o *Options) *[]annotate.Label { return &o.Sensitive }),
	option.Some(option.About{Name: "published-sensitive", Default: "all", None: "all", Value: "LABELS", Help: "Labels that are sensitive in the notes published, where they have other names.", In: option.Command},
		nil, func(o *Options) *[]annotate.Label { return &o.Published }),
	option.Whole(option.About{Name: "draws", Default: "0", Value: "N", Help: "Also train on N random halves of the notes, publish random halves of the others, and count how often the forecast held or was withdrawn.", In: option.Command},
		option.From(0, 10_000), func(o *Options) *int { return &o.Draws }),
	option.Some(option.About{Name: "without-part", Value: "NAMES", Help: "Parts that the detector does without, as of hide experiment.", In: option.Command},
		nil, func(o *Options) *[]string { return &o.WithoutParts }),
	option.Switch(option.About{Name: "skip-baselines", Help: "Measure the default only.", In: option.Command},
		func(o *Options) *bool { return &o.SkipBaselines }),
	option.Wholes(option.About{Name: "local", Value: "NUMBERS", Help: "Only measure what annotating this many of the notes to be published changes: the notes that hide advises, and random ones. Publish the other half of the notes. From each number, predict the larger ones; --draws measures so many random orders.", In: option.Command},
		option.From(1, 10_000).Sorted(), func(o *Options) *[]int { return &o.Local }),
	option.Whole(option.About{Name: "local-times", Default: "1", Value: "N", Help: "Train on each note of --local N times.", In: option.Command},
		option.From(1, 100), func(o *Options) *int { return &o.LocalTimes }),
	settings.Folds(0, func(o *Options) *int { return &o.Folds }),
	option.Whole(option.About{Name: "workers", Value: "N", Help: "At most N trainings at a time; 0 means one for each processor.", In: option.Command},
		option.AtLeast(0), func(o *Options) *int { return &o.Workers }),
	settings.Seed(func(o *Options) *uint64 { return &o.Seed }),
}

// Result is what happened to the notes published.
type Result struct {
	File      string        `json:"file"`
	From      string        `json:"from,omitempty"` // "": the notes of File were halved
	Trained   lab.Corpus    `json:"trained"`
	Published lab.Corpus    `json:"published"`
	Drift     *drift.Report `json:"drift"`
	Lines     []Line        `json:"lines"`
	Held      []Held        `json:"held,omitempty"`  // with Options.Draws
	Local     []Local       `json:"local,omitempty"` // with Options.Local, and then no Lines
}

// Line is one method at one L/C.
type Line struct {
	Method    string  `json:"method"`
	LC        float64 `json:"lc"`
	Forecast  Shares  `json:"forecast"` // from the annotated notes, whether drift warns or not
	Published Shares  `json:"published"`
	Loss      float64 `json:"loss"`             // T(H) of what was published
	Rounds    int     `json:"rounds"`           // classifiers
	Trust     float64 `json:"trust,omitempty"`  // in the second stage of the detector
	Raised    float64 `json:"raised,omitempty"` // the factor of odds of the prior-shift correction
	More      float64 `json:"more,omitempty"`   // the share of words redacted beyond what was measured
	Limited   bool    `json:"limited,omitempty"`
}

// Shares are of the sensitive tokens and of the others.
type Shares struct {
	Missed float64 `json:"missed"`
	Kept   float64 `json:"kept"`
}

// The methods.
const (
	methodDefault = "default"
	methodCRF     = "crf"
	methodStack   = "stack"
	methodBest    = "best threshold"
)

// Measure trains on some notes and publishes others. Without from, it trains on a random half
// of the patients and publishes the other.
func Measure(ctx context.Context, notes, from []annotate.Annotated, o Options, progress lab.Progress) (*Result, error) {
	m, err := newMeter(o, progress)
	if err != nil {
		return nil, err
	}
	return m.measure(ctx, notes, from)
}

func (m *meter) measure(ctx context.Context, notes, from []annotate.Annotated) (*Result, error) {
	learnt, published := m.sides(notes, from)
	r := &Result{File: m.o.File, From: m.o.From, Trained: lab.CorpusOf(learnt), Published: lab.CorpusOf(published)}
	var err error
	if r.Drift, err = drift.Between(ctx, learnt, published, m.o.Seed); err != nil {
		return nil, err
	}
	if len(m.o.Local) > 0 {
		r.Local, err = m.local(ctx, learnt, published)
		return r, err
	}
	if r.Lines, err = m.lines(ctx, learnt, published, r.Drift.Warns()); err != nil {
		return nil, err
	}
	r.Held, err = m.draws(ctx, learnt, published, from == nil)
	return r, err
}

// meter measures with one set of options.
type meter struct {
	o        Options
	progress lab.Progress
	detector detect.Options
}

func newMeter(o Options, progress lab.Progress) (*meter, error) {
	parts, err := detect.Without(o.WithoutParts)
	if err != nil {
		return nil, &option.Problem{Name: "without-part", Text: err.Error()}
	}
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	return &meter{o, progress, detect.Options{CRF: crf.Options{Workers: 1}, Seed: o.Seed, Parts: parts}}, nil
}

func (m *meter) sides(notes, from []annotate.Annotated) (learnt, published []annotate.Note) {
	of := m.o.Published
	if of == nil {
		of = m.o.Sensitive
	}
	if published = withTokens(lab.Sensitive(notes, of)); from != nil {
		return withTokens(lab.Sensitive(from, m.o.Sensitive)), published
	}
	return study.Halves(published, m.o.Seed)
}

func withTokens(docs []annotate.Note) []annotate.Note {
	return slices.DeleteFunc(docs, func(d annotate.Note) bool { return len(d.Words) == 0 })
}

// params are those of a method.
func (m *meter) params(method string) greedy.Params {
	p := greedy.Params{LC: m.o.LC, Folds: m.o.Folds, Seed: m.o.Seed, Workers: m.o.Workers, Mode: greedy.Cost}
	d, chain := m.detector, greedy.CRF{Options: m.detector.CRF}
	switch method {
	case methodDefault:
		p.Mode, p.Learners, p.First = greedy.Default, []greedy.Learner{chain}, detect.Detector{Options: d}
	case methodCRF:
		p.Learners = []greedy.Learner{chain}
	case methodStack:
		d.Parts &^= detect.Share
		p.Learners = []greedy.Learner{detect.Detector{Options: d}}
	}
	return p
}

// lines are those of all methods.
func (m *meter) lines(ctx context.Context, learnt, published []annotate.Note, differs bool) ([]Line, error) {
	methods := []string{methodCRF, methodStack, methodDefault}
	if m.o.SkipBaselines {
		methods = methods[2:]
	}
	var out []Line
	for _, method := range methods {
		r, a, err := m.run(ctx, method, learnt, greedy.Publication{Docs: published, Differs: differs})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		for _, c := range r.Choices {
			line := Line{Method: method, LC: c.LC, Forecast: forecast(c.Outcome), Rounds: len(c.Classifiers)}
			if method == methodDefault {
				line.Trust, line.Raised, line.More, line.Limited = a.Trust, a.Raised, a.More, a.Limited
			}
			line.Published, line.Loss = judge(published, c.Classifiers.RedactAll(published), c.LC)
			out = append(out, line)
		}
		if method == methodStack {
			out = append(out, m.best(published, r)...)
		}
	}
	return out, nil
}

// run chooses classifiers and adapts those of default mode to the publication.
func (m *meter) run(ctx context.Context, method string, learnt []annotate.Note, p greedy.Publication) (*greedy.Result, greedy.Adapted, error) {
	bar := m.progress.Start(method + ", per cent")
	defer bar.End()
	r, err := greedy.Sanitize(ctx, learnt, m.params(method), func(e greedy.Event) { bar.Step(int(100*e.Share), 100, e.Doing) })
	if err != nil || method != methodDefault {
		return r, greedy.Adapted{}, err
	}
	a, err := r.AdaptTo(ctx, p)
	return r, a, err
}

// best is the threshold with the least T(H) on the notes published, which nobody knows.
func (m *meter) best(published []annotate.Note, r *greedy.Result) []Line {
	var out []Line
	scores := greedy.ScoreAll(r.Choices[0].Classifiers[0].Classifier, annotate.Views(published))
	for _, lc := range m.o.LC {
		line := Line{Method: methodBest, LC: lc}
		line.Published, line.Loss = bestCut(published, scores, lc)
		out = append(out, line)
	}
	return out
}

// bestCut marks tokens from the highest score down, to where T(H) is least. Equal scores are
// marked together.
func bestCut(docs []annotate.Note, scores [][]float64, lc float64) (Shares, float64) {
	type token struct {
		score     float64
		sensitive bool
	}
	var all []token
	sensitive := 0
	for i, d := range docs {
		for x, s := range d.Sensitive {
			all = append(all, token{scores[i][x], s})
			if s {
				sensitive++
			}
		}
	}
	slices.SortFunc(all, func(a, b token) int { return cmp.Compare(b.score, a.score) })
	missed, lost, others := sensitive, 0, len(all)-sensitive
	shares, least := sharesOf(missed, lost, sensitive, others), lc*float64(missed)
	for i, t := range all {
		if t.sensitive {
			missed--
		} else {
			lost++
		}
		if loss := lc*float64(missed) + float64(lost); loss < least && (i+1 == len(all) || all[i+1].score < t.score) {
			shares, least = sharesOf(missed, lost, sensitive, others), loss
		}
	}
	return shares, least
}

func sharesOf(missed, lost, sensitive, others int) Shares {
	return Shares{float64(missed) / float64(max(1, sensitive)), 1 - float64(lost)/float64(max(1, others))}
}

func forecast(o greedy.Outcome) Shares {
	o = o.Unseen()
	return Shares{o.Residual.Value / float64(max(1, o.Sensitive)), o.NonsensitiveKept.Value}
}

// judge counts what masks miss and lose.
func judge(docs []annotate.Note, masks [][]bool, lc float64) (Shares, float64) {
	missed, lost, sensitive, others := 0, 0, 0, 0
	for i, d := range docs {
		for x, s := range d.Sensitive {
			switch {
			case s && !masks[i][x]:
				missed++
			case !s && masks[i][x]:
				lost++
			}
			if s {
				sensitive++
			} else {
				others++
			}
		}
	}
	return sharesOf(missed, lost, sensitive, others), lc*float64(missed) + float64(lost)
}

// Held says how often forecasts of default mode held, over draws.
type Held struct {
	LC        float64 `json:"lc"`
	Draws     int     `json:"draws"`
	Withdrawn int     `json:"withdrawn"` // draws with a drift warning: the forecast is unknown
	Covered   int     `json:"covered"`   // draws without one, in which the interval held the number of missed tokens
	AtMost    int     `json:"at_most_held"`
	Honest    float64 `json:"honest"` // the share of draws withdrawn or covered
}

// draws trains on random halves and publishes random halves, of the same notes or of others.
func (m *meter) draws(ctx context.Context, learnt, published []annotate.Note, same bool) ([]Held, error) {
	if m.o.Draws == 0 {
		return nil, nil
	}
	held := make([]Held, len(m.o.LC))
	for i, lc := range m.o.LC {
		held[i] = Held{LC: lc, Draws: m.o.Draws}
	}
	if same {
		learnt = slices.Concat(learnt, published)
	}
	for k := range m.o.Draws {
		seed := rand.New(rand.NewPCG(m.o.Seed, uint64(k))).Uint64()
		one, other := study.Halves(learnt, seed)
		if !same {
			other, _ = study.Halves(published, seed+1)
		}
		if err := m.draw(ctx, one, other, held); err != nil {
			return nil, fmt.Errorf("draw %d: %w", k+1, err)
		}
	}
	for i := range held {
		held[i].Honest = float64(held[i].Withdrawn+held[i].Covered) / float64(held[i].Draws)
	}
	return held, nil
}

// draw trains only where there is a forecast to compare: a drift warning withdraws it.
func (m *meter) draw(ctx context.Context, learnt, published []annotate.Note, held []Held) error {
	report, err := drift.Between(ctx, learnt, published, m.o.Seed)
	if err != nil {
		return err
	}
	if report.Warns() || !report.Known() {
		for i := range held {
			held[i].Withdrawn++
		}
		return nil
	}
	r, _, err := m.run(ctx, methodDefault, learnt, greedy.Publication{Docs: published})
	if err != nil {
		return err
	}
	for i, c := range r.Choices {
		shares, _ := judge(published, c.Classifiers.RedactAll(published), c.LC)
		missed := shares.Missed * float64(lab.CorpusOf(published).Sensitive)
		e := c.Outcome.Residual.Times(float64(lab.Patients(published)) / float64(lab.Patients(learnt)))
		if e.Low-1e-9 <= missed && missed <= e.High+1e-9 {
			held[i].Covered++
		}
		if missed <= e.AtMost+1e-9 {
			held[i].AtMost++
		}
	}
	return nil
}

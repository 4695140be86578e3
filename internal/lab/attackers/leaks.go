// SPDX-License-Identifier: Apache-2.0

package attackers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/learners"
	"hide/internal/lab"
	"hide/internal/lab/evaluate"
	"hide/internal/option"
	"hide/internal/words"
)

// LeaksOptions configure [Leaks].
type LeaksOptions struct {
	File, From string // of the published notes, and of the training notes of the publisher's tagger; "" for leaks at random
	Policies   []string
	Missed     float64
	Train      int
	Learner    string
	Preset     string
	Locale     string
	Seed       uint64
	Workers    int
}

// LeaksTable declares the options of [Leaks].
var LeaksTable = option.Table[LeaksOptions]{
	option.Some(option.About{Name: "policies", Default: "placeholders,consistent,random,markov", Value: "POLICIES", Help: "Publish with placeholders, or with surrogates that repeat as consistent, random or markov.", In: option.Command},
		nil, func(o *LeaksOptions) *[]string { return &o.Policies }),
	option.Share(option.About{Name: "missed", Default: "0.05", Value: "SHARE", Help: "Without --from this share of identifiers is missed, at random.", In: option.Command},
		option.Above(0).AtMost(1), func(o *LeaksOptions) *float64 { return &o.Missed }),
	option.Whole(option.About{Name: "train", Default: "50", Value: "N", Help: "Train the publisher's tagger on the first N notes of --from; it misses what leaks.", In: option.Command},
		option.AtLeast(1), func(o *LeaksOptions) *int { return &o.Train }),
	option.Text(option.About{Name: "learner", Default: "crf", Value: "LEARNER", Help: "The learner of publisher and attacker: " + lab.LearnersHelp(), In: option.Command},
		func(o *LeaksOptions) *string { return &o.Learner }),
	option.One(option.About{Name: "preset", Default: "default", Value: "PRESET", Help: "The preset of feature families.", In: option.Command},
		evaluate.Presets, func(o *LeaksOptions) *string { return &o.Preset }),
	localeOption(func(o *LeaksOptions) *string { return &o.Locale }),
	option.Whole(option.About{Name: "workers", Value: "N", Help: "At most N trainings at a time; 0 means two.", In: option.Command},
		option.AtLeast(0), func(o *LeaksOptions) *int { return &o.Workers }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "N", Help: "N decides leaks, surrogates and which notes the attacker marks.", In: option.Command}, func(o *LeaksOptions) *uint64 { return &o.Seed }),
}

// LeaksResult is the output of [Leaks].
type LeaksResult struct {
	File         string        `json:"file"`
	From         string        `json:"from,omitempty"`
	Publications []LeaksOfText `json:"publications"`
}

// LeaksOfText is what attackers find in one publication.
type LeaksOfText struct {
	Publication string `json:"publication"`
	attack.ParrotResult
}

// localeOption is the language of surrogates.
func localeOption[O any](field func(*O) *string) option.Option[O] {
	return option.One(option.About{Name: "locale", Default: "en", Value: "LANGUAGE", Help: "The language of surrogates.", In: option.Command},
		[]option.Choice{{Value: "en"}, {Value: "es"}, {Value: "fr"}, {Value: "de"}}, field)
}

// ErrNoLeaks is returned when nothing leaks.
var ErrNoLeaks = errors.New("no identifier leaks, so there is nothing to find")

// budgets of attackers who rank tokens.
var budgets = []int{25, 50, 100, 200, 500, 1000}

// Leaks publishes notes in several ways with the same leaks, and lets attackers look for
// them. from are the notes that the publisher's tagger is trained on; nil makes leaks at
// random.
func Leaks(ctx context.Context, notes, from []annotate.Annotated, o LeaksOptions, progress lab.Progress) (*LeaksResult, error) {
	families, _ := crf.Preset(o.Preset)
	all, programs, err := lab.Learners([]string{o.Learner}, learners.Options{CRF: crf.Options{Features: families, Workers: 1}, Seed: o.Seed})
	if err != nil {
		return nil, &option.Problem{Name: "learner", Text: err.Error()}
	}
	ctx, stop := lab.Within(ctx, programs)
	defer stop()
	publishers, err := publishersOf(o.Policies, made{o.Locale, o.Seed})
	if err != nil {
		return nil, err
	}
	if notes, err = replaceable(numbered(notes)); err != nil {
		return nil, err
	}
	if from, err = replaceable(from); err != nil {
		return nil, err
	}
	leaks, err := o.leaks(ctx, notes, from, all[0])
	if err != nil {
		return nil, err
	}
	out := &LeaksResult{File: o.File, From: o.From}
	for _, p := range publishers {
		bar := progress.Start("looking for leaks, " + p.Name)
		exposed, err := p.exposed(ctx, notes, leaks)
		if err == nil {
			var r attack.ParrotResult
			r, err = attack.RunParrot(ctx, exposed, attack.ParrotParams{Learner: all[0], Budgets: budgets, Seed: o.Seed, Workers: o.Workers})
			out.Publications = append(out.Publications, LeaksOfText{p.Name, r})
		}
		bar.End()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return out, nil
}

// leaks says, by note and span, what the publisher misses.
func (o LeaksOptions) leaks(ctx context.Context, notes, from []annotate.Annotated, l greedy.Learner) ([][]bool, error) {
	find := o.randomLeaks
	if from != nil {
		find = func(notes []annotate.Annotated) ([][]bool, error) { return o.taggerLeaks(ctx, notes, from, l) }
	}
	out, err := find(notes)
	if err == nil && !slices.ContainsFunc(out, func(some []bool) bool { return slices.Contains(some, true) }) {
		err = ErrNoLeaks
	}
	return out, err
}

func (o LeaksOptions) randomLeaks(notes []annotate.Annotated) ([][]bool, error) {
	random := rand.New(rand.NewPCG(o.Seed, 0x1eac))
	out := make([][]bool, len(notes))
	for i, n := range notes {
		out[i] = make([]bool, len(n.Spans))
		for k := range out[i] {
			out[i][k] = random.Float64() < o.Missed
		}
	}
	return out, nil
}

// taggerLeaks are the spans of which a tagger marks no token.
func (o LeaksOptions) taggerLeaks(ctx context.Context, notes, from []annotate.Annotated, l greedy.Learner) ([][]bool, error) {
	h, err := greedy.Fit(ctx, l, annotate.Views(annotate.NewNotes(from[:min(o.Train, len(from))])))
	if err != nil {
		return nil, err
	}
	cut := annotate.NewNotes(notes)
	out := make([][]bool, len(notes))
	for i, marks := range greedy.HardAll(h, annotate.Views(cut)) {
		out[i] = make([]bool, len(notes[i].Spans))
		for k, s := range notes[i].Spans {
			first, end := annotate.Covered(cut[i].Tokens, s)
			out[i][k] = !slices.Contains(marks[first:end], true)
		}
	}
	return out, ctx.Err()
}

// exposed publishes notes with leaks. Placeholders become redacted tokens of the original
// text, as in every other experiment.
func (p Publisher) exposed(ctx context.Context, notes []annotate.Annotated, leaks [][]bool) ([]attack.Exposed, error) {
	found := make([]annotate.Annotated, len(notes))
	for i, n := range notes {
		found[i] = n
		found[i].Spans = nil
		for k, s := range n.Spans {
			if !leaks[i][k] {
				found[i].Spans = append(found[i].Spans, s)
			}
		}
	}
	edits, err := p.Edits(ctx, found)
	if err != nil {
		return nil, err
	}
	out := make([]attack.Exposed, len(notes))
	for i, n := range notes {
		out[i] = exposedNote(n, leaks[i], edits[i])
	}
	return out, nil
}

// exposedNote is a note with its edits, and with leaks at the spans that are not edited.
func exposedNote(n annotate.Annotated, leaks []bool, edits []Edit) attack.Exposed {
	var all []Edit // with the leaks, which stay as they are
	leaked := map[annotate.ByteOff]bool{}
	for k, s := range n.Spans {
		if leaks[k] && !slices.ContainsFunc(edits, func(e Edit) bool { return e.Start < s.End && s.Start < e.End }) {
			all, leaked[s.Start] = append(all, Edit{Span: s, Text: n.Text[s.Start:s.End]}), true
		}
	}
	all = append(all, edits...)
	slices.SortFunc(all, func(a, b Edit) int { return int(a.Start - b.Start) })
	out := attack.Exposed{}
	text, spans := replace(n.Text, all, func(e Edit) bool { return !e.Placeholder })
	for k := range spans {
		out.Leak = append(out.Leak, leaked[all[k].Start])
	}
	n.Text, n.Spans = text, spans
	note := annotate.NewNote(n)
	out.View = annotate.View{Note: &note, Redacted: make([]bool, len(note.Words))}
	for x, span := range note.SpanOf {
		out.Redacted[x] = span >= 0 && all[span].Placeholder
	}
	return out
}

// Write prints the result as text.
func (r *LeaksResult) Write(w io.Writer) {
	if len(r.Publications) == 0 {
		return
	}
	first := r.Publications[0]
	fmt.Fprintf(w, "%s, %s\n\n", words.Count(first.Notes, "note", "notes"), words.Count(first.Leaks, "leak", "leaks"))
	rows := [][]string{{"publication", "attacker", "taken for leaks", "leaks among them", "recall", "95 %", "precision", "95 %"}}
	for _, p := range r.Publications {
		for _, s := range p.Suspected {
			if s.Suspicion != attack.Everything && p.Leaks == p.Spans {
				continue // without surrogates there is nothing to confuse leaks with
			}
			rows = append(rows, []string{p.Publication, string(s.Suspicion), words.Number(s.Flagged), words.Number(s.Found),
				words.Percent(s.Recall.Value), limits(s.Recall), words.Percent(s.Precision.Value), limits(s.Precision)})
		}
	}
	lab.WriteRows(w, rows)
	fmt.Fprint(w, "\nleaked words found among the first words that an attacker inspects\n\n")
	heads := []string{"publication", "attacker"}
	for _, b := range budgets {
		heads = append(heads, words.Number(b))
	}
	rows = [][]string{heads}
	for _, p := range r.Publications {
		rows = append(rows, points(p.Publication, "ranked", p.Ranked), points(p.Publication, "parrot, in order", p.Reversed))
	}
	lab.WriteRows(w, rows)
	r.writeLabels(w)
}

// limits: "10.8 to 21.2".
func limits(s attack.Share) string {
	return words.OneDecimal(s.Low) + " to " + words.OneDecimal(s.High)
}

func points(publication, attacker string, all []attack.Point) []string {
	row := []string{publication, attacker}
	for _, p := range all {
		row = append(row, words.Amount(p.Found))
	}
	return row
}

// writeLabels prints the parrot attack by label.
func (r *LeaksResult) writeLabels(w io.Writer) {
	fmt.Fprint(w, "\nthe parrot attack by label\n\n")
	rows := [][]string{{"publication", "label", "leaks", "taken for leaks", "leaks among them", "recall", "precision"}}
	for _, p := range r.Publications {
		for _, s := range p.ByLabel {
			rows = append(rows, []string{p.Publication, string(s.Label), words.Number(s.Leaks), words.Number(s.Flagged), words.Number(s.Found), words.Percent(s.Recall.Value), words.Percent(s.Precision.Value)})
		}
	}
	lab.WriteRows(w, rows)
}

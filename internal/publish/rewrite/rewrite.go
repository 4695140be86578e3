// SPDX-License-Identifier: Apache-2.0

// Package rewrite replaces the identifiers of annotated notes by a policy, all in memory. The
// new notes are annotated as well: a tagger can be trained on them, and experiments can attack
// them. Releases of a project are made by package draft of the project, which asks a person
// about everything that is not decided; here a placeholder stands for it.
//
//	out, err := rewrite.Notes(ctx, notes, rewrite.Options{Policy: p, Key: key})
package rewrite

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/transform"
	"hide/internal/publish/value"
	"hide/internal/words"
)

// Options say how notes are rewritten.
type Options struct {
	Policy policy.Policy
	Pairs  map[annotate.Label]annotate.Label // what labels mean whose names do not say, see [policy.Policy.Resolve]
	Key    surrogate.Key
	Locale surrogate.Locale // "" means English
}

// Result is rewritten notes.
type Result struct {
	Notes []annotate.Annotated // in the order of the input; their spans are the replaced places and what the policy keeps
	// Decisions are by note, in order. Places are those of the originals.
	Decisions [][]transform.Decision
	Report    Report
}

// Report counts what was done. It holds no text.
type Report struct {
	Policy   string                    `json:"policy"`
	Notes    int                       `json:"notes"`
	Patients int                       `json:"patients"`
	Places   int                       `json:"places"`
	Actions  map[policy.Action]int     `json:"actions"`
	Problems map[transform.Problem]int `json:"problems"` // places that a person would have to decide about
	Checks   Checks                    `json:"checks"`
}

// Checks compare the rewritten notes with the originals.
type Checks struct {
	Surrogates   int `json:"surrogates"`
	Collisions   int `json:"collisions"`   // surrogates that are a real value of some note
	Repeats      int `json:"repeats"`      // values that occur at several places of a patient
	Inconsistent int `json:"inconsistent"` // of these, how many have several surrogates
	Dates        int `json:"dates"`        // shifted full dates
	Moved        int `json:"moved"`        // of these, how many did not move by the days of their patient
	Standing     int `json:"standing"`     // originals that still stand at their place, though a rule removes them
}

// Notes replaces the spans of notes. Notes of one patient are planned together, in their order.
func Notes(ctx context.Context, notes []annotate.Annotated, o Options) (Result, error) {
	w, err := newWork(notes, o)
	if err != nil {
		return Result{}, err
	}
	out := Result{Notes: make([]annotate.Annotated, len(notes)), Decisions: make([][]transform.Decision, len(notes))}
	out.Report = Report{Policy: o.Policy.ID(), Notes: len(notes), Patients: len(w.order), Actions: map[policy.Action]int{}, Problems: map[transform.Problem]int{}}
	real := realValuesOf(notes, w.resolved)
	err = w.each(ctx, func(group string, plan transform.Plan) {
		for k, i := range w.groups[group] {
			ds := settled(plan.Notes[k])
			out.Decisions[i], out.Notes[i] = ds, rewritten(notes[i], ds)
			out.Report.count(plan.Notes[k])
		}
		w.check(&out.Report.Checks, real, group, plan, out.Decisions)
	})
	if err != nil {
		return Result{}, err
	}
	return out, nil
}

// Decisions is what [Notes] decides about each note, without the new notes and their checks.
func Decisions(ctx context.Context, notes []annotate.Annotated, o Options) ([][]transform.Decision, error) {
	w, err := newWork(notes, o)
	if err != nil {
		return nil, err
	}
	out := make([][]transform.Decision, len(notes))
	err = w.each(ctx, func(group string, plan transform.Plan) {
		for k, i := range w.groups[group] {
			out[i] = settled(plan.Notes[k])
		}
	})
	return out, err
}

// work is notes by patient with what plans them.
type work struct {
	notes    []annotate.Annotated
	resolved policy.Resolved
	planner  *transform.Planner
	groups   map[string][]int // notes by patient
	order    []string         // of patients
}

func newWork(notes []annotate.Annotated, o Options) (*work, error) {
	w := &work{notes: notes, resolved: o.Policy.Resolve(annotate.Labels(notes), o.Pairs), groups: map[string][]int{}}
	corpus, dates := surrogate.NewCorpus(), []string(nil)
	for i, n := range notes {
		group := n.Group()
		if n.Person() == "" {
			group = fmt.Sprintf("note %d", i)
		}
		if w.groups[group] == nil {
			w.order = append(w.order, group)
		}
		w.groups[group] = append(w.groups[group], i)
		for _, s := range n.Spans {
			as, text := w.resolved.Of(s.Label).Treated(), n.Text[s.Start:s.End]
			corpus.Add(as, text)
			if as == "DATE" {
				dates = append(dates, text)
			}
		}
		for _, one := range n.Identities {
			corpus.Add(one.Label, one.Value)
		}
	}
	maker, err := transform.NewMaker(o.Policy, o.Key, o.Locale, corpus)
	if err != nil {
		return nil, err
	}
	w.planner, err = transform.New(transform.Options{Policy: w.resolved, Maker: maker, Order: value.OrderOf(dates), Locale: o.Locale})
	return w, err
}

// each plans the notes of one patient after the other.
func (w *work) each(ctx context.Context, tell func(group string, plan transform.Plan)) error {
	for _, group := range w.order {
		if err := ctx.Err(); err != nil {
			return err
		}
		plan, err := w.planner.Plan(w.patient(group))
		if err != nil {
			return fmt.Errorf("notes of a patient: %w", err)
		}
		tell(group, plan)
	}
	return nil
}

func (w *work) patient(group string) transform.Patient {
	p := transform.Patient{ID: group}
	for _, i := range w.groups[group] {
		n := w.notes[i]
		note := transform.Note{ID: annotate.DocumentID(i + 1), Text: n.Text}
		for _, s := range n.Spans {
			note.Spans = append(note.Spans, transform.Span{Start: s.Start, End: s.End, Label: s.Label, By: transform.ByPerson})
		}
		slices.SortFunc(note.Spans, func(a, b transform.Span) int { return int(a.Start - b.Start) })
		p.Notes = append(p.Notes, note)
		p.Identities = append(p.Identities, n.Identities...)
	}
	return p
}

// settled are the decisions without those about unmarked repeats, which nobody is asked about
// here. Other undecided places have a placeholder already.
func settled(ds []transform.Decision) []transform.Decision {
	return slices.DeleteFunc(slices.Clone(ds), func(d transform.Decision) bool { return d.By == transform.ByRepeat })
}

// rewritten is a note with its decisions applied. Its spans are the places of the decisions.
func rewritten(n annotate.Annotated, ds []transform.Decision) annotate.Annotated {
	out := n
	out.Spans, out.Identities = nil, nil
	var places []annotate.Span
	out.Text, places = transform.ApplyPlaces(n.Text, ds)
	for _, p := range places {
		if p.Start < p.End {
			out.Spans = append(out.Spans, p)
		}
	}
	return out
}

func (r *Report) count(ds []transform.Decision) {
	for _, d := range ds {
		if d.Problem != "" {
			r.Problems[d.Problem]++
		}
		if d.By != transform.ByRepeat {
			r.Places++
			r.Actions[d.Action]++
		}
	}
}

// Stream rewrites notes that are read one after the other. It reads all of them first, because
// no surrogate may be a value of any note. Later passes give the same notes again and read
// nothing: a conversion names what it loses before it writes. report gets the result.
func Stream(ctx context.Context, o Options, report *Report) func(docs iter.Seq2[annotate.Annotated, error]) iter.Seq2[annotate.Annotated, error] {
	var notes []annotate.Annotated // rewritten; nil before the first pass
	return func(docs iter.Seq2[annotate.Annotated, error]) iter.Seq2[annotate.Annotated, error] {
		return func(yield func(annotate.Annotated, error) bool) {
			if notes == nil {
				out, err := rewriteAll(ctx, docs, o)
				if err != nil {
					yield(annotate.Annotated{}, err)
					return
				}
				notes, *report = out.Notes, out.Report
			}
			for _, n := range notes {
				if !yield(n, nil) {
					return
				}
			}
		}
	}
}

func rewriteAll(ctx context.Context, docs iter.Seq2[annotate.Annotated, error], o Options) (Result, error) {
	var all []annotate.Annotated
	for d, err := range docs {
		if err != nil {
			return Result{}, err
		}
		all = append(all, d)
	}
	return Notes(ctx, all, o)
}

// Write prints the report.
func (r Report) Write(w io.Writer) {
	fmt.Fprintf(w, "%s: %s in %s of %s\n", r.Policy, words.Count(r.Places, "identifier", "identifiers"), words.Count(r.Notes, "note", "notes"), words.Count(r.Patients, "patient", "patients"))
	for _, a := range policy.Actions() {
		if n := r.Actions[a]; n > 0 {
			fmt.Fprintf(w, "  %s: %s\n", a.Words(), words.Number(n))
		}
	}
	for _, p := range transform.Problems() {
		if n := r.Problems[p]; n > 0 {
			fmt.Fprintf(w, "  not decided, %s: %s\n", p, words.Number(n))
		}
	}
	c := r.Checks
	fmt.Fprintf(w, "checks: %s of %s are a real value of the notes; %s of %s that occur again have several surrogates; %s of %s did not move by the days of their patient; %s still stand at their place\n",
		words.Number(c.Collisions), words.Count(c.Surrogates, "surrogate", "surrogates"), words.Number(c.Inconsistent), words.Count(c.Repeats, "value", "values"),
		words.Number(c.Moved), words.Count(c.Dates, "date", "dates"), words.Count(c.Standing, "identifier", "identifiers"))
}

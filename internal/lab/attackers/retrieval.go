// SPDX-License-Identifier: Apache-2.0

package attackers

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/lab"
	"hide/internal/option"
	"hide/internal/publish/joint"
	tables "hide/internal/publish/table"
	"hide/internal/words"
)

// RetrievalOptions configure [Retrieval].
type RetrievalOptions struct {
	File     string // its name, for the result
	Policies []string
	K        int
	Lambda   float64
	Halves   bool
	Locale   string
	Seed     uint64
	Workers  int
}

// RetrievalTable declares the options of [Retrieval].
var RetrievalTable = option.Table[RetrievalOptions]{
	option.Some(option.About{Name: "policies", Default: "original,placeholders,safe-harbor,surrogates", Value: "POLICIES", Help: "Publish by these policies, with commas between; original replaces nothing.", In: option.Command},
		nil, func(o *RetrievalOptions) *[]string { return &o.Policies }),
	option.Whole(option.About{Name: "k", Default: "5", Value: "K", Help: "With --config also publish notes and table together, in classes of K patients.", In: option.Command},
		option.AtLeast(2), func(o *RetrievalOptions) *int { return &o.K }),
	option.Number(option.About{Name: "lambda", Default: "0.5", Value: "X", Help: "The weight of attributes against terms in that release.", In: option.Command},
		option.From(0.0, 1), func(o *RetrievalOptions) *float64 { return &o.Lambda }),
	option.Switch(option.About{Name: "halves", Help: "Cut each note in two, so that one half is the other note of the patient. For notes of one note a patient.", In: option.Command},
		func(o *RetrievalOptions) *bool { return &o.Halves }),
	localeOption(func(o *RetrievalOptions) *string { return &o.Locale }),
	option.Whole(option.About{Name: "workers", Value: "N", Help: "At most N notes at a time; 0 means two.", In: option.Command},
		option.AtLeast(0), func(o *RetrievalOptions) *int { return &o.Workers }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "N", Help: "N decides surrogates.", In: option.Command}, func(o *RetrievalOptions) *uint64 { return &o.Seed }),
}

// RetrievalResult is the output of [Retrieval].
type RetrievalResult struct {
	File         string            `json:"file"`
	Publications []RetrievalOfText `json:"publications"`
}

// RetrievalOfText is what attackers link in one publication.
type RetrievalOfText struct {
	Publication string          `json:"publication"`
	Result      retrieve.Result `json:"result"`
	Words       []string        `json:"words"`
}

// Documents are the notes of a table with texts: attributes are the structured fields, and
// sensitive terms the spans. The number of a row is the name of its note.
func Documents(view *joint.View) []annotate.Annotated {
	out := make([]annotate.Annotated, 0, view.Rows())
	for i := range view.Rows() {
		row := view.Row(i)
		d := annotate.Annotated{Document: annotate.Document{Name: strconv.Itoa(i + 1), Attributes: map[string]string{}}}
		for k, a := range view.Config.Attributes {
			if a.Role == tables.Direct && d.Patient == "" {
				d.Patient = strings.TrimSpace(row.Values[k])
			} else if a.Role != tables.Text {
				d.Attributes[a.Name] = row.Values[k]
			}
		}
		if len(row.Texts) > 0 {
			d.Text = row.Texts[0].Text
			for _, s := range row.Texts[0].Terms {
				if view.Config.Counts(s.Label) {
					d.Spans = append(d.Spans, s)
				}
			}
		}
		out = append(out, d)
	}
	return out
}

// Retrieval publishes notes in several ways, and links them to patients. With a view of the
// same notes, whose order is that of its rows, it also publishes notes and table together.
func Retrieval(ctx context.Context, notes []annotate.Annotated, view *joint.View, o RetrievalOptions, progress lab.Progress) (*RetrievalResult, error) {
	notes = numbered(notes)
	if o.Halves {
		notes = halves(notes)
	}
	originals := make([]annotate.Document, len(notes))
	for i, n := range notes {
		originals[i] = n.Document
	}
	out := &RetrievalResult{File: o.File}
	attack := func(name string, published []retrieve.Published) error {
		bar := progress.Start("linking notes, " + name)
		defer bar.End()
		r, err := retrieve.Release(ctx, published, originals, retrieve.Params{Workers: o.Workers, Progress: func(done, all int) { bar.Step(done, all, "") }})
		if err == nil {
			out.Publications = append(out.Publications, RetrievalOfText{name, r, r.Words()})
		}
		return err
	}
	publishers, err := publishersOf(o.Policies, made{o.Locale, o.Seed})
	if err != nil {
		return nil, err
	}
	for _, p := range publishers {
		published, err := p.published(ctx, notes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if err := attack(p.Name, published); err != nil {
			return nil, err
		}
	}
	if view == nil || o.Halves {
		return out, nil
	}
	published, err := publishedTogether(ctx, notes, view, o)
	if err != nil {
		return nil, err
	}
	return out, attack("joint, k = "+strconv.Itoa(o.K), published)
}

// numbered names notes by their place, because not all formats have names. A note without a
// patient is about a person of its own.
func numbered(notes []annotate.Annotated) []annotate.Annotated {
	out := slices.Clone(notes)
	for i, n := range notes {
		out[i].Name = strconv.Itoa(i + 1)
		out[i].Patient = cmp.Or(n.Patient, "note "+out[i].Name)
	}
	return out
}

// published are the notes as they leave.
func (p Publisher) published(ctx context.Context, notes []annotate.Annotated) ([]retrieve.Published, error) {
	edits, err := p.Edits(ctx, notes)
	if err != nil {
		return nil, err
	}
	out := make([]retrieve.Published, len(notes))
	for i, n := range notes {
		out[i].Name = n.Name
		var spans []annotate.Span
		out[i].Text, spans = replace(n.Text, edits[i], func(Edit) bool { return true })
		for k, s := range spans {
			if edits[i][k].Placeholder {
				out[i].Hidden = append(out[i].Hidden, s)
			}
		}
	}
	return out, nil
}

// publishedTogether are the first texts of rows as a joint release has them. The row beside
// a note tells which class its patient is in, so an attacker ranks only these patients.
func publishedTogether(ctx context.Context, notes []annotate.Annotated, view *joint.View, o RetrievalOptions) ([]retrieve.Published, error) {
	partition, err := view.Partition(ctx, joint.Settings{Strategy: joint.Mondrian, K: o.K, Lambda: o.Lambda, Cut: joint.Least})
	if err != nil {
		return nil, err
	}
	recoding, err := view.Recode(ctx, partition)
	if err != nil {
		return nil, err
	}
	out := make([]retrieve.Published, len(notes))
	for class, people := range partition.Classes {
		var rows []int
		among := []string{}
		for _, person := range people {
			rows = append(rows, view.RowsOf(person)...)
			among = append(among, notes[view.RowsOf(person)[0]].Patient)
		}
		for _, row := range rows {
			text, places := recoding.Rewrite(row, 0, class)
			out[row] = retrieve.Published{Name: notes[row].Name, Text: text, Among: among}
			for _, p := range places {
				if p.How == joint.Suppressed {
					out[row].Hidden = append(out[row].Hidden, annotate.Span{Start: p.Start, End: p.End})
				}
			}
		}
	}
	return out, nil
}

// halves cuts each note at the blank line or space nearest to its middle, outside of spans.
func halves(notes []annotate.Annotated) []annotate.Annotated {
	var out []annotate.Annotated
	for _, n := range notes {
		at := middle(n)
		first, second := n, n
		first.Name, second.Name = n.Name+"/1", n.Name+"/2"
		first.Text, second.Text = n.Text[:at], n.Text[at:]
		first.Spans, second.Spans = nil, nil
		for _, s := range n.Spans {
			if s.End <= at {
				first.Spans = append(first.Spans, s)
			} else {
				second.Spans = append(second.Spans, annotate.Span{Start: s.Start - at, End: s.End - at, Label: s.Label})
			}
		}
		out = append(out, first, second)
	}
	return out
}

// middle is where a note is cut, in its middle half: at a blank line, else at a space, else
// not at all.
func middle(n annotate.Annotated) annotate.ByteOff {
	best, blank := annotate.ByteOff(len(n.Text)), false
	half := annotate.ByteOff(len(n.Text) / 2)
	for at := half / 2; at < half+half/2; at++ {
		i := int(at)
		isBlank := strings.HasPrefix(n.Text[i:], "\n\n")
		if !isBlank && (blank || n.Text[i] != ' ' && n.Text[i] != '\n') || inside(n.Spans, at) {
			continue
		}
		if isBlank && !blank || max(at-half, half-at) < max(best-half, half-best) {
			best, blank = at, isBlank
		}
	}
	return best
}

// inside reports whether a place is within a span.
func inside(spans []annotate.Span, at annotate.ByteOff) bool {
	for _, s := range spans {
		if s.Start < at && at < s.End {
			return true
		}
	}
	return false
}

// Write prints the result as text.
func (r *RetrievalResult) Write(w io.Writer) {
	for i, p := range r.Publications {
		if i == 0 {
			fmt.Fprintf(w, "%s of %s\n\n", words.Count(p.Result.Notes, "note", "notes"), words.Count(p.Result.Patients, "patient", "patients"))
		}
	}
	rows := [][]string{{"publication", "attacker has", "ranked by", "first guess", "95 %", "ten guesses", "95 %", "patients linked", "by chance", "ten by chance"}}
	for _, p := range r.Publications {
		for _, row := range p.Result.Rows {
			best, _ := p.Result.Best(row.Knowledge)
			ranker := string(row.Ranker)
			if best == row {
				ranker += " *"
			}
			rows = append(rows, []string{p.Publication, string(row.Knowledge), ranker, words.Percent(row.Top1.Share), interval(row.Top1), words.Percent(row.Top10.Share), interval(row.Top10),
				words.Percent(row.Linked.Share), words.Percent(p.Result.Chance1), words.Percent(p.Result.Chance10)})
		}
	}
	lab.WriteRows(w, rows)
	fmt.Fprint(w, "\n* the better ranking of the two, which an attacker could not know\n")
}

// interval: "10.8 to 21.2".
func interval(r retrieve.Rate) string {
	return words.OneDecimal(r.Low) + " to " + words.OneDecimal(r.High)
}

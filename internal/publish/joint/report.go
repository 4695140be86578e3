// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"hide/internal/publish/table"
)

// Report are the measurements of a release.
type Report struct {
	Strategy  Strategy   `json:"strategy"`
	K         int        `json:"k"`
	Lambda    float64    `json:"lambda"`
	Cut       Cut        `json:"cut"`
	Persons   int        `json:"persons"`
	Rows      int        `json:"rows"`
	Mentions  Mentions   `json:"mentions"`
	Classes   Sizes      `json:"classes"`
	Splits    []Split    `json:"splits"`
	Loss      Loss       `json:"loss"`
	Published [2]float64 `json:"published_loss"` // of the relational and the textual part, see PublishedLoss
	Differ    Differ     `json:"differ"`
	Risk      Risk       `json:"risk"`
	AsTheyAre []string   `json:"as_they_are"` // attributes that are released unchanged
	// OwnValues are quasi-identifiers whose values are still in the texts.
	OwnValues []OwnValues `json:"own_values_in_texts,omitempty"`
}

// Mentions counts the places where sensitive terms stand.
type Mentions struct {
	Terms      int `json:"terms"` // different non-redundant ones
	Places     int `json:"places"`
	Redundant  int `json:"redundant"`
	Direct     int `json:"direct"`   // repeat a direct identifier
	Unlisted   int `json:"unlisted"` // of types that the configuration does not list: they are kept
	Kept       int `json:"kept"`
	Recoded    int `json:"recoded"`
	Suppressed int `json:"suppressed"`
}

// Sizes are of classes, in persons.
type Sizes struct {
	Count          int     `json:"count"`
	Least          int     `json:"least"`
	Most           int     `json:"most"`
	Mean           float64 `json:"mean"`
	Discernibility int     `json:"discernibility"` // sum of squares
}

// Differ counts the classes whose persons still differ in more than attributes and sets of
// terms.
type Differ struct {
	Notes int `json:"classes_with_different_numbers_of_notes"`
	Kept  int `json:"classes_with_different_numbers_of_kept_mentions"`
}

// Report measures a recoding. It looks at ctx before each class.
func (r *Recoding) Report(ctx context.Context, s Settings, p Partition, e Exposure) (Report, error) {
	risk, err := r.Risk(e)
	if err != nil {
		return Report{}, err
	}
	if err := r.view.checkSettings(&s); err != nil {
		return Report{}, err
	}
	mentions, err := r.mentions(ctx)
	if err != nil {
		return Report{}, err
	}
	out := Report{
		Strategy: s.Strategy, K: s.K, Lambda: s.Lambda, Cut: s.Cut, Persons: r.view.Persons(), Rows: r.view.Rows(),
		Mentions: mentions, Classes: sizes(r.classes), Splits: p.Splits, Loss: r.Loss(), Differ: r.differ(), Risk: risk,
		AsTheyAre: r.view.Config.names(table.Insensitive),
	}
	out.Published[0], out.Published[1] = r.PublishedLoss()
	out.OwnValues, err = r.ownValues(ctx)
	return out, err
}

func (r *Recoding) mentions(ctx context.Context) (Mentions, error) {
	out := Mentions{Terms: len(r.view.terms)}
	for class, people := range r.classes {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		r.view.eachMention(people, func(text string, m mention) {
			switch m.kind {
			case unlisted:
				out.Unlisted++
				return
			case redundant:
				out.Redundant++
			case direct:
				out.Direct++
			}
			out.Places++
			switch _, how := r.becomes(class, text, m); how {
			case Kept:
				out.Kept++
			case Recoded:
				out.Recoded++
			case Suppressed:
				out.Suppressed++
			}
		})
	}
	return out, nil
}

func sizes(classes [][]int) Sizes {
	s := Sizes{Count: len(classes), Least: len(classes[0])}
	all := 0
	for _, c := range classes {
		all += len(c)
		s.Least, s.Most = min(s.Least, len(c)), max(s.Most, len(c))
		s.Discernibility += len(c) * len(c)
	}
	s.Mean = float64(all) / float64(len(classes))
	return s
}

func (r *Recoding) differ() Differ {
	var d Differ
	for class, people := range r.classes {
		notes, kept := false, false
		first := r.keptCounts(class, people[0])
		for _, who := range people[1:] {
			notes = notes || len(r.view.people[who].rows) != len(r.view.people[people[0]].rows)
			kept = kept || !slices.Equal(r.keptCounts(class, who), first)
		}
		d.Notes += one(notes)
		d.Kept += one(kept)
	}
	return d
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// keptCounts is how often each kept term of the class stands in a person's texts.
func (r *Recoding) keptCounts(class, who int) []int {
	counts := make([]int, len(r.kept[class]))
	r.view.eachMention([]int{who}, func(_ string, m mention) {
		if i, stays := slices.BinarySearch(r.kept[class], m.term); m.kind == plain && stays {
			counts[i]++
		}
	})
	return counts
}

// Warnings are for those who publish or receive the release. They contain none of its
// data. It is never nil.
func (r Report) Warnings() []string {
	out := []string{}
	if r.Mentions.Places == 0 {
		out = append(out, "no sensitive term was given or found: the texts are released unchanged")
	}
	if r.Mentions.Unlisted > 0 {
		out = append(out, fmt.Sprintf("%d terms that were given or found remain in the texts: the configuration does not list their types", r.Mentions.Unlisted))
	}
	for _, own := range r.OwnValues {
		out = append(out, fmt.Sprintf("at %d places the notes of %d of %d persons still contain their own %q, which the table generalizes: remove such values from the notes (own values), or list their type among the entities of the attribute", own.Places, own.Persons, r.Persons, own.Attribute))
	}
	if len(r.AsTheyAre) > 0 {
		out = append(out, fmt.Sprintf("these attributes are released unchanged, so that persons of a class may differ in them: %s", strings.Join(r.AsTheyAre, ", ")))
	}
	if r.Differ.Notes > 0 {
		out = append(out, fmt.Sprintf("in %d of %d equivalence classes persons have different numbers of notes: an attacker who knows the number can tell them apart", r.Differ.Notes, r.Classes.Count))
	}
	if r.Differ.Kept > 0 {
		out = append(out, fmt.Sprintf("in %d of %d equivalence classes a kept term occurs more often in the notes of some persons than of others", r.Differ.Kept, r.Classes.Count))
	}
	if r.Risk.Leak == 0 {
		out = append(out, "the share of notes with a missed sensitive term was not estimated: the risk is that of the table alone")
	}
	if r.Risk.OverLimits > 0 && r.Risk.Threshold > 0 {
		out = append(out, fmt.Sprintf("%d of %d persons have a joint risk above %g", r.Risk.OverLimits, r.Persons, r.Risk.Threshold))
	}
	return out
}

// WriteText writes the report in words and tables, without the warnings. It ignores errors
// of w.
func (r Report) WriteText(w io.Writer) {
	how := fmt.Sprintf("Mondrian, lambda %g, cut by %s", r.Lambda, r.Cut)
	if r.Strategy == GDF {
		how = "GDF"
	}
	fmt.Fprintf(w, "%d persons with %d rows in %d classes of %d to %d (k = %d; %s)\n", r.Persons, r.Rows, r.Classes.Count, r.Classes.Least, r.Classes.Most, r.K, how)
	fmt.Fprintf(w, "%d sensitive terms stand in %d places: %d kept, %d recoded, %d suppressed\n", r.Mentions.Terms, r.Mentions.Places, r.Mentions.Kept, r.Mentions.Recoded, r.Mentions.Suppressed)
	fmt.Fprintf(w, "loss (NCP): %.4f of the attributes, %.4f of the texts, %.4f together\n\n", r.Loss.Relational, r.Loss.Textual, r.Loss.Total)
	r.Loss.writeTable(w)
	fmt.Fprintf(w, "\nrisk of a person: %.4f at most, %.4f on average (table %.4f, text %.4f); %d above %g\n", r.Risk.Max, r.Risk.Mean, r.Risk.MeanTable, r.Risk.MeanText, r.Risk.OverLimits, r.Risk.Threshold)
}

func (l Loss) writeTable(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "attribute\tNCP\t\n")
	for _, a := range l.Attributes {
		fmt.Fprintf(t, "%s\t%.4f\t\n", a.Name, a.Loss)
	}
	fmt.Fprint(t, "\t\t\n")
	fmt.Fprint(t, "terms of type\tpersons\tterms\tsuppressed\tloss\t\n")
	for _, one := range l.Types {
		name := string(one.Type)
		if l.Types[0].Text != l.Types[len(l.Types)-1].Text { // they are by text
			name = one.Text + " " + name
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.4f\t\n", name, one.Persons, one.Terms, one.Suppressed, one.Loss)
	}
	_ = t.Flush() // a table that cannot be written shows in the next write
}

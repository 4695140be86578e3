// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"hide/internal/parallel"
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

// SweepOptions are the settings to try.
type SweepOptions struct {
	K        []int     // values above the number of persons are skipped
	Lambda   []float64 // for [Mondrian]
	Cuts     []Cut     // for [Mondrian]; default all
	Ours     bool      // without rx-anon's program
	Exposure Exposure
	Workers  int // settings at a time; default 1
}

// SweepPoint is the result of one setting.
type SweepPoint struct {
	Settings
	Relational float64    `json:"relational"`
	Textual    float64    `json:"textual"`
	WithTerms  float64    `json:"textual_of_persons_with_terms"`
	Total      float64    `json:"total"`
	Program    [2]float64 `json:"as_the_program_counts"` // relational and textual, see PublishedLoss
	Classes    Sizes      `json:"classes"`
	Cuts       [2]int     `json:"cuts"` // at attributes, at terms
	Types      []TypeLoss `json:"types"`
	Mentions   Mentions   `json:"mentions"`
	MaxRisk    float64    `json:"max_risk"`
	MeanRisk   float64    `json:"mean_risk"`
	Differ     Differ     `json:"differ"`
	Alike      []Alike    `json:"-"` // see [Exposure.Of]
}

// Sweep tries every k with every lambda, with each requested [Cut] and as rx-anon's
// program cuts, and with GDF, ours and theirs. The order is that of the settings: for
// each k, GDF, theirs, then for each lambda those of Mondrian, theirs last. done is
// called after each with the number done and the total; it may be nil.
func (v *View) Sweep(ctx context.Context, o SweepOptions, done func(n, all int)) ([]SweepPoint, error) {
	if err := o.Exposure.Check(); err != nil {
		return nil, err
	}
	settings := o.settings(v.Persons())
	theirs := map[int]Partition{}
	if !o.Ours {
		var err error
		if theirs, err = v.publishedInTurn(ctx, o.K); err != nil {
			return nil, err
		}
	}
	points, failed := make([]SweepPoint, len(settings)), make([]error, len(settings))
	var mu sync.Mutex // guards n and calls of done
	n := 0
	err := parallel.Do(ctx, o.Workers, len(settings), func(_, i int) {
		points[i], failed[i] = v.try(ctx, settings[i], theirs, o.Exposure)
		mu.Lock()
		defer mu.Unlock()
		if n++; done != nil {
			done(n, len(settings))
		}
	})
	if err != nil {
		return nil, err
	}
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return points, nil
}

func (o SweepOptions) settings(persons int) []Settings {
	var all []Settings
	cuts := o.Cuts
	if len(cuts) == 0 {
		cuts = []Cut{Median, Presence, Least}
	}
	for _, k := range o.K {
		if k > persons {
			continue
		}
		all = append(all, Settings{Strategy: GDF, K: k}, Settings{Strategy: GDF, K: k, Published: true})
		for _, lambda := range o.Lambda {
			for _, cut := range cuts {
				all = append(all, Settings{Strategy: Mondrian, K: k, Lambda: lambda, Cut: cut})
			}
			all = append(all, Settings{Strategy: Mondrian, K: k, Lambda: lambda, Cut: Median, Published: true})
		}
	}
	if o.Ours {
		all = slices.DeleteFunc(all, func(s Settings) bool { return s.Published })
	}
	return all
}

// publishedInTurn partitions by GDF like the program: with one dictionary of terms for
// all k, in their order.
func (v *View) publishedInTurn(ctx context.Context, ks []int) (map[int]Partition, error) {
	g, out := v.PublishedGDF(), map[int]Partition{}
	for _, k := range slices.Sorted(slices.Values(ks)) {
		if k > v.Persons() {
			continue
		}
		p, err := g.Partition(ctx, k)
		if err != nil {
			return nil, err
		}
		out[k] = p
	}
	return out, nil
}

func (v *View) try(ctx context.Context, s Settings, theirs map[int]Partition, e Exposure) (SweepPoint, error) {
	p, known := theirs[s.K]
	if !known || s.Strategy != GDF || !s.Published {
		var err error
		if p, err = v.Partition(ctx, s); err != nil {
			return SweepPoint{}, err
		}
	}
	r, err := v.Recode(ctx, p)
	if err != nil {
		return SweepPoint{}, err
	}
	mentions, err := r.mentions(ctx)
	if err != nil {
		return SweepPoint{}, err
	}
	l := r.Loss()
	alike := r.Alike()
	risk := e.Of(alike)
	out := SweepPoint{
		Settings: s, Relational: l.Relational, Textual: l.Textual, WithTerms: l.WithTerms, Total: l.Total, Types: l.Types, Mentions: mentions,
		Classes: sizes(p.Classes), Cuts: [2]int{p.Relational, p.Textual}, MaxRisk: risk.Max, MeanRisk: risk.Mean, Differ: r.differ(), Alike: alike,
	}
	out.Program[0], out.Program[1] = r.PublishedLoss()
	return out, nil
}

// Best is the point with the least total loss, not counting the program's, where no
// person's risk is above the threshold; of equals the first. ok is false if there is
// none.
func Best(points []SweepPoint, threshold float64) (best SweepPoint, ok bool) {
	for _, p := range points {
		if !p.Published && p.MaxRisk <= threshold && (!ok || p.Total < best.Total) {
			best, ok = p, true
		}
	}
	return best, ok
}

// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/project/links"
	"hide/web/ui"
)

// lead says in one sentence where the linkage stands.
func lead(s links.State) string {
	f := s.Figures
	switch {
	case !s.Linked:
		return "The records were never linked: each patient's key counts as one patient."
	case s.ImportedSince > 0:
		return ui.Count(s.ImportedSince, "note was", "notes were") + " imported or restored after the records were linked. New records among them count as patients of their own."
	case f.Review > 0:
		return counted(f) + " " + ui.Count(f.Review, "pair waits", "pairs wait") + " for your decision."
	}
	return counted(f) + " No pair waits for a decision."
}

func counted(f links.Figures) string {
	return ui.Count(f.Records, "record is", "records are") + " of " + ui.Count(f.Patients, "patient.", "patients.")
}

// doing says what a run does.
func doing(p links.Progress) string {
	words := "Linking the records"
	if p.Pass > 0 {
		words += ", pass " + strconv.Itoa(p.Pass) + " of 2"
	}
	if p.Doing != "" {
		words += ": " + p.Doing
	}
	if p.Total > 0 {
		words += ", " + ui.Number(p.Done) + " of " + ui.Number(p.Total)
	}
	return words + "."
}

func share(p links.Progress) float64 { return float64(p.Done) / float64(max(1, p.Total)) }

// passWords name what is known after each pass.
func passWords(i int) string {
	if i == 0 {
		return "Before"
	}
	return "After pass " + strconv.Itoa(i)
}

// expected writes an expected number: 3.4, or 120 without decimals.
func expected(v float64) string {
	switch {
	case v >= 99.5:
		return ui.Number(int(v + .5))
	case v > 0 && v < .05:
		return "less than 0.1"
	}
	return fmt.Sprintf("%.1f", v)
}

func recordWords(n uint64) string { return "record " + strconv.FormatUint(n, 10) }

// recordKey is the key and the size of a record.
func recordKey(r links.Record) string {
	kind := "note "
	if r.Keyed {
		kind = "key "
	}
	return kind + r.Key + ", " + ui.Count(len(r.Notes), "note", "notes")
}

func pairWords(p links.PairID) string { return fmt.Sprintf("records %d and %d", p.A, p.B) }

func pairTitle(p links.PairID) string { return ui.Capitalized(pairWords(p)) }

// verdict is a decision in words.
func verdict(same bool) string {
	if same {
		return "same person"
	}
	return "different people"
}

// whyAsked says why a pair is shown.
func whyAsked(p links.Pair) string {
	switch p.Status {
	case links.Bridge:
		return "Bridge: without this link the records of the patient fall apart."
	case links.Uncertain:
		return "Uncertain: this may be one person or two."
	case links.Conflict:
		return "Conflict: the records are linked, and their birth dates differ. A father and a son may look like this."
	case links.Split:
		return "Split: the pair looks alike, but the records on both sides do not fit together."
	case links.Decided:
		return "A person decided about this pair."
	}
	return "This pair does not wait for a decision."
}

// odds is the probability of a pair in words.
func odds(p links.Pair) string {
	if p.Probability == 0 {
		return "These records were not compared, or they have hardly anything in common."
	}
	words := "Probability of one person: " + ui.Percent(p.Probability) + "."
	if p.Linked {
		return words + " The records are linked now."
	}
	return words + " The records are not linked now."
}

// rowWords say how the values of two records compare.
func rowWords(r links.Row) string {
	switch {
	case r.Same:
		return "same"
	case r.Differs:
		return "differs"
	}
	return "" // only one of them has a value
}

// from says where a value stands.
func from(v links.Value) string {
	return string(v.From) + ", " + ui.Count(v.Count, "note", "notes")
}

// noteOf is a note that has the value, 0 if none is in the project now.
func noteOf(v links.Value) annotate.DocumentID {
	if len(v.Notes) == 0 {
		return 0
	}
	return v.Notes[0]
}

// waterfall draws the parts of the weight of a pair. Missing values have none.
func waterfall(p links.Pair) *chart.Waterfall {
	var steps []chart.Step
	for _, b := range p.Bars {
		if b.Weight != 0 {
			steps = append(steps, chart.Step{Name: b.Field, Amount: b.Weight})
		}
	}
	return chart.NewWaterfall("waterfall", "Weight of the pair, in bits", steps)
}

func sum(bars []links.Bar) (all float64) {
	for _, b := range bars {
		all += b.Weight
	}
	return all
}

// part is a piece of a value; Mark says that the other record has something else there.
type part struct {
	Text string
	Mark bool
}

// parts marks the difference between a value and the first value of the other record: all letters
// but the common beginning and the common end.
func parts(v links.Value, others []links.Value, differs bool) []part {
	if !differs || len(others) == 0 {
		return []part{{Text: v.Text}}
	}
	a, b := []rune(v.Text), []rune(others[0].Text)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return []part{{Text: string(a[:head])}, {Text: string(a[head : len(a)-tail]), Mark: true}, {Text: string(a[len(a)-tail:])}}
}

func laterWords(later int) string {
	if later == 0 {
		return ""
	}
	return ", " + ui.Number(later) + " put off"
}

func laterURL(v view) templ.SafeURL {
	return ui.LinksURL(v.Project.ID) + templ.SafeURL("?later="+strconv.Itoa(v.Later+1))
}

func sayValue(same bool) string {
	if same {
		return sameValue
	}
	return differentValue
}

// agreement is a level of agreement in words.
func agreement(level string) string {
	if level == "else" {
		return "different"
	}
	return level
}

// rareWords is the part of a weight that a rare or common value makes.
func rareWords(b links.Bar) string {
	if b.Rare == 0 {
		return ""
	}
	return chart.Signed(b.Rare)
}

// shareText writes a probability of the model: 0.94, 0.00012.
func shareText(v float64) string { return strconv.FormatFloat(v, 'g', 2, 64) }

// tryPath is the page of the thresholds with one threshold of the list.
func tryPath(t links.Threshold, floor string) string {
	return "/thresholds?" + url.Values{"link": {probabilityText(t.Link)}, "floor": {floor}}.Encode()
}

func linkWords(l links.Link) string {
	words := ui.Percent(l.Probability)
	if l.Decided {
		words = "decided by a person"
	}
	if l.Bridge {
		words += ", bridge"
	}
	return words
}

// How much of a patient the lists have.
const (
	othersShown  = 3   // other values of a field in the identifier view
	recordsShown = 8   // keys in the identifier view
	mostListed   = 200 // records or links
)

func first[T any](all []T, n int) []T { return all[:min(len(all), n)] }

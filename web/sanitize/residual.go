// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/settings"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/web/outcome"
	"hide/web/ui"
)

// wordKind is a kind of word as the start form and the results call it.
type wordKind struct {
	kind              greedy.WordKind
	title, what, lost string
}

var wordKinds = []wordKind{
	{greedy.Punctuation, "punctuation", "signs", "a redacted punctuation mark"},
	{greedy.Number, "numbers", "12, 5mg", "a redacted number"},
	{greedy.CommonWord, "common words", "the, für, de", "a redacted common word"},
	{greedy.OtherWord, "other words", "most of what a note says", "any other redacted word"},
}

// wordKindOf is how a kind is called.
func wordKindOf(k greedy.WordKind) wordKind {
	if i := slices.IndexFunc(wordKinds, func(w wordKind) bool { return w.kind == k }); i >= 0 {
		return wordKinds[i]
	}
	return wordKind{kind: k, title: string(k)}
}

// priceWords: "a redacted common word costs 0.2 times as much, a redacted number costs
// twice as much"; "" when all costs are equal.
func priceWords(p sanitize.Params) string {
	var words []string
	for _, w := range wordKinds {
		if times, set := p.CostByKind[w.kind]; set && times != 1 {
			words = append(words, w.lost+" costs "+muchWords(times))
		}
	}
	return strings.Join(words, ", ")
}

func muchWords(times float64) string {
	switch times {
	case 0.5:
		return "half as much"
	case 2:
		return "twice as much"
	}
	return ui.Ratio(times) + " times as much"
}

// lostTimes is the cost of an over-redacted word of a kind, where it is not 1.
func lostTimes(p sanitize.Params, k greedy.WordKind) string {
	if times, set := p.CostByKind[k]; set && times != 1 {
		return muchWords(times)
	}
	return ""
}

// remainder is the remaining part of one way to count PHI.
type remainder struct {
	what string
	left greedy.Estimate
	of   int
}

// remaining are the ways to count missed PHI. It leaves out what was not counted, as in
// runs of earlier versions, and patients where none is known.
func remaining(o greedy.Outcome) []remainder {
	all := []remainder{
		{"identifiers", o.IdentifiersMissed, o.Identifiers},
		{"words", o.Residual, o.Sensitive},
		{"informative words", o.InformativeMissed, o.Informative},
		{"notes", o.DocumentsWithLeak, o.Documents},
		{"patients", o.PatientsWithLeak, o.Patients},
	}
	return slices.DeleteFunc(all, func(s remainder) bool {
		return s.of == 0 || s.what == "patients" && o.Patients == o.Documents
	})
}

// mostLabels is how many labels a page lists.
const mostLabels = 40

// labels are the categories with most remaining identifiers first, at most mostLabels.
func labels(o greedy.Outcome) []greedy.Category {
	all := slices.Clone(o.ByLabel)
	slices.SortStableFunc(all, func(a, b greedy.Category) int {
		return cmp.Or(cmp.Compare(b.SpansMissed.Value, a.SpansMissed.Value), cmp.Compare(b.SpansMissed.AtMost, a.SpansMissed.AtMost), cmp.Compare(a.Label, b.Label))
	})
	return all[:min(len(all), mostLabels)]
}

// labelBar is the length of the two parts of a category's bar, of 100: the expected
// number and the upper bound. The longest bar reaches the end.
func labelBar(all []greedy.Category, c greedy.Category) (expected, atMost float64) {
	longest := 1.0
	for _, other := range all {
		longest = max(longest, reach(other))
	}
	return 100 * c.SpansMissed.Value / longest, 100 * reach(c) / longest
}

func reach(c greedy.Category) float64 {
	if v := max(c.SpansMissed.Value, c.SpansMissed.AtMost); outcome.Known(v) {
		return v
	}
	return 0
}

func labelName(l annotate.Label) string { return cmp.Or(string(l), "without a label") }

// labelTimes is the loss of a miss with this label, where it is not 1.
func labelTimes(p sanitize.Params, l annotate.Label) string {
	if times, set := p.LossByLabel[l]; set && times != 1 {
		return strings.TrimPrefix(leakCosts(times), "is ")
	}
	return ""
}

// lostWord is an over-redacted text, with the places that a run keeps.
type lostWord struct {
	text   string
	often  int // places, kept or not
	places []project.Excerpt
}

// lostWords puts equal texts together, in the order of the first of each.
func lostWords(lost []project.Excerpt) []lostWord {
	var out []lostWord
	for _, l := range lost {
		i := slices.IndexFunc(out, func(w lostWord) bool { return w.text == l.Text })
		if i < 0 {
			i, out = len(out), append(out, lostWord{text: l.Text})
		}
		w := &out[i]
		w.places = append(w.places, l)
		w.often = max(l.Often, len(w.places)) // runs of earlier versions do not say how often
	}
	return out
}

// oftenWords: "13 times", "13 times; 5 are listed".
func (w lostWord) oftenWords() string {
	words := ui.Number(w.often) + " times"
	if n := len(w.places); n < w.often {
		words += fmt.Sprintf("; %s listed", ui.Count(n, "is", "are"))
	}
	return words
}

// contextFound says how many contextual identifiers were found, and how they are treated.
func contextFound(r *sanitize.Run) string {
	words := "No contextual identifier was found. Settings: " + contextWords(*r.Params.Context) + "."
	if r.ContextFound > 0 {
		words = ui.Count(r.ContextFound, "pair of a word and an identifier was found", "pairs of a word and an identifier were found") + ", strongest first."
		if r.Params.Context.Redact {
			words += " The words are counted and redacted like identifiers. The lists of missed PHI mark the ones that would remain."
		} else {
			words += " They are not redacted: mark them in their notes, or start another run that treats them as sensitive."
		}
	}
	if n := len(r.Context); n > 0 && n < r.ContextFound {
		words += " The list shows the strongest " + ui.Count(n, "pair", "pairs") + "."
	}
	return words
}

// contextWords: "list them: within 5 words, in 3 notes at least, 5 times as often as by
// chance".
func contextWords(c greedy.Context) string {
	c = c.WithDefaults()
	what := settings.ContextChoices[1].Title
	if c.Redact {
		what = settings.ContextChoices[2].Title
	}
	return fmt.Sprintf("%s: within %s, in at least %s, %s times as often as by chance", what, ui.Count(c.Window, "word", "words"), ui.Count(c.MinSupport, "note", "notes"), ui.Ratio(c.MinLift))
}

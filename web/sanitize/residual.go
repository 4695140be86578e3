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
	{greedy.Punctuation, "punctuation", "signs", "a lost sign"},
	{greedy.Number, "numbers", "12, 5mg", "a lost number"},
	{greedy.CommonWord, "common words", "the, für, de", "a lost common word"},
	{greedy.OtherWord, "other words", "most of what a note says", "any other lost word"},
}

// wordKindOf is how a kind is called.
func wordKindOf(k greedy.WordKind) wordKind {
	if i := slices.IndexFunc(wordKinds, func(w wordKind) bool { return w.kind == k }); i >= 0 {
		return wordKinds[i]
	}
	return wordKind{kind: k, title: string(k)}
}

// priceWords: "a lost sign costs 0.2 times as much, a lost number costs twice as much";
// "" when all cost as much as each other.
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

// lostTimes says what a lost word of a kind costs, where that is unusual.
func lostTimes(p sanitize.Params, k greedy.WordKind) string {
	if times, set := p.CostByKind[k]; set && times != 1 {
		return muchWords(times)
	}
	return ""
}

// stay is what would stay of one sort of things.
type stay struct {
	what string
	left greedy.Estimate
	of   int
}

// stays are the ways to count what would stay. What was not counted, as in runs of
// earlier versions, and patients where nobody is known, are left out.
func stays(o greedy.Outcome) []stay {
	all := []stay{
		{"names", o.IdentifiersMissed, o.Identifiers},
		{"words", o.Residual, o.Sensitive},
		{"informative words", o.InformativeMissed, o.Informative},
		{"documents", o.DocumentsWithLeak, o.Documents},
		{"patients", o.PatientsWithLeak, o.Patients},
	}
	return slices.DeleteFunc(all, func(s stay) bool {
		return s.of == 0 || s.what == "patients" && o.Patients == o.Documents
	})
}

// mostKinds is how many kinds a page lists.
const mostKinds = 40

// kinds are the categories with most left first, at most mostKinds.
func kinds(o greedy.Outcome) []greedy.Category {
	all := slices.Clone(o.ByLabel)
	slices.SortStableFunc(all, func(a, b greedy.Category) int {
		return cmp.Or(cmp.Compare(b.SpansMissed.Value, a.SpansMissed.Value), cmp.Compare(b.SpansMissed.AtMost, a.SpansMissed.AtMost), cmp.Compare(a.Label, b.Label))
	})
	return all[:min(len(all), mostKinds)]
}

// kindBar is how far the two parts of a category's bar reach, of 100: what is
// expected, and at most. The longest bar of all reaches the end.
func kindBar(all []greedy.Category, c greedy.Category) (expected, atMost float64) {
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

func kindName(l annotate.Label) string { return cmp.Or(string(l), "without a label") }

// kindTimes says how bad a leak of a kind is, where that is unusual.
func kindTimes(p sanitize.Params, l annotate.Label) string {
	if times, set := p.LossByLabel[l]; set && times != 1 {
		return strings.TrimPrefix(leakCosts(times), "is ")
	}
	return ""
}

// lostWord is a text that would be lost, with the places of it that a run keeps.
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

// oftenWords: "13 times", "13 times, of which 5 are listed".
func (w lostWord) oftenWords() string {
	words := ui.Number(w.often) + " times"
	if n := len(w.places); n < w.often {
		words += fmt.Sprintf(", of which %s listed", ui.Count(n, "is", "are"))
	}
	return words
}

// nearFound says how many words give identifiers away, and what became of them.
func nearFound(r *sanitize.Run) string {
	words := "None was found: " + nearWords(*r.Params.Context) + "."
	if r.ContextFound > 0 {
		words = ui.Count(r.ContextFound, "pair of a word and a name was found", "pairs of a word and a name were found") + ", strongest first."
		if r.Params.Context.Redact {
			words += " The words are counted and redacted like names; of those that would stay the lists say so."
		} else {
			words += " They are not redacted: mark them in their notes, or start another run that treats them as sensitive."
		}
	}
	if n := len(r.Context); n > 0 && n < r.ContextFound {
		words += " Shown are " + ui.Number(n) + "."
	}
	return words
}

// nearWords: "list them: within 5 words, in 3 notes at least, 5 times as often as by
// chance".
func nearWords(c greedy.Context) string {
	c = c.WithDefaults()
	what := settings.ContextChoices[1].Title
	if c.Redact {
		what = settings.ContextChoices[2].Title
	}
	return fmt.Sprintf("%s: within %s, in at least %s, %s times as often as by chance", what, ui.Count(c.Window, "word", "words"), ui.Count(c.MinSupport, "note", "notes"), ui.Ratio(c.MinLift))
}

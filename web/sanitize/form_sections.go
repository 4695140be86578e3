// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/web/ui"
)

// startPart is a part of the start form that folds. Its summary says what is set in it.
type startPart string

const (
	partLCs       startPart = "lc"
	partKinds     startPart = "kinds"
	partLearners  startPart = "learners"
	partAttackers startPart = "attackers"
	partNear      startPart = "near"
	partModes     startPart = "modes"
)

// partError is what is wrong in a part of the form.
type partError struct {
	part startPart
	error
}

// inPart says in which part err is; nil stays nil.
func inPart(part startPart, err error) error {
	if err == nil {
		return nil
	}
	return partError{part, err}
}

// refuse keeps what is wrong with the form, and where.
func (f *startForm) refuse(err error) {
	f.Error = err.Error()
	if at := (partError{}); errors.As(err, &at) {
		f.At = at.part
	}
}

// opens reports whether a part stands open: where something is wrong in it or, when
// nobody can say where, in any of them.
func (f startForm) opens(part startPart) bool { return f.At == "" || f.At == part }

func (f startForm) usualModes() bool {
	return f.Mode == greedy.Default && f.Folds == usualFolds && f.VC == ""
}

// The words of the summaries.

func (f startForm) modesSet() string {
	out := "not chosen"
	for _, m := range offeredModes {
		if m.mode == f.Mode {
			out = strings.TrimSuffix(m.title, ".")
		}
	}
	out += ", " + f.Folds + " folds"
	if f.VC != "" {
		out += ", VC dimension " + f.VC
	}
	return out
}

func (f startForm) learnersSet() string {
	out := cmp.Or(f.First, firstUsual) + " redacts; attackers: " + cmp.Or(ui.Listed(f.Learners), "none")
	if len(f.Without) > 0 {
		out += "; without " + ui.Listed(f.Without)
	}
	if f.Sampling != (samplingForm{}) {
		out += "; learning from fewer words"
	}
	return out
}

func (f startForm) attackersSet() string {
	return cmp.Or(ui.Listed(f.Attackers), "none besides the usual three") + "; they label " + f.Share + " of the notes"
}

func (f startForm) nearSet() string {
	switch f.Near.What {
	case contextList:
		return "listed"
	case contextRedact:
		return "treated as sensitive"
	}
	return "not looked for"
}

func (f startForm) kindsSet(all annotate.LabelSet) string {
	ticked, weighed := 0, 0
	for _, l := range all {
		if f.has(l.Label) {
			ticked++
			if f.loss(l.Label) != "1" {
				weighed++
			}
		}
	}
	out := fmt.Sprintf("%d of %s", ticked, ui.Count(len(all), "kind", "kinds"))
	if ticked == len(all) {
		out = "all " + ui.Count(len(all), "kind", "kinds")
	}
	if weighed == 0 {
		out += ", each as bad as L/C says"
	} else {
		out += ", " + ui.Count(weighed, "weighs", "weigh") + " more or less than L/C says"
	}
	if n := f.costsSet(); n > 0 {
		out += "; " + ui.Count(n, "kind of lost word costs", "kinds of lost words cost") + " more or less"
	}
	return out
}

// samplingForm says what learners leave out: one setting, as on the page of curves.
type samplingForm struct{ Share, Window, Costs string }

// nearForm asks for words that give identifiers away by standing near them.
type nearForm struct{ What, Window, Support, Lift string }

func usualNear() nearForm {
	c := greedy.Context{}.WithDefaults()
	return nearForm{contextNone, strconv.Itoa(c.Window), strconv.Itoa(c.MinSupport), ui.Ratio(c.MinLift)}
}

var contextChoices = []struct{ value, text string }{
	{contextNone, "do not look for them"}, {contextList, "list them"}, {contextRedact, "treat them as sensitive"},
}

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

// costField is the name of the field that says what a lost word of a kind costs.
func costField(k greedy.WordKind) string { return "cost:" + string(k) }

func readCosts(v url.Values) map[greedy.WordKind]string {
	out := map[greedy.WordKind]string{}
	for _, w := range wordKinds {
		if text := strings.TrimSpace(v.Get(costField(w.kind))); text != "" {
			out[w.kind] = text
		}
	}
	return out
}

// cost is what the field of a kind holds.
func (f startForm) cost(k greedy.WordKind) string {
	if text, typed := f.Cost[k]; typed {
		return text
	}
	return "1"
}

// costsSet is how many kinds of words cost other than C.
func (f startForm) costsSet() int {
	n := 0
	for _, w := range wordKinds {
		if f.cost(w.kind) != "1" {
			n++
		}
	}
	return n
}

// prices are the multiples of C other than 1; nil when there are none.
func (f startForm) prices() (greedy.Prices, error) {
	out := greedy.Prices{}
	for _, w := range wordKinds {
		times, err := strconv.ParseFloat(f.cost(w.kind), 64)
		if err != nil || (greedy.Prices{w.kind: times}).Check() != nil {
			return nil, fmt.Errorf("how many times as much %s costs must be a number from %g to %s", w.lost, 1.0/greedy.MaxTimes, ui.Number(greedy.MaxTimes))
		}
		out[w.kind] = times
	}
	return out.Unusual(), nil
}

// priceWords: "a lost sign costs 0.2 times as much, a lost number costs twice as much";
// "" when all cost as much as each other.
func priceWords(p project.SanitizeParams) string {
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
func lostTimes(p project.SanitizeParams, k greedy.WordKind) string {
	if times, set := p.CostByKind[k]; set && times != 1 {
		return muchWords(times)
	}
	return ""
}

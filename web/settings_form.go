// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/project"
)

// settingsForm is the settings as they stand in the form, and what is wrong with
// which field. Numbers may be left empty: that is the usual.
type settingsForm struct {
	preset, c2, o, window, cost, minRecall, blind string
	rules                                         bool
	without                                       []string // names of families that are ticked
	labels                                        annotate.LabelSet
	problems                                      map[string]string
}

func newSettingsForm(s project.Settings) settingsForm {
	f := settingsForm{preset: s.Preset, without: s.Without, rules: s.Rules, minRecall: typedPercent(s.MinRecall), blind: typedPercent(s.Blind)}
	if s.C2 > 0 {
		f.c2 = typedNumber(s.C2)
	}
	if s.Sampling.O > 0 {
		f.o = typedPercent(s.Sampling.O)
	}
	if s.Sampling.Window > 0 {
		f.window = strconv.Itoa(s.Sampling.Window)
	}
	for _, l := range slices.Sorted(maps.Keys(s.Sampling.Cost)) {
		name := string(l)
		if name == "" {
			name = otherWords
		}
		f.cost += name + " " + typedNumber(s.Sampling.Cost[l]) + "\n"
	}
	return f
}

// otherWords is how the form calls words that are not sensitive, among labels.
const otherWords = "O"

func typedPercent(share float64) string { return typedNumber(100 * share) }

// typedNumber writes a number as somebody would type it: 80, 0.3.
func typedNumber(v float64) string {
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// readSettingsForm reads what it can and names the fields that it cannot. What is
// read may still be refused by the project.
func readSettingsForm(values url.Values) (settingsForm, project.Settings) {
	text := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	f := settingsForm{
		preset: text("preset"), c2: text("c2"), o: text("o"), window: text("window"), cost: values.Get("cost"),
		without: values["without"], minRecall: text("min_recall"), blind: text("blind"), rules: text("rules") == "1", problems: map[string]string{},
	}
	set := project.Settings{Preset: f.preset, Without: f.without, Rules: f.rules}
	set.C2 = f.number("c2", f.c2)
	set.Sampling.O = f.number("o", f.o) / 100
	set.MinRecall = f.number("min_recall", f.minRecall) / 100
	set.Blind = f.number("blind", f.blind) / 100
	if n := f.number("window", f.window); n == float64(int(n)) {
		set.Sampling.Window = int(n)
	} else {
		f.problems["window"] = "This is no whole number."
	}
	set.Sampling.Cost = f.costs()
	return f, set
}

// number reads a field; an empty one is 0. People write "80 %" and "0,3", too.
func (f settingsForm) number(field, typed string) float64 {
	typed = strings.TrimSpace(strings.TrimSuffix(strings.ReplaceAll(typed, ",", "."), "%"))
	if typed == "" {
		return 0
	}
	v, err := strconv.ParseFloat(typed, 64)
	if err != nil {
		f.problems[field] = "This is no number."
	}
	return v
}

// costs reads a label and a number from each line.
func (f settingsForm) costs() map[annotate.Label]float64 {
	var costs map[annotate.Label]float64
	for i, line := range strings.Split(f.cost, "\n") {
		words := strings.Fields(strings.NewReplacer(":", " ", "=", " ").Replace(line))
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			f.problems["cost"] = fmt.Sprintf("Line %d is not a label and a number.", i+1)
			return nil
		}
		label := annotate.Label(words[0])
		if label == otherWords {
			label = ""
		}
		if _, twice := costs[label]; twice {
			f.problems["cost"] = fmt.Sprintf("Line %d has a label that is there already.", i+1)
			return nil
		}
		if costs == nil {
			costs = map[annotate.Label]float64{}
		}
		costs[label] = f.number("cost", words[1])
	}
	return costs
}

// problem is what is wrong with a field, as a sentence.
func (f settingsForm) problem(field string) string { return sentence(f.problems[field]) }

// first reports whether a field is the first that is wrong, which gets the focus.
func (f settingsForm) first(field string) bool {
	for _, name := range []string{"min_recall", "blind", "preset", "without", "c2", "o", "window", "cost"} {
		if f.problems[name] != "" {
			return name == field
		}
	}
	return false
}

// folded reports whether the sampling part of the form may stay closed.
func (f settingsForm) folded() bool {
	return f.o+f.window+f.cost+f.problems["o"]+f.problems["window"]+f.problems["cost"] == ""
}

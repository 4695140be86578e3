// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net/url"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/greedy/settings"
	"hide/internal/option"
	"hide/internal/project"
	"hide/web/ui"
)

// settingsForm is the settings as typed, and the problem of each wrong field. An empty
// number means the default.
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
		f.c2 = ui.TypedNumber(s.C2)
	}
	if s.Sampling.O > 0 {
		f.o = typedPercent(s.Sampling.O)
	}
	if s.Sampling.Window > 0 {
		f.window = strconv.Itoa(s.Sampling.Window)
	}
	for _, cost := range ui.Costs(s.Sampling) {
		f.cost += cost + "\n"
	}
	return f
}

func typedPercent(share float64) string { return ui.TypedNumber(100 * share) }

// settingsFields are the fields for numbers. An empty field is 0, the default.
var settingsFields = option.Table[project.Settings]{
	option.Share(option.About{Name: "min_recall"}, option.From(0, 1), func(s *project.Settings) *float64 { return &s.MinRecall }),
	option.Share(option.About{Name: "blind"}, option.From(0, 0.5), func(s *project.Settings) *float64 { return &s.Blind }),
	option.Number(option.About{Name: "c2"}, option.From(0, 1000), func(s *project.Settings) *float64 { return &s.C2 }),
	option.Share(option.About{Name: "o"}, option.From(0, 1), func(s *project.Settings) *float64 { return &s.Sampling.O }),
	option.Whole(option.About{Name: "window"}, option.From(0, 1000), func(s *project.Settings) *int { return &s.Sampling.Window }),
	option.Value(option.About{Name: "cost", Example: "PATIENT 3"}, func(s *project.Settings) *map[annotate.Label]float64 { return &s.Sampling.Cost },
		func(text string, _ option.Place) (map[annotate.Label]float64, error) { return settings.ReadCosts(text) },
		func(costs map[annotate.Label]float64, _ option.Place) string { return settings.WriteCosts(costs) }),
}

// readSettingsForm reads the form and notes the problem of each field that it cannot
// read. The project may still refuse what is read.
func readSettingsForm(values url.Values) (settingsForm, project.Settings) {
	text := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	f := settingsForm{
		preset: text("preset"), c2: text("c2"), o: text("o"), window: text("window"), cost: values.Get("cost"),
		without: values["without"], minRecall: text("min_recall"), blind: text("blind"), rules: text("rules") == "1", problems: map[string]string{},
	}
	var set project.Settings
	for _, problem := range settingsFields.ReadForm(values, &set).Problems() {
		f.problems[problem.Name] = problem.Text
	}
	set.Preset, set.Without, set.Rules = f.preset, f.without, f.rules
	return f, set
}

// problem is what is wrong with a field, as a sentence.
func (f settingsForm) problem(field string) string { return ui.Sentence(f.problems[field]) }

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

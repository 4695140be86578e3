// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"hide/internal/greedy/settings"
	"hide/internal/option"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
)

// curvesForm is the settings to measure, as typed.
type curvesForm struct {
	shares, windows, costs, learner string
	problems                        map[string]string
}

// newCurvesForm has the settings that were measured last, or the default ones.
func newCurvesForm(last *training.CurveRecord) curvesForm {
	if last == nil {
		return curvesForm{shares: "50, 20, 10, 5", windows: "16, 8, 4, 2"}
	}
	f := curvesForm{learner: last.Learner}
	for _, l := range last.Lines {
		for _, at := range l.Points {
			s := last.Settings[at.Setting].Sampling
			switch l.Name {
			case "o":
				f.shares = with(f.shares, ", ", typedPercent(s.O), s.O > 0)
			case "window":
				f.windows = with(f.windows, ", ", strconv.Itoa(s.Window), s.Window > 0)
			case "cost":
				f.costs = with(f.costs, "\n", ui.CostWords(s), len(s.Cost) > 0)
			}
		}
	}
	return f
}

// with is a list with another entry, if there is one.
func with(list, separator, entry string, is bool) string {
	if !is {
		return list
	}
	return strings.TrimPrefix(list+separator+entry, separator)
}

// readCurvesForm reads the form and notes the problem of each field that it cannot read.
// An empty field means no curve of that kind.
func readCurvesForm(values url.Values) (curvesForm, training.CurveParams) {
	f := curvesForm{
		shares: strings.TrimSpace(values.Get("shares")), windows: strings.TrimSpace(values.Get("windows")),
		costs: values.Get("costs"), learner: values.Get("learner"), problems: map[string]string{},
	}
	p := training.CurveParams{Learner: f.learner}
	for _, line := range []string{f.shareLine(), f.windowLine(), f.costLine()} {
		if line != "" {
			p.Lines = append(p.Lines, line)
		}
	}
	if len(p.Lines) == 0 && len(f.problems) == 0 {
		f.problems["shares"] = "Give at least one setting to measure, here or below."
	}
	return f, p
}

func (f curvesForm) shareLine() string {
	return f.line("shares", "o", "enter percentages above 0 and at most 100", func(word string) (string, bool) {
		v, err := option.ReadShare(word, option.Page)
		return ui.TypedNumber(v), err == nil && option.Above(0).AtMost(1).Has(v)
	})
}

func (f curvesForm) windowLine() string {
	return f.line("windows", "window", "enter whole numbers from 1 to 1,000", func(word string) (string, bool) {
		n, err := option.ReadWhole(word)
		return strconv.FormatInt(n, 10), err == nil && option.From(1, 1000).Has(float64(n))
	})
}

// line reads the values of a field. one reads a value and reports whether it is valid.
func (f curvesForm) line(field, key, enter string, one func(string) (string, bool)) string {
	text := map[string]string{"shares": f.shares, "windows": f.windows}[field]
	words, err := option.Split(strings.ReplaceAll(text, "%", " "), option.Page)
	if err != nil {
		f.problems[field] = ui.Sentence(err.Error())
		return ""
	}
	var values []string
	for _, word := range words {
		value, is := one(word)
		if !is {
			f.problems[field] = ui.Sentence(enter)
			return ""
		}
		values = append(values, value)
	}
	return keyed(key, values, ",")
}

// costLine reads a setting from each line: labels, each with its number.
func (f curvesForm) costLine() string {
	var values []string
	for i, line := range strings.Split(f.costs, "\n") {
		costs, err := settings.ReadCosts(line)
		if err != nil {
			f.problems["costs"] = fmt.Sprintf("Line %d: %s", i+1, err) + "."
			return ""
		}
		if len(costs) > 0 {
			_, value, _ := strings.Cut(project.Sampling{Cost: costs}.String(), "=")
			values = append(values, value)
		}
	}
	return keyed("cost", values, "/")
}

// keyed is a line of settings in the syntax of [training.CurveParams]; "" for none.
func keyed(key string, values []string, separator string) string {
	if len(values) == 0 {
		return ""
	}
	return key + "=" + strings.Join(values, separator)
}

func (f curvesForm) problem(field string) string { return f.problems[field] }

// first reports whether a field is the first that is wrong, which gets the focus.
func (f curvesForm) first(field string) bool {
	for _, name := range []string{"shares", "windows", "costs"} {
		if f.problems[name] != "" {
			return name == field
		}
	}
	return false
}

// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"hide/internal/project"
)

// curvesForm is which settings to measure, as it was typed.
type curvesForm struct {
	shares, windows, costs, learner string
	problems                        map[string]string
}

// newCurvesForm asks for what was measured last, or for the usual.
func newCurvesForm(last *project.CurveRecord) curvesForm {
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
				f.costs = with(f.costs, "\n", costWords(s), len(s.Cost) > 0)
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

// readCurvesForm reads what it can and names the fields that it cannot. A field
// that is empty means no such curve.
func readCurvesForm(values url.Values) (curvesForm, project.CurveParams) {
	f := curvesForm{
		shares: strings.TrimSpace(values.Get("shares")), windows: strings.TrimSpace(values.Get("windows")),
		costs: values.Get("costs"), learner: values.Get("learner"), problems: map[string]string{},
	}
	p := project.CurveParams{Learner: f.learner}
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

// entries cuts what was typed at commas, semicolons and blanks.
func entries(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; \t\r\n%", r) })
}

func (f curvesForm) shareLine() string {
	var values []string
	for _, word := range entries(f.shares) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || !(v > 0 && v <= 100) {
			f.problems["shares"] = "Each share is a number above 0 and up to 100."
			return ""
		}
		values = append(values, typedNumber(v/100))
	}
	return keyed("o", values, ",")
}

func (f curvesForm) windowLine() string {
	var values []string
	for _, word := range entries(f.windows) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 1000 {
			f.problems["windows"] = "Each distance is a whole number from 1 to 1,000."
			return ""
		}
		values = append(values, strconv.Itoa(n))
	}
	return keyed("window", values, ",")
}

// costLine reads a setting from each line: labels, each with its number.
func (f curvesForm) costLine() string {
	var values []string
	for i, line := range strings.Split(f.costs, "\n") {
		words := entries(strings.NewReplacer(":", " ", "=", " ").Replace(line))
		if len(words) == 0 {
			continue
		}
		var costs []string
		for at := 0; at+1 < len(words); at += 2 {
			costs = append(costs, words[at]+":"+words[at+1])
		}
		if len(words)%2 != 0 || strings.ContainsAny(line, "+/") {
			f.problems["costs"] = fmt.Sprintf("Line %d is not labels, each with a number.", i+1)
			return ""
		}
		values = append(values, strings.Join(costs, ","))
	}
	return keyed("cost", values, "/")
}

// keyed is a line of settings as the measuring reads it; "" for none.
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

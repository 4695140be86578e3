// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hide/internal/option"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/settings"
	"hide/web/publishing"
	"hide/web/ui"
)

// countsForm is the content of the form.
type countsForm struct {
	source, epsilon, dimensions, method, marginals string
	people                                         string
	synthetic                                      bool
	nameless                                       namelessForm
	problem                                        string
}

// namelessForm says how notes without a patient number are counted.
type namelessForm struct {
	each  bool
	times string // how many patients one can count as
}

func readNameless(values url.Values) namelessForm {
	return namelessForm{each: values.Get("nameless") == "each", times: strings.TrimSpace(values.Get("unjoined"))}
}

// readFields reads the options that were sent. The first problem is an error for the page.
func readFields[P any](fields option.Table[P], sent url.Values, p *P) error {
	form := fields.ReadForm(sent, p)
	for _, problem := range form.Problems() {
		return &project.Error{Kind: project.Invalid, Message: problem.OnPage()}
	}
	return nil
}

func readCountsForm(values url.Values) countsForm {
	text := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	return countsForm{
		source: text("source"), epsilon: text("epsilon"), dimensions: values.Get("dimensions"), method: text("method"),
		marginals: values.Get("marginals"), synthetic: text("synthetic") != "", nameless: readNameless(values), people: text("people"),
	}
}

// countsFormOf is the form that asks for these settings.
func countsFormOf(set dp.CubeSettings) countsForm {
	f := countsForm{source: set.Source, epsilon: set.Epsilon.String(), method: string(set.Method), synthetic: set.Synthetic, nameless: namelessOf(set.Unjoined)}
	var dimensions, marginals []string
	for _, d := range set.Dimensions {
		dimensions = append(dimensions, dimensionText(d))
	}
	for _, m := range set.Marginals {
		marginals = append(marginals, strings.Join(m, ", "))
	}
	f.dimensions, f.marginals = strings.Join(dimensions, "\n"), strings.Join(marginals, "\n")
	if set.People > 0 {
		f.people = strconv.FormatInt(set.People, 10)
	}
	return f
}

func namelessOf(unjoined int64) namelessForm {
	if unjoined == 0 {
		return namelessForm{}
	}
	return namelessForm{each: true, times: strconv.FormatInt(unjoined, 10)}
}

// dimensionText is what parseDimension reads.
func dimensionText(d cube.Dimension) string {
	values := d.Values
	if len(values) == 0 {
		values = []string{ui.TypedNumber(d.Min) + " to " + ui.TypedNumber(d.Max) + " by " + ui.TypedNumber(d.Width)}
	}
	if d.Ordered {
		values = []string{strings.Join(values, inOrder)}
	}
	if d.Other {
		values = append(slices.Clone(values), "other")
	}
	return d.Name + ": " + strings.Join(values, ", ")
}

// cubeFields are the numbers of a release of counts.
func cubeFields(nameless bool) option.Table[dp.CubeSettings] {
	fields := option.Table[dp.CubeSettings]{
		settings.Epsilon(epsilonAbout, func(set *dp.CubeSettings) *ledger.Micro { return &set.Epsilon }),
		settings.People(func(set *dp.CubeSettings) *int64 { return &set.People }),
	}
	if nameless {
		fields = append(fields, settings.Unjoined(func(set *dp.CubeSettings) *int64 { return &set.Unjoined }))
	}
	return fields
}

var epsilonAbout = option.About{Name: "epsilon", Label: "ε to spend", Required: true}

// settings reads the form. An error names the line.
func (f countsForm) settings() (dp.CubeSettings, error) {
	var set dp.CubeSettings
	sent := url.Values{"epsilon": {f.epsilon}, "people": {f.people}, "unjoined": {f.nameless.times}}
	if err := readFields(cubeFields(f.nameless.each), sent, &set); err != nil {
		return set, err
	}
	set.Source, set.Method, set.Synthetic = f.source, cube.Method(f.method), f.synthetic
	for i, line := range publishing.Lines(f.dimensions) {
		d, err := parseDimension(line)
		if err != nil {
			return set, &project.Error{Kind: project.Invalid, Message: fmt.Sprintf("line %d of the categories %v", i+1, err), Hint: "write it as sex: F, M, as stage: I < II < III or as age: 0 to 99 by 10"}
		}
		set.Dimensions = append(set.Dimensions, d)
	}
	if set.Method == cube.Marginals || set.Method == "" {
		for _, line := range publishing.Lines(f.marginals) {
			set.Marginals = append(set.Marginals, commas(line))
		}
	}
	return set, nil
}

var numberRange = regexp.MustCompile(`^(-?[0-9.]+) to (-?[0-9.]+) by ([0-9.]+)$`)

// likeRange matches a text that is meant as a range.
var likeRange = regexp.MustCompile(`(?i)^.+ to .+ by .+$`)

// groupedRange is a range of numbers whose digits may be in groups: 0 to 1,000,000 by
// 100,000.
var groupedRange = regexp.MustCompile(`^\s*-?[0-9][0-9.,]* to -?[0-9][0-9.,]* by [0-9.,]*[0-9]\s*(,\s*other\s*)?$`)

var digitGroups = regexp.MustCompile(`[0-9]{1,3}(,[0-9]{3})+`)

// ungrouped removes the commas between digits in the numbers of a range. Other texts are
// unchanged.
func ungrouped(text string) string {
	if !groupedRange.MatchString(text) {
		return text
	}
	return digitGroups.ReplaceAllStringFunc(text, func(n string) string { return strings.ReplaceAll(n, ",", "") })
}

// inOrder stands between values that are in an order.
const inOrder = " < "

// parseDimension reads "name: a, b, other", "name: a < b < c, other" (or "< other") and
// "name: 0 to 99 by 10, other".
func parseDimension(line string) (cube.Dimension, error) {
	name, rest, found := strings.Cut(line, ":")
	d := cube.Dimension{Name: strings.TrimSpace(name)}
	if !found {
		return d, errors.New("has no colon after the name")
	}
	values := commas(ungrouped(rest))
	if n := len(values); n > 0 && values[n-1] == "other" {
		d.Other, values = true, values[:n-1]
	}
	if len(values) == 1 && likeRange.MatchString(values[0]) {
		err := readRange(&d, values[0])
		return d, err
	}
	if slices.ContainsFunc(values, numberRange.MatchString) || groupedRange.MatchString(rest) {
		return d, errors.New("has a range among other categories")
	}
	if len(values) == 1 && strings.Contains(values[0], inOrder) {
		d.Ordered, values = true, strings.Split(values[0], inOrder)
		// As a category of its own, "other" would have no patients, and patients with other
		// values would have no category.
		if n := len(values); strings.TrimSpace(values[n-1]) == "other" {
			d.Other, values = true, values[:n-1]
		}
	}
	for _, value := range values {
		if strings.Contains(value, inOrder) {
			return d, errors.New("has an order among other categories")
		}
		d.Values = append(d.Values, strings.TrimSpace(value))
	}
	return d, nil
}

// readRange reads a range. A text that is almost one is refused: as a category of that name
// it would have no patients.
func readRange(d *cube.Dimension, text string) error {
	m := numberRange.FindStringSubmatch(text)
	if m == nil {
		return errors.New("has a range that is not of plain numbers")
	}
	for i, to := range []*float64{&d.Min, &d.Max, &d.Width} {
		v, err := option.ReadNumber(m[i+1])
		if err != nil {
			return errors.New("has a range with a bound that is not a number")
		}
		*to = v
	}
	return nil
}

// commas splits at commas and leaves out empty parts.
func commas(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

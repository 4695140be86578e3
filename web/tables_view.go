// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"strconv"
	"strings"

	"hide/internal/project"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
)

// tableView is everything the page of tables shows.
type tableView struct {
	Project     project.Overview
	Identifiers project.Identifiers
	Preview     project.TablePreview
	Saved       bool
	Problem     string // why roles were not saved
	Refused     string // why nothing was published
	form        tableForm
}

// quasi reports whether anything is generalized at all.
func (v tableView) with(role table.Role) int {
	n := 0
	for _, a := range v.Identifiers.Attributes {
		if a.Role == role {
			n++
		}
	}
	return n
}

// choice is a value of a select and what it says.
type choice struct{ value, says string }

var roleChoices = []choice{
	{string(table.Direct), "leave out"},
	{string(table.Quasi), "coarsen"},
	{string(table.Sensitive), "keep, sensitive"},
	{string(table.Insensitive), "keep, harmless"},
}

var kindChoices = []choice{
	{string(table.Nominal), "words"},
	{string(table.Number), "numbers"},
	{string(table.Date), "dates"},
	{string(table.Code), "codes, such as postcodes"},
	{string(table.Ordinal), "words in order"},
}

var takeChoices = []choice{
	{string(idview.Most), "most frequent"},
	{string(idview.All), "all of them"},
	{string(idview.First), "first"},
	{string(idview.Least), "least, earliest"},
	{string(idview.Greatest), "greatest, latest"},
}

// sourceWords: where an attribute is from.
func sourceWords(k idview.Key) string {
	switch k.Source {
	case idview.Field:
		return "field"
	case idview.Label:
		return "marked in notes"
	}
	return "counted"
}

// keyText writes an attribute's key as one word of a form; [readKey] reads it.
func keyText(k idview.Key) string { return string(k.Source) + ":" + k.Name }

func readKey(text string) idview.Key {
	source, name, _ := strings.Cut(text, ":")
	return idview.Key{Source: idview.Source(source), Name: name}
}

// peopleWords say who is in the table.
func (v tableView) peopleWords() string {
	i := v.Identifiers
	words := "One row for each of " + count(i.People-i.Alone, "patient", "patients")
	if i.Alone > 0 {
		words += fmt.Sprintf(", and one for each of %s that came without a patient", count(i.Alone, "note", "notes"))
	}
	return words + "."
}

// riskRow is one line of the comparison: the values as they are, or one k.
type riskRow struct {
	Name string
	project.TableChoice
	Raw bool
}

func (v tableView) rows() []riskRow {
	var rows []riskRow
	if v.Preview.Before != nil {
		raw := riskRow{Name: "as it is", Raw: true}
		raw.After = *v.Preview.Before
		rows = append(rows, raw)
	}
	for _, c := range v.Preview.Choices {
		rows = append(rows, riskRow{Name: "k = " + strconv.Itoa(c.K), TableChoice: c})
	}
	return rows
}

// good are the choices that can be published.
func (v tableView) good() []project.TableChoice {
	var good []project.TableChoice
	for _, c := range v.Preview.Choices {
		if c.Error == "" {
			good = append(good, c)
		}
	}
	return good
}

func (v tableView) sensitive() bool {
	for _, c := range v.Preview.Columns {
		if c.Role == table.Sensitive {
			return true
		}
	}
	return false
}

var (
	measureHighest  = measure{"left", "of the patient who is easiest to find", "circle"}
	measureMarketer = measure{"ranked", "share found when all are looked for", "diamond"}
)

// lossPlot draws what each k loses against what it leaves to an attacker.
func lossPlot(rows []riskRow) *plot {
	p := &plot{
		ID: "table-loss", Title: "What each k loses, and the risk it leaves", XLabel: "precision lost (NCP), %", YLabel: "risk of being found, %",
		W: tradeWidth, H: tradeHeight, Wide: true,
	}
	highest, marketer := series{measure: measureHighest}, series{measure: measureMarketer}
	var xs, ys []float64
	var desc strings.Builder
	for _, r := range rows {
		if r.Error != "" {
			continue
		}
		highest.Data = append(highest.Data, datum{X: exact(r.Utility.NCP), Y: exact(r.After.Prosecutor.Highest), Label: r.Name})
		marketer.Data = append(marketer.Data, datum{X: exact(r.Utility.NCP), Y: exact(r.After.Prosecutor.Success)})
		xs, ys = append(xs, r.Utility.NCP), append(ys, r.After.Prosecutor.Highest, r.After.Prosecutor.Success, 0)
		fmt.Fprintf(&desc, "%s: %s lost, risk %s, found %s. ", r.Name, formatPercent(r.Utility.NCP), formatPercent(r.After.Prosecutor.Highest), formatPercent(r.After.Prosecutor.Success))
	}
	p.Desc = desc.String()
	p.layout(shareScale(append(xs, 0)), shareScale(ys), []series{highest, marketer})
	return p
}

// sizeBars draws how many patients are in classes of which size.
func sizeBars(c project.TableChoice) *bars {
	counts := make([]labelCount, 0, len(c.Sizes))
	for _, s := range c.Sizes {
		if s.To >= c.K || s.People > 0 {
			counts = append(counts, labelCount{rangeWords(s.From, s.To), s.People})
		}
	}
	return labelBars("sizes-"+strconv.Itoa(c.K), "Patients by the size of their class, k = "+strconv.Itoa(c.K), counts)
}

func rangeWords(from, to int) string {
	if from == to {
		return number(from) + " alike"
	}
	return number(from) + "–" + number(to) + " alike"
}

// columnWords: "AGE, CITY and sex coarsened and diagnosis as it is".
func columnWords(columns []project.TableColumn) string {
	var coarse, kept []string
	for _, c := range columns {
		if c.Role == table.Quasi {
			coarse = append(coarse, c.Name)
		} else {
			kept = append(kept, c.Name)
		}
	}
	words := wordList(coarse) + " coarsened"
	switch len(kept) {
	case 0:
		return words
	case 1:
		return words + ", and " + kept[0] + " as it is"
	}
	return words + ", and " + wordList(kept) + " as they are"
}

// wordList: "a", "a and b", "a, b and c".
func wordList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// customaryK is the least k that is ticked unless nothing reaches it.
const customaryK = 5

// customary is the least k that can be published and is customary, or the greatest
// there is.
func (v tableView) customary() int {
	k := 0
	for _, c := range v.good() {
		if k = c.K; k >= customaryK {
			break
		}
	}
	return k
}

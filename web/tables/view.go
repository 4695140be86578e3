// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hide/internal/chart"
	"hide/internal/option"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/idview"
	"hide/internal/publish/risk"
	"hide/internal/publish/table"
	"hide/internal/words"
	"hide/web/publishing"
	"hide/web/ui"
)

// tableView is everything the page of tables shows.
type tableView struct {
	Project     project.Overview
	Identifiers release.Identifiers
	Preview     release.TablePreview
	Earlier     release.Earlier
	Counted     release.Counted
	Released    publishing.View // tables
	Saved       bool
	Problem     string // why roles were not saved
	Refused     string // why nothing was published
	// NoPopulation is why the population was not stored or not deleted.
	NoPopulation string
	form         tableForm
	asked        url.Values  // which rows of which lattice are shown, and which table is selected
	Theirs       []theirRole // saved by somebody else meanwhile; nil mostly
	sent         url.Values  // what was chosen for the attributes and not saved; nil mostly
}

// populationWords: "40 people, added 22 Nov 2026, 10:31, by Ann Lee".
func populationWords(p release.Population) string {
	words := ui.Count(p.People, "person", "people") + ", added " + ui.Moment(p.Added)
	if p.By != "" {
		words += ", by " + p.By
	}
	return words
}

func keptColumns(p release.Population) []string {
	names := make([]string, len(p.Columns))
	for i, c := range p.Columns {
		names[i] = c.Column
	}
	return names
}

// fields are those of the form; comparing with a population needs one.
func (v tableView) fields() option.Form {
	if v.Identifiers.Population == nil {
		return v.form.Drop("among")
	}
	return v.form.Form
}

// tableFormID is the form of the whole page: roles above, settings to compare below.
const tableFormID = "table-form"

// chosen is the value that a field of an attribute shows: the one that was sent and not
// saved, or the one that is stored.
func (v tableView) chosen(field string, k idview.Key, decided string) string {
	if sent := v.sent.Get(field + "." + publishing.KeyText(k)); sent != "" {
		return sent
	}
	return decided
}

// with counts the attributes of a role.
func (v tableView) with(role table.Role) int {
	n := 0
	for _, a := range v.Identifiers.Attributes {
		if a.Role == role {
			n++
		}
	}
	return n
}

var roleChoices = []publishing.Choice{
	{Value: string(table.Direct), Says: "direct identifier: do not release"},
	{Value: string(table.Quasi), Says: "quasi-identifier: generalize"},
	{Value: string(table.Sensitive), Says: "sensitive: keep"},
	{Value: string(table.Insensitive), Says: "insensitive: keep"},
}

var kindChoices = []publishing.Choice{
	{Value: string(table.Nominal), Says: "words"},
	{Value: string(table.Number), Says: "numbers"},
	{Value: string(table.Date), Says: "dates"},
	{Value: string(table.Code), Says: "codes, such as postcodes"},
	{Value: string(table.Ordinal), Says: "words in an order"},
}

var takeChoices = []publishing.Choice{
	{Value: string(idview.Most), Says: "most frequent"},
	{Value: string(idview.All), Says: "all values"},
	{Value: string(idview.First), Says: "first"},
	{Value: string(idview.Least), Says: "smallest or earliest"},
	{Value: string(idview.Greatest), Says: "greatest or latest"},
}

// peopleWords say how many rows the table has.
func (v tableView) peopleWords() string {
	i := v.Identifiers
	words := "One row for each of " + ui.Count(i.People-i.Alone, "patient", "patients")
	if i.Alone > 0 {
		words += fmt.Sprintf(", and one for each of %s without a patient number", ui.Count(i.Alone, "note", "notes"))
	}
	return words + "."
}

// riskRow is one line of the comparison: the original values, or one setting.
type riskRow struct {
	Name string
	release.TableChoice
	Raw bool
}

func (v tableView) rows() []riskRow {
	var rows []riskRow
	if v.Preview.Before != nil {
		raw := riskRow{Name: "original values", Raw: true}
		raw.After = *v.Preview.Before
		rows = append(rows, raw)
	}
	for _, c := range v.Preview.Choices {
		rows = append(rows, riskRow{Name: tableName(c.TableSettings), TableChoice: c})
	}
	return rows
}

// tableName tells one setting of a preview from the others: "k = 5, l = 2".
func tableName(set release.TableSettings) string {
	name := "k = " + strconv.Itoa(set.K)
	if asked := askedWords(set); asked != "" {
		name += ", " + asked
	}
	for _, attribute := range slices.Sorted(maps.Keys(set.Method.Levels)) {
		name += fmt.Sprintf(", %s at level %d", attribute, set.Method.Levels[attribute])
	}
	return name
}

// askedWords are the requirements for sensitive values: "l = 2, t = 0.2".
func askedWords(set release.TableSettings) string {
	var words []string
	if set.Diversity.L > 0 {
		words = append(words, "l = "+ui.TypedNumber(set.Diversity.L))
	}
	if set.Diversity.T > 0 {
		words = append(words, "t = "+ui.TypedNumber(set.Diversity.T))
	}
	return strings.Join(words, ", ")
}

// named finds the settings of a table that can be published, nil without any.
func (v tableView) named(name string) *release.TableSettings {
	for _, c := range v.good() {
		if tableName(c.TableSettings) == name {
			return &c.TableSettings
		}
		for _, o := range otherNodes(c) {
			if o.name == name {
				return &o.set
			}
		}
	}
	return nil
}

// among reports whether the preview compared with a population.
func (v tableView) among() bool {
	return v.Preview.Before != nil && v.Preview.Before.Journalist != nil
}

// raw is the row of the original values, nil before it is known.
func (v tableView) raw() *riskRow {
	if rows := v.rows(); len(rows) > 0 && rows[0].Raw {
		return &rows[0]
	}
	return nil
}

// quasi names the quasi-identifiers.
func (v tableView) quasi() []string {
	var names []string
	for _, a := range v.Identifiers.Attributes {
		if a.Role == table.Quasi {
			names = append(names, a.Name)
		}
	}
	return names
}

// figureColumns is how many columns of figures there are.
func (v tableView) figureColumns() int {
	n := 8
	if v.among() {
		n += 3
	}
	if v.queried() {
		n++
	}
	if v.sensitive() {
		n++
	}
	return n
}

// estimated is the estimate of unique people from the size of the population alone, nil
// if it was not asked for.
func (v tableView) estimated() *risk.Uniqueness {
	for _, c := range v.good() {
		if c.Estimated != nil {
			return &c.Estimated.Before
		}
	}
	return nil
}

func estimatorWords(e risk.Estimator) string {
	switch e {
	case risk.Pitman:
		return "Pitman’s model, recommended if few people of the population are patients"
	case risk.SNB:
		return "the shifted negative binomial, the lower of the two recommended models"
	}
	return "Zayatz’s model, as recommended"
}

// modelEstimate is what a model says.
type modelEstimate struct{ name, says string }

func estimates(u risk.Uniqueness) []modelEstimate {
	says := func(share *float64) string {
		if share == nil {
			return "does not fit"
		}
		return words.Percent(*share)
	}
	return []modelEstimate{{"Zayatz", says(u.Zayatz)}, {"Pitman", says(u.Pitman)}, {"Shifted negative binomial", says(u.SNB)}}
}

// precisionWords are the precision of count queries on an attribute, and the precision
// without the attribute.
func precisionWords(c release.TableChoice, name string) [2]string {
	for _, p := range c.Utility.Precision {
		if p.Attribute == name {
			return [2]string{words.Percent(p.Released), words.Percent(p.Without)}
		}
	}
	return [2]string{"–", "–"}
}

// patientsOf writes a share of n patients, as "7 (25.0 %)".
func patientsOf(share float64, n int) string {
	if !words.Finite(share) {
		return words.Percent(share)
	}
	return fmt.Sprintf("%s (%s)", ui.Number(int(math.Round(share*float64(n)))), words.Percent(share))
}

// ofPatients writes a share of n patients, as "7 of 28 (25.0 %)".
func ofPatients(share float64, n int) string {
	if !words.Finite(share) {
		return words.Percent(share)
	}
	return fmt.Sprintf("%s of %s (%s)", ui.Number(int(math.Round(share*float64(n)))), ui.Number(n), words.Percent(share))
}

// noneWords say that no table satisfies its requirements. If k or l is the reason, they
// say what to change; other reasons are in the rows of the table.
func (v tableView) noneWords() string {
	words := "No table satisfies the requirements."
	if v.Preview.Rows > 0 && slices.ContainsFunc(v.Preview.Choices, func(c release.TableChoice) bool { return c.TooMuch }) {
		words += fmt.Sprintf(" There are %s: choose a k of at most this number, or a smaller l.", ui.Count(v.Preview.Rows, "patient", "patients"))
	}
	return words
}

// good are the tables that satisfy their requirements and can be published.
func (v tableView) good() []release.TableChoice {
	var good []release.TableChoice
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

// sizeBars draws the number of patients by the size of their class.
func sizeBars(c release.TableChoice) *chart.Bars {
	counts := make([]publishing.LabelCount, 0, len(c.Sizes))
	for _, s := range c.Sizes {
		if s.To >= c.K || s.People > 0 {
			counts = append(counts, publishing.LabelCount{Label: rangeWords(s.From, s.To), N: s.People})
		}
	}
	return publishing.LabelBars(fmt.Sprintf("sizes-%d-%v-%v", c.K, c.Diversity.L, c.Diversity.T), "Patients by the size of their class, "+tableName(c.TableSettings), counts)
}

func rangeWords(from, to int) string {
	if from == to {
		return "size " + ui.Number(from)
	}
	return "size " + ui.Number(from) + "–" + ui.Number(to)
}

// columnWords: "AGE, CITY and sex generalized, and diagnosis unchanged".
func columnWords(columns []release.TableColumn) string {
	var generalized, kept []string
	for _, c := range columns {
		if c.Role == table.Quasi {
			generalized = append(generalized, c.Name)
		} else {
			kept = append(kept, c.Name)
		}
	}
	words := ui.Listed(generalized) + " generalized"
	switch len(kept) {
	case 0:
		return words
	case 1:
		return words + ", and " + kept[0] + " unchanged"
	}
	return words + ", and " + ui.Listed(kept) + " unchanged"
}

// usualK is the smallest k that is selected by itself, unless no table reaches it.
const usualK = 5

// usualTable is the first table with a k of at least usualK, or the last table.
func (v tableView) usualTable() string {
	name := ""
	for _, c := range v.good() {
		if name = tableName(c.TableSettings); c.K >= usualK {
			break
		}
	}
	return name
}

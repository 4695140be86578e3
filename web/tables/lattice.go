// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/chart"
	"hide/internal/project/release"
	"hide/internal/publish/incognito"
	"hide/internal/publish/kanonymity"
	"hide/internal/words"
	"hide/web/ui"
)

// mostNodeBars is how many nodes are drawn, and offered beside the one with the least
// information loss; the table has all.
const mostNodeBars = 12

// latticeRows is how many rows of a lattice a page shows at a time: its table is sent
// again with every change of a preview.
const latticeRows = 25

// latticePage is which rows of a lattice are shown.
type latticePage struct {
	from int
	more func(from int) templ.SafeURL // the page that shows others; nil to show all
}

// first is the row that a page begins with.
func (p latticePage) first(l *kanonymity.Lattice) int {
	last := max(0, len(l.Losses)-1)
	return min(max(0, p.from), last) / latticeRows * latticeRows
}

func (p latticePage) rows(l *kanonymity.Lattice) []incognito.Loss {
	if p.more == nil {
		return l.Losses
	}
	from := p.first(l)
	return l.Losses[from:min(from+latticeRows, len(l.Losses))]
}

// words: "Rows 26 to 50 of 500, by loss."
func (p latticePage) words(l *kanonymity.Lattice) string {
	from := p.first(l)
	return fmt.Sprintf("Rows %s to %s of %s.", ui.Number(from+1), ui.Number(min(from+latticeRows, len(l.Losses))), ui.Number(len(l.Losses)))
}

// latticePage is the page of a table's lattice that the address asks for.
func (v tableView) latticePage(c release.TableChoice, id string) latticePage {
	name := tableName(c.TableSettings)
	page := latticePage{more: func(from int) templ.SafeURL {
		q := url.Values{"levels": {name}, "from": {strconv.Itoa(max(0, from))}}
		return tableURL(v.Project.ID) + templ.SafeURL("?"+q.Encode()+"#"+id+"-rows")
	}}
	if v.asked.Get("levels") == name {
		page.from, _ = strconv.Atoi(v.asked.Get("from")) // anything but a number is the first page
	}
	return page
}

// selectedTable is the name of the table that is selected: the one that was sent, else
// the usual one.
func (v tableView) selectedTable() string {
	if sent := v.asked.Get("table"); v.named(sent) != nil {
		return sent
	}
	return v.usualTable()
}

// selects reports whether the selected table is one of these.
func (v tableView) selects(all []nodeChoice) bool {
	return slices.ContainsFunc(all, func(o nodeChoice) bool { return o.name == v.selectedTable() })
}

// latticeWords say how many nodes satisfy the requirements.
func latticeWords(l *kanonymity.Lattice) string {
	words := fmt.Sprintf("%s of %s of generalization levels %s the requirements. ",
		ui.Number(l.Holding), ui.Count(l.Nodes, "combination", "combinations"), satisfies(l.Holding))
	if l.Minimal == 1 {
		words += "One is minimal: no attribute can be generalized less."
	} else {
		words += fmt.Sprintf("%s are minimal: no attribute can be generalized less.", ui.Number(l.Minimal))
	}
	if listed := minimalIn(l); listed < l.Minimal {
		words += fmt.Sprintf(" The list has the %s minimal ones with the least information loss.", ui.Number(listed))
	}
	return words
}

func satisfies(n int) string {
	if n == 1 {
		return "satisfies"
	}
	return "satisfy"
}

// withoutLevels are the attributes that are kept or suppressed as a whole.
func withoutLevels(l *kanonymity.Lattice) []string {
	var flat []string
	for i, name := range l.Attributes {
		if l.Top[i] == 1 {
			flat = append(flat, name)
		}
	}
	return flat
}

func minimalIn(l *kanonymity.Lattice) int {
	n := 0
	for _, one := range l.Losses {
		if one.Minimal {
			n++
		}
	}
	return n
}

// nodeWords: "selected, least loss".
func nodeWords(l *kanonymity.Lattice, one incognito.Loss) string {
	var words []string
	if slices.Equal(one.Levels, l.Taken) {
		words = append(words, "selected")
	}
	if slices.Equal(one.Levels, l.Best) {
		words = append(words, "least loss")
	}
	if one.Minimal {
		words = append(words, "minimal")
	}
	return strings.Join(words, ", ")
}

func lossesCaption(l *kanonymity.Lattice) string {
	if len(l.Losses) <= mostNodeBars {
		return "Information loss by levels of " + ui.Listed(l.Attributes)
	}
	return fmt.Sprintf("Information loss by levels of %s, the first %d", ui.Listed(l.Attributes), mostNodeBars)
}

// lossBars draws the information loss of each node, on a scale to 100 %.
func lossBars(id, title string, l *kanonymity.Lattice) *chart.Bars {
	b := chart.NewBars(id, "Information loss by levels, "+title)
	for _, one := range l.Losses[:min(len(l.Losses), mostNodeBars)] {
		b.Add(levelsText(one.Levels), words.Percent(one.NCP), chart.BarLength*one.NCP)
	}
	return b
}

// levelsText: "1 0 2".
func levelsText(levels []int) string { return strings.Trim(fmt.Sprint(levels), "[]") }

// nodeChoice is a table at other levels than those with the least information loss.
type nodeChoice struct {
	name, levels string
	loss         incognito.Loss
	set          release.TableSettings
}

// otherNodes are the other levels that a table can be published at.
func otherNodes(c release.TableChoice) []nodeChoice {
	if c.Lattice == nil {
		return nil
	}
	var all []nodeChoice
	for _, one := range c.Lattice.Losses {
		if slices.Equal(one.Levels, c.Lattice.Taken) {
			continue
		}
		set := c.TableSettings
		set.Method.Levels = c.Lattice.Levels(one.Levels)
		all = append(all, nodeChoice{tableName(set), strings.ReplaceAll(c.Lattice.Named(one.Levels), ",", ", "), one, set})
		if len(all) == mostNodeBars {
			break
		}
	}
	return all
}

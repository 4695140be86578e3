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

// mostNodeBars is how many nodes are drawn, and offered beside the one that loses
// least; the table has all.
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

// latticePage is what the address asks for of a table's lattice.
func (v tableView) latticePage(c release.TableChoice, id string) latticePage {
	name := tableName(c.TableSettings)
	page := latticePage{more: func(from int) templ.SafeURL {
		q := url.Values{"levels": {name}, "from": {strconv.Itoa(max(0, from))}}
		return tableURL(v.Project.ID) + templ.SafeURL("?"+q.Encode()+"#"+id+"-rows")
	}}
	if v.asked.Get("levels") == name {
		page.from, _ = strconv.Atoi(v.asked.Get("from")) // what is no number is the first page
	}
	return page
}

// picked is the table whose box is ticked: the one that was sent, else the customary
// one.
func (v tableView) picked() string {
	if sent := v.asked.Get("table"); v.named(sent) != nil {
		return sent
	}
	return v.customary()
}

// pickedAmong reports whether the picked table is one of these.
func (v tableView) pickedAmong(all []nodeChoice) bool {
	return slices.ContainsFunc(all, func(o nodeChoice) bool { return o.name == v.picked() })
}

// latticeWords say how much there was to choose from.
func latticeWords(l *kanonymity.Lattice) string {
	words := fmt.Sprintf("Of %s of levels %s as was asked for. ", ui.Count(l.Nodes, "combination", "combinations"), ui.Count(l.Holding, "is", "are"))
	if l.Minimal == 1 {
		words += "Below one of them nothing is: no attribute can be coarsened less."
	} else {
		words += fmt.Sprintf("%s of them are minimal: no attribute can be coarsened less.", ui.Number(l.Minimal))
	}
	if listed := minimalIn(l); listed < l.Minimal {
		words += fmt.Sprintf(" The %s of these that lose least are listed.", ui.Number(listed))
	}
	return words
}

// withoutLevels are the attributes that are kept or dropped whole.
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

// nodeWords: "taken, loses least".
func nodeWords(l *kanonymity.Lattice, one incognito.Loss) string {
	var words []string
	if slices.Equal(one.Levels, l.Taken) {
		words = append(words, "taken")
	}
	if slices.Equal(one.Levels, l.Best) {
		words = append(words, "loses least")
	}
	if one.Minimal {
		words = append(words, "minimal")
	}
	return strings.Join(words, ", ")
}

func lossesCaption(l *kanonymity.Lattice) string {
	if len(l.Losses) <= mostNodeBars {
		return "Lost by levels of " + ui.Listed(l.Attributes)
	}
	return fmt.Sprintf("Lost by levels of %s, the first %d", ui.Listed(l.Attributes), mostNodeBars)
}

// lossBars draws what is lost at each node, on one scale to 100 %.
func lossBars(id, title string, l *kanonymity.Lattice) *chart.Bars {
	b := chart.NewBars(id, "Lost by levels, "+title)
	for _, one := range l.Losses[:min(len(l.Losses), mostNodeBars)] {
		b.Add(levelsText(one.Levels), words.Percent(one.NCP), chart.BarLength*one.NCP)
	}
	return b
}

// levelsText: "1 0 2".
func levelsText(levels []int) string { return strings.Trim(fmt.Sprint(levels), "[]") }

// nodeChoice is a table at other levels than those that lose least.
type nodeChoice struct {
	name, levels string
	loss         incognito.Loss
	set          release.TableSettings
}

// otherNodes are those that a table can be published at instead.
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

// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/project"
	"hide/internal/publish/incognito"
	"hide/internal/publish/weak"
)

// mostNodeBars is how many nodes are drawn, and offered beside the one that loses
// least; the table has all.
const mostNodeBars = 12

// latticeWords say how much there was to choose from.
func latticeWords(l *weak.Lattice) string {
	words := fmt.Sprintf("Of %s of levels %s as was asked for. ", count(l.Nodes, "combination", "combinations"), count(l.Holding, "is", "are"))
	if l.Minimal == 1 {
		words += "Below one of them nothing is: no attribute can be coarsened less."
	} else {
		words += fmt.Sprintf("%s of them are minimal: no attribute can be coarsened less.", number(l.Minimal))
	}
	if listed := minimalIn(l); listed < l.Minimal {
		words += fmt.Sprintf(" The %s of these that lose least are listed.", number(listed))
	}
	return words
}

func minimalIn(l *weak.Lattice) int {
	n := 0
	for _, one := range l.Losses {
		if one.Minimal {
			n++
		}
	}
	return n
}

// nodeWords: "taken, loses least".
func nodeWords(l *weak.Lattice, one incognito.Loss) string {
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

func lossesCaption(l *weak.Lattice) string {
	if len(l.Losses) <= mostNodeBars {
		return "Lost by levels of " + listed(l.Attributes)
	}
	return fmt.Sprintf("Lost by levels of %s, the first %d", listed(l.Attributes), mostNodeBars)
}

// lossBars draws what is lost at each node, on one scale to 100 %.
func lossBars(id, title string, l *weak.Lattice) *bars {
	b := newBars(id, "Lost by levels, "+title)
	for _, one := range l.Losses[:min(len(l.Losses), mostNodeBars)] {
		b.add(levelsText(one.Levels), formatPercent(one.NCP), barMost*one.NCP)
	}
	return b
}

// levelsText: "1 0 2".
func levelsText(levels []int) string { return strings.Trim(fmt.Sprint(levels), "[]") }

// nodeChoice is a table at other levels than those that lose least.
type nodeChoice struct {
	name, levels string
	loss         incognito.Loss
	set          project.TableSettings
}

// otherNodes are those that a table can be published at instead.
func otherNodes(c project.TableChoice) []nodeChoice {
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

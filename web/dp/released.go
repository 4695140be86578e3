// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	"hide/internal/words"
	"hide/web/ui"
)

// Counts is the counts that the page of a release shows.
type Counts struct {
	Tables  []dp.CountedTable
	By, And string // attributes that were chosen
	Problem string // why they cannot be shown
}

// ReadCounts reads the counts that ?by= and ?and= choose. An impossible choice is an error.
// If files cannot be read, the rest of the page is shown.
func ReadCounts(c ui.Context, projects interface {
	ReleasedCounts(ctx context.Context, by account.User, id project.ID, number int, names []string) ([]dp.CountedTable, error)
}, id project.ID, n int) (Counts, error) {
	t := Counts{By: c.QueryParam("by"), And: c.QueryParam("and")}
	var names []string
	if t.By != "" {
		names = append(names, t.By)
	}
	if t.And != "" && t.And != t.By {
		names = append(names, t.And)
	}
	var err error
	t.Tables, err = projects.ReleasedCounts(c.Request().Context(), ui.User(c), id, n, names)
	var e *project.Error
	if errors.As(err, &e) && (e.Kind == project.NotFound || len(names) == 0 && e.Kind == project.Invalid) {
		t.Problem, err = ui.Problem(err), nil
	}
	return t, err
}

// countedBars draws a table. Counts below 0 have no bar. The line on a bar shows the
// expected error of its count.
func countedBars(id string, t dp.CountedTable) *chart.Bars {
	b := chart.NewBars(id, "Patients by "+ui.Listed(t.Names)+", with noise")
	most := 1.0
	for _, g := range t.Rows {
		most = max(most, g.Count+g.Off)
	}
	scale := chart.BarLength / most
	for _, g := range t.Rows {
		b.Add(barName(strings.Join(g.Labels, ", ")), words.Amount(g.Count)+" "+offWords(g), scale*max(0, g.Count))
		last := &b.Rows[len(b.Rows)-1]
		last.From, last.To = scale*max(0, g.Count-g.Off), scale*max(0, g.Count+g.Off)
	}
	return b
}

func offWords(g dp.CountedGroup) string { return "±" + words.Amount(g.Off) }

// barName is a name, cut to fit beside a bar.
func barName(name string) string {
	if all := []rune(name); len(all) > mostBarName {
		return string(all[:mostBarName-1]) + "…"
	}
	return name
}

func tableID(i int) string { return "counts-" + strconv.Itoa(i+1) }

// moreGroups: "60 more groups are in release-1.zip, in cells.csv".
func moreGroups(r release.Release, t dp.CountedTable) string {
	more, verb := t.All-len(t.Rows), "are"
	if more == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s %s in %s.zip, in %s.", ui.Count(more, "more group", "more groups"), verb, r.Name, countsFile(r.Strong.Method))
}

// unevenWords warns of errors that the expected error does not include.
func unevenWords(m cube.Method) string {
	switch m {
	case cube.Uniform:
		return "Only the total was counted, and spread evenly over the categories. If the categories differ, the error is much larger than ±."
	case cube.DPCube:
		return "Neighbouring categories with similar counts were counted together and share the count evenly. If they differ, the error of a count can be larger than ±."
	}
	return ""
}

// countsFile is the file that has the counts of a release, by method.
func countsFile(m cube.Method) string {
	switch m {
	case cube.Identity:
		return "cells.csv"
	case cube.Marginals:
		return "marginal-1.csv and those after it"
	}
	return "blocks.csv"
}

// sequenceWords: "Arden → Bilton".
func sequenceWords(symbols []string) string {
	if len(symbols) == 0 {
		return "(empty)"
	}
	return strings.Join(symbols, " → ")
}

// mostBarName is how many letters fit beside a bar.
const mostBarName = 22

// sequenceBars draws counts. Counts below 0 have no bar.
func sequenceBars(all []dp.CountedSequence) *chart.Bars {
	b := chart.NewBars("sequences-released", "Patients by sequence, with noise")
	most := 1.0
	for _, q := range all {
		most = max(most, q.Count)
	}
	for _, q := range all {
		b.Add(barName(sequenceWords(q.Symbols)), words.Amount(q.Count), chart.BarLength*max(0, q.Count)/most)
	}
	return b
}

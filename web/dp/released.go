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

// Counts is what the page of a release of counts shows of them.
type Counts struct {
	Tables  []dp.CountedTable
	By, And string // attributes that were chosen
	Problem string // why there are none
}

// ReadCounts reads the counts that ?by= and ?and= choose. A choice that cannot be is
// refused; files that cannot be read leave the rest of the page.
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

// countedBars draws a table; what is below 0 has no bar. The line of a bar goes as far
// to each side as its count is off in the mean.
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

// barName is a name as it fits beside a bar; the table has the whole.
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

// alikeWords warns of what an expected error leaves out.
func alikeWords(m cube.Method) string {
	switch m {
	case cube.Uniform:
		return "Only one count of all patients was taken; by category it is spread evenly, and off by much more than ± says where categories are not alike."
	case cube.DPCube:
		return "Neighbouring categories with similar counts were counted together and share their count evenly: where they are not alike, a count can be off by more than ± says."
	}
	return ""
}

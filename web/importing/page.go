// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"cmp"
	"maps"
	"slices"

	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/web/ui"
)

// importView is the page that sends files.
type importView struct {
	overview project.Overview
	waiting  []keptState // uploads of the person that wait for a decision
	said     string
}

// importResult is the result of an import.
type importResult struct{ project.ImportReport }

var saidWords = map[string]string{"dropped": "The files are dropped. Nothing was imported."}

func (h *Handlers) showImport(c ui.Context) error {
	overview, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	v := importView{overview: overview, said: saidWords[c.QueryParam("done")]}
	for _, k := range h.shelf.of(ui.User(c).ID, overview.ID) {
		if now := k.look(); now.stage != imported {
			v.waiting = append(v.waiting, now)
		}
	}
	return ui.ShowPage(c, ui.Page{Title: "Import · " + overview.Name, Project: &overview, Tab: "import", Scripts: []string{"js/import.js"}}, importBody(v))
}

// readable lists the titles of the formats that can be read.
func readable() (titles []string) {
	for _, f := range format.Formats() {
		if f.Read {
			titles = append(titles, f.Title)
		}
	}
	return titles
}

// problemKinds counts refusals by class, most frequent first.
func problemKinds(problems []format.Problem) []problemKind {
	counts := map[string]int{}
	for _, p := range problems {
		counts[p.Code]++
	}
	var kinds []problemKind
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		kinds = append(kinds, problemKind{code, counts[code]})
	}
	slices.SortStableFunc(kinds, func(a, b problemKind) int { return cmp.Compare(b.n, a.n) })
	return kinds
}

type problemKind struct {
	code string
	n    int
}

// SPDX-License-Identifier: Apache-2.0

package links

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/disjoint"
	"hide/internal/project"
	"hide/internal/words"
)

// Agreement counts records that look like the same people although they count as different
// patients. It needs no linkage and takes linear time.
type Agreement struct {
	Of      int // records of the project
	Records int // that agree with a record of another patient
	Groups  int // of records that agree
	// Examples are the first groups. A record is named by the number of its first note.
	Examples [][]annotate.DocumentID
}

// Words are a sentence for people who are about to publish, "" if no records agree. It has no
// value of a record.
func (a Agreement) Words() string {
	if a.Records == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d records look like only %s: they agree on a name and a birth date, on an identifying number, or on birth date, sex and ZIP code. They are counted as different patients.",
		a.Records, a.Of, words.Count(a.Groups, "person", "people"))
}

// Agreeing finds records of different patients that agree on more than chance explains: on the
// name with the birth date, a phone number or an e-mail address; on an identifying number; or on
// birth date, sex and ZIP code. Records that are linked, and pairs that people decided to be
// different, do not count. Birth date, sex and ZIP code settle nothing where linkage compared the
// records and found different people, so they count only beside a record whose notes all came since.
func Agreeing(ctx context.Context, ws *project.Workspace) (Agreement, error) {
	all, err := gatherFacts(ctx, ws)
	if err != nil {
		return Agreement{}, err
	}
	_, different, err := differentRecords(ws)
	if err != nil {
		return Agreement{}, err
	}
	f, err := FiguresOf(ws)
	if err != nil {
		return Agreement{}, err
	}
	g := newAgreeing(ws.Links(), all)
	g.figures = f
	return g.result(different), nil
}

// agreeing is records by what they agree on. A unit is the records that count as one patient.
type agreeing struct {
	records []*facts
	unit    map[string]int // by record
	of      [][]int        // records by unit
	holders map[string][]int
	keys    [][]string // by unit, sorted

	figures *Figures // of the last linkage, nil before any
}

func newAgreeing(links *project.Links, all []*facts) *agreeing {
	g := &agreeing{records: all, unit: map[string]int{}, holders: map[string][]int{}}
	named := map[string]int{}
	for i, r := range all {
		name := cmp.Or(links.Of[r.record], r.record)
		u, ok := named[name]
		if !ok {
			u = len(g.of)
			named[name] = u
			g.of, g.keys = append(g.of, nil), append(g.keys, nil)
		}
		g.unit[r.record] = u
		g.of[u] = append(g.of[u], i)
		g.keys[u] = append(g.keys[u], r.keys()...)
	}
	for u := range g.keys {
		slices.Sort(g.keys[u])
		g.keys[u] = slices.Compact(g.keys[u])
		for _, key := range g.keys[u] {
			g.holders[key] = append(g.holders[key], u)
		}
	}
	return g
}

// at is a unit that has a key.
type at struct {
	key  string
	unit int
}

// apart counts, for each unit with a key, the other units with the key that it was decided to
// differ from.
func (g *agreeing) apart(different [][2]string) map[at]int {
	out, seen := map[at]int{}, map[[2]int]bool{}
	for _, pair := range different {
		u, ok1 := g.unit[pair[0]]
		v, ok2 := g.unit[pair[1]]
		if !ok1 || !ok2 || u == v || seen[[2]int{min(u, v), max(u, v)}] {
			continue
		}
		seen[[2]int{min(u, v), max(u, v)}] = true
		for _, key := range g.keys[u] {
			if _, both := slices.BinarySearch(g.keys[v], key); both {
				out[at{key, u}]++
				out[at{key, v}]++
			}
		}
	}
	return out
}

// mostExamples is how many groups an agreement names, and how many records of each.
const mostExamples = 5

func (g *agreeing) result(different [][2]string) Agreement {
	apart, people := g.apart(different), disjoint.New(len(g.of))
	for u, keys := range g.keys { // in the order of the notes
		for _, key := range keys {
			all := g.holders[key]
			if all[0] != u || len(all) == 1 || g.settled(key, all) {
				continue
			}
			first := -1
			for _, v := range all {
				if apart[at{key, v}] == len(all)-1 {
					continue
				}
				if first < 0 {
					first = v
				}
				people.Join(v, first)
			}
		}
	}
	return g.count(people)
}

// settled reports whether linkage has answered for all units with a key that chance explains in
// a large project.
func (g *agreeing) settled(key string, units []int) bool {
	return g.figures != nil && strings.HasPrefix(key, bornKey) && !slices.ContainsFunc(units, func(u int) bool {
		return slices.ContainsFunc(g.of[u], func(r int) bool { return !slices.ContainsFunc(g.records[r].notes, g.figures.compared) })
	})
}

// count sums up groups of two or more units.
func (g *agreeing) count(people *disjoint.Sets) Agreement {
	out, groups := Agreement{Of: len(g.records)}, map[int][]int{}
	var order []int
	for u := range g.of {
		root := people.Find(u)
		if groups[root] == nil {
			order = append(order, root)
		}
		groups[root] = append(groups[root], u)
	}
	for _, root := range order {
		units := groups[root]
		if len(units) < 2 {
			continue
		}
		out.Groups++
		var notes []annotate.DocumentID
		for _, u := range units {
			out.Records += len(g.of[u])
			for _, r := range g.of[u] {
				notes = append(notes, g.records[r].notes[0])
			}
		}
		if len(out.Examples) < mostExamples {
			slices.Sort(notes)
			out.Examples = append(out.Examples, notes[:min(len(notes), mostExamples)])
		}
	}
	return out
}

// AgreementMark changes when an agreement may be another one.
func AgreementMark(ws *project.Workspace) (string, error) {
	run, different, err := differentRecords(ws)
	return project.Fingerprint("%s %q %d", ws.NotesMark(), different, run), err
}

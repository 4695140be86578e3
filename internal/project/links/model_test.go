// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
)

// said is the simple model of what people decided: pairs of keys and whether they are one person.
type said map[[2]string]bool

func pairOf(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// person gives each key the smallest key that decisions say is the same.
func (s said) person(keys []string) map[string]string {
	of := map[string]string{}
	for _, k := range keys {
		of[k] = k
	}
	for range keys {
		for pair, same := range s {
			if same {
				least := min(of[pair[0]], of[pair[1]])
				of[pair[0]], of[pair[1]] = least, least
			}
		}
	}
	return of
}

// possible reports whether no pair that differs is one person by other decisions.
func (s said) possible(keys []string) bool {
	of := s.person(keys)
	for pair, same := range s {
		if !same && of[pair[0]] == of[pair[1]] {
			return false
		}
	}
	return true
}

// TestDecisionsAgainstAModel decides, undoes, deletes, restores and links again at random. What
// people said must hold in the links, and a contradiction must be refused.
func TestDecisionsAgainstAModel(t *testing.T) {
	b := projecttest.New(t)
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newSimulation(t, b, seed)
			for range 20 {
				s.step()
				s.check()
			}
			b.Reopen()
			s.check()
		})
	}
}

type simulation struct {
	*projecttest.Bench
	t       *testing.T
	rng     *rand.Rand
	id      project.ID
	keys    []string
	number  map[string]uint64
	said    said
	deleted map[string]bool
	version int
}

func newSimulation(t *testing.T, b *projecttest.Bench, seed uint64) *simulation {
	s := &simulation{Bench: b, t: t, rng: rand.New(rand.NewPCG(seed, 7)), said: said{}, deleted: map[string]bool{}, number: map[string]uint64{}}
	var docs []annotate.Annotated
	for i, p := range people {
		key := fmt.Sprintf("k%d", i)
		s.keys = append(s.keys, key)
		if i == 5 || i == 6 { // one person under three keys
			p = people[4]
		}
		docs = append(docs, note(key, key, p, "Stable."))
	}
	s.id = b.NewNamed(fmt.Sprint("Simulated ", seed), docs)
	linked(t, b, s.id, links.Options{})
	s.learn()
	return s
}

// learn reads the numbers of the records.
func (s *simulation) learn() {
	s.t.Helper()
	v, err := s.LinkedPatients(s.t.Context(), projecttest.Broker, s.id, 0, 100, "")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, row := range v.Rows {
		for _, r := range row.Records {
			if was, known := s.number[r.Key]; known && was != r.Number {
				s.t.Errorf("record %d has the number %d after another run", was, r.Number)
			}
			s.number[r.Key] = r.Number
		}
	}
}

func (s *simulation) step() {
	switch n := s.rng.IntN(10); {
	case n < 6:
		s.decide()
	case n < 8:
		s.undo()
	case n < 9:
		s.deleteOrRestore()
	default:
		linked(s.t, s.Bench, s.id, links.Options{PassOne: true})
		s.learn()
	}
}

func (s *simulation) decide() {
	a, b := s.keys[s.rng.IntN(len(s.keys))], s.keys[s.rng.IntN(len(s.keys))]
	if a == b || s.deleted[a] || s.deleted[b] {
		return
	}
	pair, same, replace := pairOf(a, b), s.rng.IntN(2) == 0, s.rng.IntN(4) == 0
	next := maps.Clone(s.said)
	next[pair] = same
	was, before := s.said[pair]
	contradicts := before && was != same || !next.possible(s.keys)
	err := s.DecideLink(s.t.Context(), projecttest.Broker, s.id, links.PairID{A: s.number[a], B: s.number[b]}, same, replace)
	var refused *links.ContradictionError
	switch {
	case contradicts && !replace:
		if !errors.As(err, &refused) || len(refused.Earlier) == 0 || project.KindOf(err) != project.Stale {
			s.t.Errorf("a contradiction gives %v", err)
		}
		return
	case err != nil:
		s.t.Fatal(err)
	case contradicts:
		next = s.stored() // any choice of replaced decisions is fine, if what is left is possible
		if next[pair] != same || !next.possible(s.keys) {
			s.t.Errorf("what is left of the replaced decisions is not possible")
		}
	}
	s.said = next
}

// stored are the decisions as the service lists them.
func (s *simulation) stored() said {
	s.t.Helper()
	all, err := s.LinkDecisions(s.t.Context(), projecttest.Broker, s.id)
	if err != nil {
		s.t.Fatal(err)
	}
	name := map[uint64]string{}
	for key, n := range s.number {
		name[n] = key
	}
	out := said{}
	for _, d := range all {
		out[pairOf(name[d.Pair.A], name[d.Pair.B])] = d.Same
		if d.By == "" || d.At.IsZero() {
			s.t.Errorf("decision %d says nothing of who and when", d.Number)
		}
	}
	if len(out) != len(all) {
		s.t.Errorf("%d decisions are about %d pairs", len(all), len(out))
	}
	return out
}

func (s *simulation) undo() {
	all, err := s.LinkDecisions(s.t.Context(), projecttest.Broker, s.id)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(all) == 0 {
		return
	}
	d := all[s.rng.IntN(len(all))]
	if err := s.UndoLinkDecision(s.t.Context(), projecttest.Broker, s.id, d.Number); err != nil {
		s.t.Fatal(err)
	}
	projecttest.WantKind(s.t, s.UndoLinkDecision(s.t.Context(), projecttest.Broker, s.id, d.Number), project.NotFound)
	s.said = s.without(d.Pair)
}

func (s *simulation) without(p links.PairID) said {
	next := maps.Clone(s.said)
	maps.DeleteFunc(next, func(pair [2]string, _ bool) bool {
		a, b := s.number[pair[0]], s.number[pair[1]]
		return min(a, b) == p.A && max(a, b) == p.B
	})
	return next
}

// deleteOrRestore moves the only note of a record into the bin, or back, and links again.
func (s *simulation) deleteOrRestore() {
	i := s.rng.IntN(len(s.keys))
	key, doc := s.keys[i], annotate.DocumentID(i+1)
	var err error
	if s.deleted[key] {
		err = s.RestoreNote(s.t.Context(), projecttest.Broker, s.id, doc)
	} else {
		err = s.DeleteNote(s.t.Context(), projecttest.Broker, s.id, doc, key)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.deleted[key] = !s.deleted[key]
	about := func(pair [2]string, _ bool) bool { return pair[0] == key || pair[1] == key }
	had := maps.Clone(s.said)
	maps.DeleteFunc(had, func(p [2]string, same bool) bool { return !about(p, same) })
	linked(s.t, s.Bench, s.id, links.Options{PassOne: true})
	if len(had) == 0 && s.deleted[key] {
		delete(s.number, key) // nobody decided about it: a later run gives it another number
	}
	s.learn()
}

// check compares the links with the model.
func (s *simulation) check() {
	s.t.Helper()
	if got := s.stored(); !maps.Equal(got, s.said) {
		s.t.Fatalf("%d decisions are stored, the model has %d", len(got), len(s.said))
	}
	st, err := s.LinkState(s.t.Context(), projecttest.Broker, s.id)
	if err != nil {
		s.t.Fatal(err)
	}
	present := slices.DeleteFunc(slices.Clone(s.keys), func(k string) bool { return s.deleted[k] })
	rule := said{}
	for pair, same := range s.said {
		if !s.deleted[pair[0]] && !s.deleted[pair[1]] {
			rule[pair] = same
		}
	}
	ws := s.MustWorkspace(s.id)
	of, persons := map[string]string{}, map[string]bool{}
	for n, err := range ws.Documents(s.t.Context(), ws.All()) {
		if err != nil {
			s.t.Fatal(err)
		}
		of[n.Patient] = n.Group()
		persons[n.Group()] = true
	}
	for pair, same := range rule {
		if same != (of[pair[0]] == of[pair[1]]) {
			s.t.Errorf("decided same %v, linked %v", same, of[pair[0]] == of[pair[1]])
		}
	}
	f := st.Figures
	if f.Records != len(present) || f.Patients != len(persons) || f.Decided != len(rule) || f.Version < s.version {
		s.t.Errorf("figures %d records, %d patients, %d decided, version %d; want %d, %d, %d", f.Records, f.Patients, f.Decided, f.Version, len(present), len(persons), len(rule))
	}
	s.version = f.Version
}

// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/publish/hierarchy"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
	"hide/internal/store"
)

// Identifiers are what the notes of a project tell of each patient, and what is
// decided about it: the attributes of its identifier view. They hold no value.
type Identifiers struct {
	Attributes []Identifier
	People     int         // rows of the view: patients, and notes without one
	Alone      int         // of these, notes that came without a patient: each counts as a person
	Unmarked   int         // people of whom no note is finished, so that their labels are missing
	Population *Population // nil without one
}

// Identifier is one attribute.
type Identifier struct {
	idview.Attribute
	People   int  // who have it
	Several  int  // who have more than one value
	Distinct int  // values
	Decided  bool // by a person; else it is a proposal
}

// Limits of what is decided about attributes.
const (
	maxIdentifiers    = 1000
	maxHierarchyBytes = 4 << 20 // of all hierarchies of a project
	maxOrder          = 1000    // values of an order
)

var identifiersKey = []byte("identifiers")

// gathered is what was last read of the notes for the identifier view.
type gathered struct {
	mu     sync.Mutex // held while notes are read
	mark   string     // fingerprint of the notes read
	people *idview.People
}

// Identifiers says what attributes there are and what is decided about them. What
// nobody has decided about is proposed by its name, and what the name does not
// tell is left out.
func (s *Service) Identifiers(ctx context.Context, by account.User, id ID) (Identifiers, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return Identifiers{}, err
	}
	people, err := s.people(ctx, ws)
	if err != nil {
		return Identifiers{}, err
	}
	found := people.Found()
	all, decided, err := s.attributesOf(id, found)
	if err != nil {
		return Identifiers{}, err
	}
	v := Identifiers{People: people.Rows(), Alone: people.Alone(), Unmarked: people.Unmarked()}
	if v.Population, err = s.population(id); err != nil {
		return v, err
	}
	for i, f := range found {
		v.Attributes = append(v.Attributes, Identifier{Attribute: all[i], People: f.People, Several: f.Several, Distinct: f.Distinct, Decided: decided[i]})
	}
	return v, nil
}

// mostValues is how many values of an attribute are listed.
const mostValues = 2000

// IdentifierValues lists the values that an attribute has, as it is decided now:
// at most 2,000, those that most patients have. They are from identified notes.
func (s *Service) IdentifierValues(ctx context.Context, by account.User, id ID, key idview.Key) (Identifier, []idview.Value, error) {
	if err := allow(by, account.ReadNotes); err != nil {
		return Identifier{}, nil, err
	}
	all, err := s.Identifiers(ctx, by, id)
	if err != nil {
		return Identifier{}, nil, err
	}
	i := slices.IndexFunc(all.Attributes, func(a Identifier) bool { return a.Key == key })
	if i < 0 {
		return Identifier{}, nil, notFound("no patient of project %s has this attribute", id)
	}
	ws, err := s.workspace(id)
	if err != nil {
		return Identifier{}, nil, err
	}
	people, err := s.people(ctx, ws)
	if err != nil {
		return Identifier{}, nil, err
	}
	values := people.Distinct(all.Attributes[i].Attribute)
	return all.Attributes[i], values[:min(mostValues, len(values))], nil
}

// attributesOf are the attributes that were found, as they are decided now or else
// proposed, and which are decided.
func (s *Service) attributesOf(id ID, found []idview.Found) (all []idview.Attribute, decided []bool, err error) {
	decisions, err := s.decidedIdentifiers(id)
	if err != nil {
		return nil, nil, err
	}
	all, decided = idview.Propose(found), make([]bool, len(found))
	for i, a := range all {
		if j := slices.IndexFunc(decisions, func(d idview.Attribute) bool { return d.Key == a.Key }); j >= 0 {
			all[i], decided[i] = decisions[j], true
		}
	}
	return all, decided, nil
}

func (s *Service) decidedIdentifiers(id ID) ([]idview.Attribute, error) {
	var decided []idview.Attribute
	err := s.store.View(string(id), func(tx *store.Tx) (err error) {
		decided, err = get[[]idview.Attribute](tx, bucketProject, identifiersKey)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return decided, err
}

// SetIdentifiers decides what role attributes play. Those that are not given are
// proposals again.
func (s *Service) SetIdentifiers(ctx context.Context, by account.User, id ID, decided []idview.Attribute) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if err := checkIdentifiers(decided); err != nil {
		return err
	}
	if err := s.fit(ctx, ws, decided); err != nil {
		return err
	}
	ev := event(by, "identifiers", id.object(), rolesWords(decided))
	return s.update(id, ev, func(tx *store.Tx) error { return put(tx, bucketProject, identifiersKey, decided) })
}

func checkIdentifiers(decided []idview.Attribute) error {
	if len(decided) > maxIdentifiers {
		return invalid("leave fields out when you import", "a project can have %d attributes decided, these are %d", maxIdentifiers, len(decided))
	}
	hierarchies := 0
	for i, a := range decided {
		if err := a.Check(); err != nil {
			return invalid("", "%v", err)
		}
		if slices.ContainsFunc(decided[:i], func(b idview.Attribute) bool { return b.Key == a.Key }) {
			return invalid("give each attribute one role", "an attribute is decided twice")
		}
		if len(a.Order) > maxOrder {
			return invalid("make it nominal", "an order has %d values, at most %d", len(a.Order), maxOrder)
		}
		hierarchies += len(a.Hierarchy)
	}
	if hierarchies > maxHierarchyBytes {
		return invalid("use smaller hierarchies", "the hierarchies have %d bytes, at most %d", hierarchies, maxHierarchyBytes)
	}
	return nil
}

// fit refuses orders and hierarchies that lack a value which there is.
func (s *Service) fit(ctx context.Context, ws *workspace, decided []idview.Attribute) error {
	if !slices.ContainsFunc(decided, func(a idview.Attribute) bool { return len(a.Order) > 0 || a.Hierarchy != "" }) {
		return nil
	}
	people, err := s.people(ctx, ws)
	if err != nil {
		return err
	}
	_, err = people.View(decided)
	return viewError(err)
}

// viewError is an error of a view for the person who decided about attributes.
func viewError(err error) error {
	if err == nil {
		return nil
	}
	hint := "change what is decided about this attribute"
	if value := (*table.ValueError)(nil); errors.As(err, &value) {
		hint = "add the values that are missing to the order or the hierarchy, or take them away"
	}
	if wrong := (*table.PopulationError)(nil); errors.As(err, &wrong) {
		hint = "the file needs a row for each person and a column for each attribute that is coarsened, called as it is here"
	}
	if problem := (*hierarchy.Problem)(nil); errors.As(err, &problem) {
		hint = "write one value a line, then its labels from fine to coarse with semicolons between; the last label is the same on each line"
	}
	return invalid(hint, "%v", err)
}

// rolesWords counts roles for the audit trail. Fields are not named: their names
// are from a file.
func rolesWords(decided []idview.Attribute) string {
	labels, fields := map[table.Role][]string{}, map[table.Role]int{}
	for _, a := range decided {
		if a.Source == idview.Label && annotate.CheckLabel(annotate.Label(a.Name)) == nil {
			labels[a.Role] = append(labels[a.Role], a.Name)
		} else {
			fields[a.Role]++
		}
	}
	var words []string
	for _, role := range []table.Role{table.Direct, table.Quasi, table.Sensitive, table.Insensitive, table.Text} {
		if n := fields[role] + len(labels[role]); n > 0 {
			slices.Sort(labels[role])
			words = append(words, strings.TrimSpace(fmt.Sprintf("%s: %d fields %s", role, fields[role], strings.Join(labels[role], " "))))
		}
	}
	return or(strings.Join(words, "; "), "proposals")
}

// people reads all notes, and the spans of finished ones. What it gives is shared
// and must not be changed.
func (s *Service) people(ctx context.Context, ws *workspace) (*idview.People, error) {
	ws.gathered.mu.Lock()
	defer ws.gathered.mu.Unlock()
	mark := ws.notesMark()
	if ws.gathered.people != nil && ws.gathered.mark == mark {
		return ws.gathered.people, nil
	}
	people := idview.NewPeople()
	for d, err := range s.documents(ctx, ws, ws.all()) {
		if err != nil {
			return nil, err
		}
		st, err := ws.find(d.id)
		if err != nil {
			return nil, err
		}
		people.Add(d.Document, d.Spans, st.State == annotate.Done)
	}
	ws.gathered.mark, ws.gathered.people = mark, people
	return people, nil
}

// notesMark changes with every note that is added, edited, finished or opened
// again.
func (ws *workspace) notesMark() string {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	h := sha256.New()
	for _, doc := range ws.order {
		st := ws.docs[doc]
		hashRevision(h, doc, st.Revision)
		hashNumbers(h, len(st.State)) // the states differ in length
	}
	return hex.EncodeToString(h.Sum(nil))
}

// identifierView is the view as it is decided now, without what is left out: not
// even its name may leave the house.
func (s *Service) identifierView(ctx context.Context, ws *workspace) (*idview.View, error) {
	return s.viewOf(ctx, ws, (*idview.People).View)
}

func (s *Service) viewOf(ctx context.Context, ws *workspace, view func(*idview.People, []idview.Attribute) (*idview.View, error)) (*idview.View, error) {
	people, err := s.people(ctx, ws)
	if err != nil {
		return nil, err
	}
	attributes, _, err := s.attributesOf(ws.id, people.Found())
	if err != nil {
		return nil, err
	}
	attributes = slices.DeleteFunc(attributes, func(a idview.Attribute) bool { return a.Role == table.Direct })
	v, err := view(people, attributes)
	return v, viewError(err)
}

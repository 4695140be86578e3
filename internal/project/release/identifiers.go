// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
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
	People   int       // who have it
	Several  int       // who have more than one value
	Distinct int       // values
	Decided  bool      // by a person; else it is a proposal
	By       string    // account id of who decided, "" in what was decided before that was kept
	At       time.Time // when
}

// Version changes with everything that is decided about an attribute.
func (i Identifier) Version() string { return versionOf(i.Attribute) }

func versionOf(a idview.Attribute) string {
	return project.Fingerprint("%q", []any{a.Key, a.Role, a.Kind, a.Take, a.Order, a.Form, a.Hierarchy})
}

// Decision is what a person decides about one attribute.
type Decision struct {
	idview.Attribute
	// Seen is the [Identifier.Version] that the person decided on; "" decides
	// whatever it is by now.
	Seen string
}

// DecisionConflict is returned when others have decided otherwise about some of the
// same attributes meanwhile.
type DecisionConflict struct{ Theirs []Identifier }

func (e *DecisionConflict) Error() string {
	return fmt.Sprintf("%d of these attributes were decided otherwise meanwhile", len(e.Theirs))
}

// decision is what is stored of one.
type decision struct {
	idview.Attribute
	By string    `json:"by,omitempty"`
	At time.Time `json:"at,omitzero"`
}

// Limits of what is decided about attributes.
const (
	maxIdentifiers    = 1000
	maxHierarchyBytes = 4 << 20 // of all hierarchies of a project
	maxOrder          = 1000    // values of an order
)

var identifiersKey = []byte("identifiers")

// Identifiers says what attributes there are and what is decided about them. What
// nobody has decided about is proposed by its name, and what the name does not
// tell is left out.
func (s *Service) Identifiers(ctx context.Context, by account.User, id project.ID) (Identifiers, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return Identifiers{}, err
	}
	people, err := s.People(ctx, ws.Workspace)
	if err != nil {
		return Identifiers{}, err
	}
	found := people.Found()
	decisions, err := s.decisions(id)
	if err != nil {
		return Identifiers{}, err
	}
	v := Identifiers{People: people.Rows(), Alone: people.Alone(), Unmarked: people.Unmarked()}
	if v.Population, err = s.population(id); err != nil {
		return v, err
	}
	for i, proposed := range idview.Propose(found) {
		one := Identifier{Attribute: proposed, People: found[i].People, Several: found[i].Several, Distinct: found[i].Distinct}
		if j := decidedOn(decisions, one.Key); j >= 0 {
			one.Attribute, one.Decided, one.By, one.At = decisions[j].Attribute, true, decisions[j].By, decisions[j].At
		}
		v.Attributes = append(v.Attributes, one)
	}
	if v.Population != nil {
		v.Population.Lacking = v.Population.lacks(v.attributes())
	}
	return v, nil
}

func (i Identifiers) attributes() []idview.Attribute {
	all := make([]idview.Attribute, len(i.Attributes))
	for at, one := range i.Attributes {
		all[at] = one.Attribute
	}
	return all
}

// mostValues is how many values of an attribute are listed.
const mostValues = 2000

// IdentifierValues lists the values that an attribute has, as it is decided now:
// at most 2,000, those that most patients have. They are from identified notes.
func (s *Service) IdentifierValues(ctx context.Context, by account.User, id project.ID, key idview.Key) (Identifier, []idview.Value, error) {
	if err := project.Allow(by, account.ReadNotes); err != nil {
		return Identifier{}, nil, err
	}
	all, err := s.Identifiers(ctx, by, id)
	if err != nil {
		return Identifier{}, nil, err
	}
	i := slices.IndexFunc(all.Attributes, func(a Identifier) bool { return a.Key == key })
	if i < 0 {
		return Identifier{}, nil, project.NotFoundf("no patient of project %s has this attribute", id)
	}
	ws, err := s.enter(by, account.ReadNotes, id)
	if err != nil {
		return Identifier{}, nil, err
	}
	people, err := s.People(ctx, ws.Workspace)
	if err != nil {
		return Identifier{}, nil, err
	}
	values := people.Distinct(all.Attributes[i].Attribute)
	return all.Attributes[i], values[:min(mostValues, len(values))], nil
}

// attributesOf are the attributes that were found, as they are decided now or else
// proposed, and which are decided.
func (s *Service) attributesOf(id project.ID, found []idview.Found) (all []idview.Attribute, decided []bool, err error) {
	decisions, err := s.decisions(id)
	if err != nil {
		return nil, nil, err
	}
	all, decided = idview.Propose(found), make([]bool, len(found))
	for i, a := range all {
		if j := decidedOn(decisions, a.Key); j >= 0 {
			all[i], decided[i] = decisions[j].Attribute, true
		}
	}
	return all, decided, nil
}

// decisions are what is decided, in the order in which it was first.
func (s *Service) decisions(id project.ID) (all []decision, err error) {
	err = s.projects.View(id, func(tx *store.Tx) (err error) {
		all, err = readDecisions(tx)
		return err
	})
	return all, err
}

func readDecisions(tx *store.Tx) ([]decision, error) {
	all, err := store.GetJSON[[]decision](tx, bucketProject, identifiersKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return all, err
}

// decidedOn is the place of a decision about an attribute, or -1.
func decidedOn(all []decision, key idview.Key) int {
	return slices.IndexFunc(all, func(d decision) bool { return d.Key == key })
}

// SetIdentifiers decides what role some attributes play, and leaves all others as
// they are. When any of them is not as it was seen, nothing is decided and a
// [*DecisionConflict] says what it is now.
func (s *Service) SetIdentifiers(ctx context.Context, by account.User, id project.ID, decisions []Decision) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if len(decisions) == 0 {
		return nil
	}
	decided := make([]idview.Attribute, len(decisions))
	for i, d := range decisions {
		decided[i] = d.Attribute
	}
	if err := checkIdentifiers(decided); err != nil {
		return err
	}
	if err := s.fit(ctx, ws, decided); err != nil {
		return err
	}
	people, err := s.People(ctx, ws.Workspace)
	if err != nil {
		return err
	}
	found, at := people.Found(), s.projects.Now().UTC()
	ev := project.EventBy(by, "identifiers", id.Object(), rolesWords(decided))
	return s.projects.Update(id, ev, func(tx *store.Tx) error {
		now, err := readDecisions(tx)
		if err != nil {
			return err
		}
		if theirs := otherwise(decisions, now, found); len(theirs) > 0 {
			return &DecisionConflict{Theirs: theirs}
		}
		now = withDecisions(now, decided, by.ID, at)
		if err := checkIdentifiers(attributesIn(now)); err != nil {
			return err
		}
		return store.PutJSON(tx, bucketProject, identifiersKey, now)
	})
}

// otherwise are the attributes that are not as they were seen.
func otherwise(decisions []Decision, now []decision, found []idview.Found) []Identifier {
	var theirs []Identifier
	proposed := idview.Propose(found)
	for _, d := range decisions {
		there := Identifier{}
		if i := decidedOn(now, d.Key); i >= 0 {
			there = Identifier{Attribute: now[i].Attribute, Decided: true, By: now[i].By, At: now[i].At}
		} else if i := slices.IndexFunc(proposed, func(a idview.Attribute) bool { return a.Key == d.Key }); i >= 0 {
			there.Attribute = proposed[i]
		} else {
			continue
		}
		if d.Seen != "" && d.Seen != there.Version() {
			theirs = append(theirs, there)
		}
	}
	return theirs
}

func withDecisions(all []decision, decided []idview.Attribute, by string, at time.Time) []decision {
	for _, a := range decided {
		fresh := decision{Attribute: a, By: by, At: at}
		if i := decidedOn(all, a.Key); i >= 0 {
			all[i] = fresh
		} else {
			all = append(all, fresh)
		}
	}
	return all
}

func attributesIn(all []decision) []idview.Attribute {
	attributes := make([]idview.Attribute, len(all))
	for i, d := range all {
		attributes[i] = d.Attribute
	}
	return attributes
}

func checkIdentifiers(decided []idview.Attribute) error {
	if len(decided) > maxIdentifiers {
		return project.Invalidf("leave fields out when you import", "a project can have %d attributes decided, these are %d", maxIdentifiers, len(decided))
	}
	hierarchies := 0
	for i, a := range decided {
		if err := a.Check(); err != nil {
			return project.Invalidf("", "%v", err)
		}
		if slices.ContainsFunc(decided[:i], func(b idview.Attribute) bool { return b.Key == a.Key }) {
			return project.Invalidf("give each attribute one role", "an attribute is decided twice")
		}
		if len(a.Order) > maxOrder {
			return project.Invalidf("make it nominal", "an order has %d values, at most %d", len(a.Order), maxOrder)
		}
		hierarchies += len(a.Hierarchy)
	}
	if hierarchies > maxHierarchyBytes {
		return project.Invalidf("use smaller hierarchies", "the hierarchies have %d bytes, at most %d", hierarchies, maxHierarchyBytes)
	}
	return nil
}

// fit refuses orders and hierarchies that lack a value which there is.
func (s *Service) fit(ctx context.Context, ws *workspace, decided []idview.Attribute) error {
	if !slices.ContainsFunc(decided, func(a idview.Attribute) bool { return len(a.Order) > 0 || a.Hierarchy != "" }) {
		return nil
	}
	people, err := s.People(ctx, ws.Workspace)
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
	return project.Invalidf(hint, "%v", err)
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
	return strings.Join(words, "; ")
}

// People reads all notes, and the spans of finished ones. What it gives is shared
// and must not be changed.
func (s *Service) People(ctx context.Context, p *project.Workspace) (*idview.People, error) {
	ws := s.of(p)
	ws.gathering.Lock()
	defer ws.gathering.Unlock()
	mark := ws.NotesMark()
	if ws.people != nil && ws.mark == mark {
		return ws.people, nil
	}
	people := idview.NewPeople()
	for d, err := range ws.Documents(ctx, ws.All()) {
		if err != nil {
			return nil, err
		}
		st, err := ws.Find(d.ID)
		if err != nil {
			return nil, err
		}
		people.Add(d.Document, d.Spans, st.State == annotate.Done)
	}
	ws.mark, ws.people = mark, people
	return people, nil
}

// identifierView is the view as it is decided now, without what is left out: not
// even its name may leave the house.
func (s *Service) identifierView(ctx context.Context, ws *workspace) (*idview.View, error) {
	return s.ViewOf(ctx, ws.Workspace, (*idview.People).View)
}

func (s *Service) ViewOf(ctx context.Context, ws *project.Workspace, view func(*idview.People, []idview.Attribute) (*idview.View, error)) (*idview.View, error) {
	people, err := s.People(ctx, ws)
	if err != nil {
		return nil, err
	}
	attributes, _, err := s.attributesOf(ws.ID, people.Found())
	if err != nil {
		return nil, err
	}
	v, err := view(people, published(attributes))
	return v, viewError(err)
}

// published are the attributes that are not left out.
func published(attributes []idview.Attribute) []idview.Attribute {
	return slices.DeleteFunc(slices.Clone(attributes), func(a idview.Attribute) bool { return a.Role == table.Direct })
}

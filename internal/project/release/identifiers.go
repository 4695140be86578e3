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

// Identifiers are the attributes of a project's identifier view and their decided roles.
// They hold no value.
type Identifiers struct {
	Attributes []Identifier
	People     int         // rows of the view: patients, and notes without one
	Alone      int         // notes without a patient among them: each counts as a person
	Unmarked   int         // people without a finished note, so that their labels are missing
	Population *Population // nil if none was added
}

// Identifier is one attribute.
type Identifier struct {
	idview.Attribute
	People   int       // who have a value
	Several  int       // who have more than one value
	Distinct int       // distinct values
	Decided  bool      // decided by a person; otherwise proposed
	By       string    // account id of the person who decided, "" in older decisions
	At       time.Time // when
}

// Version changes with every decision about the attribute.
func (i Identifier) Version() string { return versionOf(i.Attribute) }

func versionOf(a idview.Attribute) string {
	return project.Fingerprint("%q", []any{a.Key, a.Role, a.Kind, a.Take, a.Order, a.Form, a.Hierarchy})
}

// Decision is a person's decision about one attribute.
type Decision struct {
	idview.Attribute
	// Seen is the [Identifier.Version] that the person saw; "" accepts any version.
	Seen string
}

// DecisionConflict is returned if others have decided differently about the same
// attributes in the meantime.
type DecisionConflict struct{ Theirs []Identifier }

func (e *DecisionConflict) Error() string {
	return fmt.Sprintf("other people have changed %d of these attributes in the meantime", len(e.Theirs))
}

// decision is the stored form of a decision.
type decision struct {
	idview.Attribute
	By string    `json:"by,omitempty"`
	At time.Time `json:"at,omitzero"`
}

// Limits of decisions about attributes.
const (
	maxIdentifiers    = 1000
	maxHierarchyBytes = 4 << 20 // of all hierarchies of a project
	maxOrder          = 1000    // values of an ordered attribute
)

var identifiersKey = []byte("identifiers")

// Identifiers lists the attributes and their roles. Undecided attributes get a role
// proposed by their name, or are left out if the name says nothing.
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

// IdentifierValues lists the values of an attribute under the current decisions: at most
// 2,000, the most frequent ones. They come from identified notes.
func (s *Service) IdentifierValues(ctx context.Context, by account.User, id project.ID, key idview.Key) (Identifier, []idview.Value, error) {
	ws, err := s.enter(by, account.ReadNotes, id)
	if err != nil {
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
	people, err := s.People(ctx, ws.Workspace)
	if err != nil {
		return Identifier{}, nil, err
	}
	values := people.Distinct(all.Attributes[i].Attribute)
	return all.Attributes[i], values[:min(mostValues, len(values))], nil
}

// attributesOf returns the attributes with their decided or proposed roles, and which of
// them are decided.
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

// decisions lists the decisions in the order in which they were first made.
func (s *Service) decisions(id project.ID) ([]decision, error) {
	ws, err := s.projects.Workspace(id)
	if err != nil {
		return nil, err
	}
	return project.Read(s.projects, id, func(tx *store.Tx) ([]decision, error) { return readDecisions(tx, ws.Names()) })
}

// readDecisions reads the decisions under the present names of labels.
func readDecisions(tx *store.Tx, names *project.Names) ([]decision, error) {
	all, err := store.GetJSON[[]decision](tx, bucketProject, identifiersKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return renamed(all, names), err
}

// renamed are the decisions under the present names of labels. A merge makes one attribute
// of two, about which nobody has decided: of earlier decisions, only leaving it out stays.
func renamed(all []decision, names *project.Names) []decision {
	var out []decision
	for _, d := range all {
		merged := false
		if d.Source == idview.Label {
			var now annotate.Label
			now, merged = names.Follow(annotate.Label(d.Name), d.At)
			d.Name = string(now)
		}
		if !merged || d.Role == table.Direct && decidedOn(out, d.Key) < 0 {
			out = append(out, d)
		}
	}
	return out
}

// decidedOn is the index of the decision about an attribute, or -1.
func decidedOn(all []decision, key idview.Key) int {
	return slices.IndexFunc(all, func(d decision) bool { return d.Key == key })
}

// SetIdentifiers sets the role of some attributes and leaves all others unchanged. If one
// of them differs from what was seen, nothing is set and a [*DecisionConflict] carries
// the current state.
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
		now, err := readDecisions(tx, ws.Names())
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

// otherwise lists the attributes that differ from what was seen.
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
		return project.Invalidf("leave fields out when you import", "a project can have roles for %d attributes, not %d", maxIdentifiers, len(decided))
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
			return project.Invalidf("make it nominal", "the order has %d values; at most %d are allowed", len(a.Order), maxOrder)
		}
		hierarchies += len(a.Hierarchy)
	}
	if hierarchies > maxHierarchyBytes {
		return project.Invalidf("use smaller hierarchies", "the hierarchies have %d bytes; at most %d are allowed", hierarchies, maxHierarchyBytes)
	}
	return nil
}

// fit refuses orders and hierarchies that lack an existing value.
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

// viewError turns an error of a view into a message for the person who decided about
// attributes.
func viewError(err error) error {
	if err == nil {
		return nil
	}
	hint := "change the settings of this attribute"
	if value := (*table.ValueError)(nil); errors.As(err, &value) {
		hint = "add the missing values to the order or the hierarchy, or remove the order or hierarchy"
	}
	if wrong := (*table.PopulationError)(nil); errors.As(err, &wrong) {
		hint = "the file needs a row for each person and a column for each quasi-identifier, with the same name as here"
	}
	if problem := (*hierarchy.Problem)(nil); errors.As(err, &problem) {
		hint = "write one value per line, then its labels from specific to general, separated by semicolons; the last label is the same on each line"
	}
	return project.Invalidf(hint, "%v", err)
}

// rolesWords counts roles for the audit trail. It does not name fields, because their
// names come from a file.
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

// People reads all notes, and the spans of finished ones. The result is shared and must
// not be changed.
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
		if project.KindOf(err) == project.NotFound {
			continue // deleted in the meantime
		}
		if err != nil {
			return nil, err
		}
		people.Add(d.Document, d.Spans, st.State == annotate.Done)
	}
	ws.mark, ws.people = mark, people
	return people, nil
}

// identifierView is the view under the current decisions, without left-out attributes:
// not even their names may be published.
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

// published lists the attributes that are not left out.
func published(attributes []idview.Attribute) []idview.Attribute {
	return slices.DeleteFunc(slices.Clone(attributes), func(a idview.Attribute) bool { return a.Role == table.Direct })
}

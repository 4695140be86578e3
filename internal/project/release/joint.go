// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/publish/idview"
	"hide/internal/publish/joint"
	"hide/internal/publish/table"
)

// jointSet is the RX-dataset of a project's finished notes.
type jointSet struct {
	config   joint.Config
	rows     []joint.Row
	ordinary []map[string]bool // [field] folded values that are not looked for
	JointData
}

// jointSet reads the finished notes with the fields as they are decided now. A
// field and a label of one name say the same.
func (s *Service) jointSet(ctx context.Context, ws *workspace, known, own bool) (*jointSet, error) {
	people, err := s.People(ctx, ws.Workspace)
	if err != nil {
		return nil, err
	}
	fields, ordinary, err := s.jointFields(ws, people)
	if err != nil {
		return nil, err
	}
	set := &jointSet{ordinary: ordinary}
	if set.config, err = jointConfig(fields, ws.Labels().Labels()); err != nil {
		return nil, err
	}
	set.config.OwnValues = own
	if err := s.jointRows(ctx, ws, fields, set); err != nil {
		return nil, err
	}
	if len(set.rows) == 0 {
		return nil, project.Invalidf("finish notes first", "no note of project %s is finished", ws.ID)
	}
	if known {
		if set.Found, err = joint.FindKnown(ctx, set.config, set.rows); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// view also fills in what the view counts.
func (set *jointSet) view(ctx context.Context) (*joint.View, error) {
	v, err := joint.NewView(ctx, set.config, set.rows)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, project.Invalidf("change what is decided about this attribute", "%v", err)
	}
	set.People, set.Notes, set.Terms = v.Persons(), len(set.rows), v.Terms()
	return v, nil
}

// jointFields are the fields that play a part, as they are decided now. Those that
// are left out are looked for in the patient's notes, but for the ordinary values of
// a field that nobody decided about.
func (s *Service) jointFields(ws *workspace, people *idview.People) (fields []idview.Attribute, ordinary []map[string]bool, err error) {
	all, decided, err := s.attributesOf(ws.ID, people.Found())
	for i, a := range all {
		if a.Source != idview.Field || a.Role == table.Text {
			continue
		}
		var words map[string]bool
		if a.Role == table.Direct && !decided[i] {
			words = ordinaryValues(people.Values(a.Key))
		}
		fields, ordinary = append(fields, a), append(ordinary, words)
	}
	return fields, ordinary, err
}

// A value names nobody, and is a word like any other, when more than one in
// ordinaryOf of the people who have any has it, and more than two: of a few people,
// two may be one family.
const ordinaryOf = 5

// ordinaryValues are the folded values that name nobody, of each person's values.
func ordinaryValues(values [][]string) map[string]bool {
	people, holders := 0, map[string]int{}
	for _, own := range values {
		if len(own) > 0 {
			people++
		}
		seen := map[string]bool{}
		for _, value := range own {
			if folded := idview.Fold(value); !seen[folded] {
				seen[folded] = true
				holders[folded]++
			}
		}
	}
	ordinary := map[string]bool{}
	for value, n := range holders {
		if n > 2 && n*ordinaryOf > people {
			ordinary[value] = true
		}
	}
	return ordinary
}

// Columns that a joint set has before its fields.
const (
	jointPerson  = iota // who it is, as the program tells patients apart
	jointPatient        // the patient's number, which notes may hold
	jointFirst          // the first field
)

// jointRows makes the RX-dataset of the finished notes.
func (s *Service) jointRows(ctx context.Context, ws *workspace, fields []idview.Attribute, set *jointSet) error {
	readers := make([]func(string) string, len(fields))
	for i, f := range fields {
		readers[i] = jointReader(f, set.config.Attributes[jointFirst+i].Attribute)
	}
	for d, err := range ws.Documents(ctx, ws.All()) {
		if err != nil {
			return err
		}
		st, err := ws.Find(d.ID)
		if err != nil {
			return err
		}
		if st.State != annotate.Done {
			set.Unfinished++
			continue
		}
		if d.Patient == "" {
			set.Alone++
		}
		row := joint.Row{Values: []string{d.Group(), d.Patient}, Texts: []joint.Text{{Text: d.Text, Terms: slices.Clone(d.Spans)}}}
		for i, f := range fields {
			value := readers[i](d.Attributes[f.Name])
			if set.ordinary[i][idview.Fold(value)] {
				value = ""
			}
			row.Values = append(row.Values, value)
		}
		row.Values = append(row.Values, "")
		set.rows = append(set.rows, row)
	}
	for i, a := range set.config.Attributes[jointFirst : jointFirst+len(fields)] {
		if a.Role != table.Direct {
			set.Fields = append(set.Fields, JointField{a.Name, fields[i].Role})
		}
	}
	return nil
}

// jointConfig is the configuration that the decided roles amount to. What is
// sensitive in a table is released as it is.
func jointConfig(fields []idview.Attribute, labels []annotate.Label) (joint.Config, error) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	direct := func(name string) joint.Attribute {
		return joint.Attribute{Attribute: table.Attribute{Name: freeName(names, name), Role: table.Direct, Kind: table.Nominal}}
	}
	c := joint.Config{Strategy: joint.Mondrian, Attributes: []joint.Attribute{direct("person"), direct("patient")}}
	for _, f := range fields {
		column, err := f.Column()
		if err != nil {
			return c, viewError(err)
		}
		if column.Role == table.Sensitive {
			column.Role = table.Insensitive
		}
		a := joint.Attribute{Attribute: column}
		for _, l := range labels {
			if (f.Role == table.Quasi || f.Role == table.Direct) && says(f.Name, string(l)) {
				a.Entities = append(a.Entities, l)
			}
		}
		c.Attributes = append(c.Attributes, a)
	}
	text := joint.Attribute{Attribute: table.Attribute{Name: freeName(names, "text"), Role: table.Text, Kind: table.Nominal}}
	c.Attributes = append(c.Attributes, text)
	return c, nil
}

// freeName is a name that no field has, whatever the case of letters.
func freeName(taken []string, name string) string {
	for slices.ContainsFunc(taken, func(t string) bool { return strings.EqualFold(t, name) }) {
		name += " of note"
	}
	return name
}

// says reports whether a field may say the same as terms with a label: all words of
// the label are words of its name, "DATE" of "date_of_birth".
func says(field, label string) bool {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
	}
	of, all := words(label), words(field)
	return len(of) > 0 && !slices.ContainsFunc(of, func(w string) bool { return !slices.Contains(all, w) })
}

// jointReader reads values of a field in the form that its column takes; what the
// column cannot have is missing, as it is in the identifier view.
func jointReader(f idview.Attribute, column table.Attribute) func(string) string {
	read, known := f.Reader(), map[string]string{}
	return func(value string) string {
		value = strings.Join(strings.Fields(value), " ")
		if value == "" || column.Role != table.Quasi {
			return value
		}
		out, seen := known[value]
		if !seen {
			if text, ok := read(value); ok {
				if b, err := table.NewBuilder([]table.Attribute{column}, nil); err == nil && b.Add([]string{text}) == nil {
					out = text
				}
			}
			known[value] = out
		}
		return out
	}
}

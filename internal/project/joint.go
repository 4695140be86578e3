// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/publish/idview"
	"hide/internal/publish/joint"
	"hide/internal/publish/table"
)

// Limits of a preview of notes published with their fields.
const (
	maxJointKs      = 12
	maxJointLambdas = 21
)

// JointSettings say what a preview of notes published with their fields tries.
type JointSettings struct {
	Ks       []int     // patients of a class at least, 2 or more
	Lambdas  []float64 // 0 to 1: weight of the fields
	Cut      joint.Cut // "" for the one that loses least
	Exposure joint.Exposure
}

// JointPreview is what would be lost of a project's fields and of its notes, by k
// and lambda, if both were published together (package joint). It holds no value.
type JointPreview struct {
	Fields     []string           // that would be generalized
	People     int                // with finished notes
	Notes      int                // finished: in others, what is sensitive is not known
	Unfinished int                // notes left out
	Terms      int                // different sensitive terms, those left out that a field says
	Points     []joint.SweepPoint // for each k GDF, then each lambda; k above People is left out
	Best       *joint.SweepPoint  // least loss at which nobody's risk is above the threshold; nil when there is none
}

// JointPreview tries all settings on the finished notes, with the roles of
// [Service.Identifiers] for fields; what people marked is what is sensitive in the
// notes. A field and a label of one name say the same. It works until it is done
// or ctx ends.
func (s *Service) JointPreview(ctx context.Context, by account.User, id ID, set JointSettings) (JointPreview, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return JointPreview{}, err
	}
	if err := set.check(); err != nil {
		return JointPreview{}, err
	}
	fields, err := s.jointFields(ctx, ws)
	if err != nil {
		return JointPreview{}, err
	}
	config, rows, unfinished, err := s.jointRows(ctx, ws, fields)
	if err != nil {
		return JointPreview{}, err
	}
	if len(rows) == 0 {
		return JointPreview{}, invalid("finish notes first", "no note of project %s is finished", id)
	}
	v, err := joint.NewView(config, rows)
	if err != nil {
		return JointPreview{}, invalid("change what is decided about this attribute", "%v", err)
	}
	p := JointPreview{Fields: v.QuasiIdentifiers(), People: v.Persons(), Notes: len(rows), Unfinished: unfinished, Terms: v.Terms()}
	o := joint.SweepOptions{K: set.Ks, Lambda: set.Lambdas, Cuts: []joint.Cut{cmp.Or(set.Cut, joint.Least)}, Ours: true, Exposure: set.Exposure, Workers: runtime.GOMAXPROCS(0)}
	if p.Points, err = v.Sweep(ctx, o, nil); err != nil {
		return JointPreview{}, err
	}
	if best, ok := joint.Best(p.Points, set.Exposure.Threshold); ok {
		p.Best = &best
	}
	return p, nil
}

func (set JointSettings) check() error {
	hint := "k is the number of patients that must be alike, lambda the weight of the fields from 0 to 1"
	switch {
	case len(set.Ks) == 0 || len(set.Ks) > maxJointKs || len(set.Lambdas) == 0 || len(set.Lambdas) > maxJointLambdas:
		return invalid(hint, "a preview tries 1 to %d values of k and 1 to %d of lambda", maxJointKs, maxJointLambdas)
	case slices.ContainsFunc(set.Ks, func(k int) bool { return k < 2 || k > maxTableK }):
		return invalid(hint, "k must be from 2 to %d", maxTableK)
	case slices.ContainsFunc(set.Lambdas, func(l float64) bool { return !(l >= 0 && l <= 1) }):
		return invalid(hint, "lambda must be from 0 to 1")
	case !slices.Contains([]joint.Cut{"", joint.Median, joint.Presence, joint.Least}, set.Cut):
		return invalid(hint, "there is no such way to cut")
	}
	for _, p := range []float64{set.Exposure.Leak, set.Exposure.Found, set.Exposure.Threshold} {
		if !(p >= 0 && p <= 1) {
			return invalid("give shares", "a probability must be from 0 to 1")
		}
	}
	return nil
}

// jointFields are the fields that play a part, as they are decided now.
func (s *Service) jointFields(ctx context.Context, ws *workspace) ([]idview.Attribute, error) {
	people, err := s.people(ctx, ws)
	if err != nil {
		return nil, err
	}
	all, _, err := s.attributesOf(ws.id, people.Found())
	return slices.DeleteFunc(all, func(a idview.Attribute) bool { return a.Source != idview.Field || a.Role == table.Text }), err
}

// Names of the columns that a joint release has beside the fields; no field can
// have them, for names of fields hold no control characters.
const (
	jointPerson = "\x00person"
	jointText   = "\x00text"
)

// jointRows makes the RX-dataset of the finished notes.
func (s *Service) jointRows(ctx context.Context, ws *workspace, fields []idview.Attribute) (config joint.Config, rows []joint.Row, unfinished int, err error) {
	config, err = jointConfig(fields, ws)
	if err != nil {
		return config, nil, 0, err
	}
	readers := make([]func(string) string, len(fields))
	for i, f := range fields {
		readers[i] = jointReader(f, config.Attributes[i+1].Attribute)
	}
	for d, err := range s.documents(ctx, ws, ws.all()) {
		if err != nil {
			return config, nil, 0, err
		}
		st, err := ws.find(d.id)
		if err != nil {
			return config, nil, 0, err
		}
		if st.State != annotate.Done {
			unfinished++
			continue
		}
		row := joint.Row{Values: []string{d.Group()}, Texts: []joint.Text{{Text: d.Text, Terms: slices.Clone(d.Spans)}}}
		for i, f := range fields {
			row.Values = append(row.Values, readers[i](d.Attributes[f.Name]))
		}
		rows = append(rows, joint.Row{Values: append(row.Values, ""), Texts: row.Texts})
	}
	return config, rows, unfinished, nil
}

// jointConfig is the configuration that the decided roles amount to. What is
// sensitive in a table is released as it is.
func jointConfig(fields []idview.Attribute, ws *workspace) (joint.Config, error) {
	labels := ws.labels().Labels()
	c := joint.Config{Strategy: joint.Mondrian, Attributes: []joint.Attribute{{Attribute: table.Attribute{Name: jointPerson, Role: table.Direct, Kind: table.Nominal}}}}
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
			if f.Role == table.Quasi && sameName(string(l), f.Name) {
				a.Entities = append(a.Entities, l)
			}
		}
		c.Attributes = append(c.Attributes, a)
	}
	c.Attributes = append(c.Attributes, joint.Attribute{Attribute: table.Attribute{Name: jointText, Role: table.Text, Kind: table.Nominal}})
	return c, nil
}

// sameName compares names by their letters.
func sameName(a, b string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, s)
	}
	return letters(a) != "" && letters(a) == letters(b)
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

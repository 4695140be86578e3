// SPDX-License-Identifier: Apache-2.0

package links

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/publish/link/columns"
	"hide/internal/publish/link/compare"
)

// facts are what the notes of a record say of who it is about, comparable. They are identifiers.
type facts struct {
	record string                    // see [annotate.Document.Record]
	notes  []annotate.DocumentID     // ascending
	fields map[string][]string       // values of structured fields, before their columns are known
	values map[compare.Kind][]string // distinct
	number []string                  // identifying numbers, each with what it is called
}

// String says nothing of the values.
func (f *facts) String() string { return "facts of a record" }

// GoString is String.
func (f *facts) GoString() string { return f.String() }

// mostFacts is how many different values of a kind a record has at most. More are no identity.
const mostFacts = 16

func (f *facts) add(kind compare.Kind, value string) {
	if value != "" && len(f.values[kind]) < mostFacts && !slices.Contains(f.values[kind], value) {
		f.values[kind] = append(f.values[kind], value)
	}
}

// gatherFacts reads the structured fields, the identities and what is marked in all notes.
func gatherFacts(ctx context.Context, ws *project.Workspace) ([]*facts, error) {
	var all []*facts
	of, labels := map[string]*facts{}, labelsOf(ws)
	for d, err := range ws.Documents(ctx, ws.All()) {
		if err != nil {
			return nil, err
		}
		f := of[d.Record()]
		if f == nil {
			f = &facts{record: d.Record(), fields: map[string][]string{}, values: map[compare.Kind][]string{}}
			of[f.record], all = f, append(all, f)
		}
		f.notes = append(f.notes, d.ID)
		f.read(d, labels)
	}
	readFields(all)
	return all, nil
}

// read takes what a note says. labels are those of i2b2-2014 for the labels of the project.
func (f *facts) read(d project.StoredNote, labels map[annotate.Label]annotate.Label) {
	for name, value := range d.Attributes {
		if value = strings.TrimSpace(value); value != "" && len(f.fields[name]) < mostFacts && !slices.Contains(f.fields[name], value) {
			f.fields[name] = append(f.fields[name], value)
		}
	}
	for _, i := range d.Identities {
		if i.Of == annotate.OfPatient {
			f.identity(i)
		}
	}
	for _, s := range d.Spans {
		f.marked(d.Text, s, cmp.Or(labels[s.Label], s.Label))
	}
}

// marked takes what people marked, under a label of i2b2-2014. Of the dates only those behind
// words for a birth are the patient's.
func (f *facts) marked(text string, s annotate.Span, label annotate.Label) {
	switch label {
	case "PATIENT", "NAME":
		f.name(compare.FullName.Clean(s.Surface(text)))
	case "DATE":
		if before, _ := around(text, s); birthWords.MatchString(before) {
			f.birth(compare.BirthDate.Clean(s.Surface(text)))
		}
	case "MEDICALRECORD", "SSN":
		f.numbered("identity "+string(label), compare.Identifier.Clean(s.Surface(text)))
	}
}

// numbers are the labels of identities that no other person has. A family may share the number of
// a health plan.
var numbers = []annotate.Label{"SSN", "MEDICALRECORD", "LICENSE", "IDNUM", "BIOID"}

// identity takes what structured data beside a note says of the patient. Its dates are those of
// birth and of death.
func (f *facts) identity(i annotate.Identity) {
	switch {
	case i.Label == "PATIENT":
		f.name(compare.FullName.Clean(i.Value))
	case i.Label == "DATE" && !ofDeath(i.From):
		f.birth(compare.BirthDate.Clean(i.Value))
	case i.Label == "ZIP":
		f.add(compare.Postcode, compare.Postcode.Clean(i.Value))
	case i.Label == "PHONE":
		f.add(compare.Phone, compare.Phone.Clean(i.Value))
	case i.Label == "EMAIL":
		f.add(compare.Email, compare.Email.Clean(i.Value))
	case slices.Contains(numbers, i.Label):
		f.numbered("identity "+string(i.Label), compare.Identifier.Clean(i.Value))
	}
}

// ofDeath reports whether a date of an identity is that of a death: fields of HL7 v2, FHIR and
// columns of files.
func ofDeath(from string) bool {
	from = strings.ToLower(from)
	return slices.ContainsFunc([]string{"pid-29", "dea", "dec", "dod"}, func(part string) bool { return strings.Contains(from, part) })
}

// name takes a cleaned full name. A name of one word is no evidence: notes write surnames alone,
// and a family has one.
func (f *facts) name(cleaned string) {
	all := strings.FieldsFunc(cleaned, func(r rune) bool { return r == ' ' || r == ',' })
	all = slices.DeleteFunc(all, func(w string) bool { return len(w) < 2 })
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > 1 {
		f.add(compare.FullName, strings.Join(all, " "))
	}
}

// birth takes a cleaned date of birth, if its day is known.
func (f *facts) birth(cleaned string) {
	if len(cleaned) == len("19610514") && !strings.HasSuffix(cleaned, "00") {
		f.add(compare.BirthDate, cleaned)
	}
}

func (f *facts) numbered(what, cleaned string) {
	if cleaned != "" && len(f.number) < mostFacts && !slices.Contains(f.number, what+" "+cleaned) {
		f.number = append(f.number, what+" "+cleaned)
	}
}

// readFields finds out what the structured fields are, and takes their values.
func readFields(all []*facts) {
	names := map[string]bool{}
	for _, f := range all {
		for name := range f.fields {
			names[name] = true
		}
	}
	header := slices.Sorted(maps.Keys(names))
	found := columns.Recognise(header, columns.Options{}, rowsOf(all, header))
	ambiguous := sharedNumbers(all, found)
	for _, f := range all {
		for _, c := range found {
			if ambiguous[c.Name] {
				continue
			}
			for _, value := range f.fields[c.Name] {
				f.field(c, c.Clean(value))
			}
		}
		f.wholeNames()
		f.fields = nil
	}
}

// field takes a cleaned value of a structured field.
func (f *facts) field(c columns.Column, cleaned string) {
	switch c.Kind {
	case compare.FullName:
		f.name(cleaned)
	case compare.BirthDate:
		f.birth(cleaned)
	case compare.Identifier:
		f.numbered("field "+c.Name, cleaned)
	default:
		f.add(c.Kind, cleaned)
	}
}

// wholeNames joins given names and surnames of separate fields.
func (f *facts) wholeNames() {
	for _, given := range f.values[compare.Given] {
		for _, surname := range f.values[compare.Surname] {
			f.name(given + " " + surname)
		}
	}
}

// rowsOf gives the values of the fields as rows: a record has one for each value of the field
// that has most of them.
func rowsOf(all []*facts, header []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		row := make([]string, len(header))
		for _, f := range all {
			for n, more := 0, true; more; n++ {
				more = false
				for i, name := range header {
					row[i] = ""
					if values := f.fields[name]; n < len(values) {
						row[i], more = values[n], more || n+1 < len(values)
					}
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}

// sharedNumbers are the fields whose numbers do not tell people apart, such as those of wards
// and doctors: fewer than half of the records that have one have a number of their own.
func sharedNumbers(all []*facts, found []columns.Column) map[string]bool {
	out := map[string]bool{}
	for _, c := range found {
		if c.Kind != compare.Identifier {
			continue
		}
		having, distinct := 0, map[string]bool{}
		for _, f := range all {
			if values := f.fields[c.Name]; len(values) > 0 {
				having++
				distinct[c.Clean(values[0])] = true
			}
		}
		out[c.Name] = 2*len(distinct) < having
	}
	return out
}

// bornKey begins the keys of a birth date with sex and postal code, which two people can share.
const bornKey = "born"

// leastPostcode is the length of a whole postal code: the first three digits are of a region.
const leastPostcode = 4

// keys are what another record of the same person would have too. Each is more than chance
// explains.
func (f *facts) keys() (out []string) {
	join := func(parts ...string) { out = append(out, strings.Join(parts, "\x00")) }
	for _, n := range f.number {
		join("number", n)
	}
	for _, name := range f.values[compare.FullName] {
		for _, with := range []compare.Kind{compare.BirthDate, compare.Phone, compare.Email} {
			for _, value := range f.values[with] {
				join("name", name, string(with), value)
			}
		}
	}
	for _, birth := range f.values[compare.BirthDate] {
		for _, sex := range f.values[compare.Sex] {
			for _, zip := range f.values[compare.Postcode] {
				if len(zip) >= leastPostcode {
					join(bornKey, birth, sex, zip)
				}
			}
		}
	}
	return out
}

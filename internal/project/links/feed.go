// SPDX-License-Identifier: Apache-2.0

package links

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/known"
	"hide/internal/project"
)

// aboutFields are the fields that a note may have in its text.
var aboutFields = []field{born, recordNumber, socialSecurity, planNumber, otherNumber, phone, email, place, postcode}

// about is what linked records say of their patient, as identities: without repetition, in the
// order of the fields.
func about(records []cells) []annotate.Identity {
	var out []annotate.Identity
	add := func(label annotate.Label, value string) {
		i := annotate.Identity{Of: annotate.OfPatient, Label: label, Value: value, From: "linked records"}
		if value != "" && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for _, r := range records {
		for _, name := range r.names() {
			add("PATIENT", name)
		}
		for _, f := range aboutFields {
			for _, v := range r[f] {
				if f != born || len(v.Text) == len("1961-05-14") {
					add(fieldTable[f].label, v.Text)
				}
			}
		}
		for _, line := range r.streets() {
			add("STREET", line)
		}
	}
	return out
}

// cells are the values of a record by field.
type cells [fieldCount][]Value

// names are the full names of a record: its given name with each surname.
func (c cells) names() (all []string) {
	first, second := strings.Join(texts(c[given][:min(1, len(c[given]))]), ""), strings.Join(texts(c[middle][:min(1, len(c[middle]))]), "")
	for _, v := range c[surname] {
		all = append(all, strings.Join(strings.Fields(first+" "+second+" "+v.Text), " "))
	}
	if len(all) == 0 && first != "" {
		return []string{first}
	}
	return all
}

// streets are the streets of a record. Only one street has its number for sure.
func (c cells) streets() []string {
	if len(c[street]) == 1 && len(c[streetNumber]) == 1 {
		return []string{c[streetNumber][0].Text + " " + c[street][0].Text}
	}
	return texts(c[street])
}

// recount counts the places of known identifiers in the notes, with what links say of each
// patient beside what structured data says.
func (g *gathering) recount(ctx context.Context, members map[string][]annotate.Identity, progress func(int)) (int, error) {
	total, done := g.found, 0
	for _, e := range g.records {
		also := members[e.key]
		if len(also) == 0 {
			continue
		}
		index := known.New(also)
		for n, err := range g.ws.Documents(ctx, e.docs) {
			if err != nil {
				return 0, err
			}
			x := index
			if len(n.Identities) > 0 {
				x = known.New(slices.Concat(n.Identities, also))
			}
			total += len(x.Find(n.Text)) - g.byDoc[n.ID]
			if done++; done%50 == 0 {
				progress(done)
			}
		}
	}
	return total, ctx.Err()
}

// mostKnown bounds the identities that all notes are searched for.
const mostKnown = 300_000

// longNumber is how long a number must be to be taken for that of a person wherever it stands.
const longNumber = 7

// spread searches all notes for what is known of the patients, and adds what it finds to records
// that have nothing in that field: a note without a key may name a patient whose name stands in
// structured data of another.
func (g *gathering) spread(ctx context.Context, progress func(int)) error {
	index, fields := g.everybody()
	if len(fields) == 0 {
		return nil
	}
	done := 0
	for _, e := range g.records {
		for n, err := range g.ws.Documents(ctx, e.docs) {
			if err != nil {
				return err
			}
			for _, m := range index.Find(n.Text) {
				e.spread(n, m, fields[m.Identity])
			}
			if done++; done%50 == 0 {
				progress(done)
			}
		}
		e.nameMentions()
		e.finish()
	}
	return ctx.Err()
}

// clinicianTitle ends the text before the name of a clinician.
var clinicianTitle = regexp.MustCompile(`(?i)\b(dr|dra|drs|prof|doctor|doctora|docteur|attending|physician|surgeon|nurse|by)\b[.:\s]*$`)

// spread adds a match of something that is known of a patient to a record without such a value.
func (e *evidence) spread(n project.StoredNote, m known.Match, f field) {
	if m.How != known.Exact && m.How != known.Number || len(e.cells[f]) > 0 {
		return
	}
	text := m.Span.Surface(n.Text)
	if f == surname {
		before, after := around(n.Text, m.Span)
		if clinicianTitle.MatchString(before) {
			return
		}
		e.names = append(e.names, mention(text, before, after, FromKnown, n.ID))
		return
	}
	e.add(f, text, FromKnown, n.ID)
}

// everybody is an index of full names, long numbers and e-mail addresses of all records, and the
// field of each identity. Names have the field surname.
func (g *gathering) everybody() (*known.Index, []field) {
	var all []annotate.Identity
	var fields []field
	seen := map[annotate.Identity]bool{}
	add := func(f field, label annotate.Label, value string) {
		i := annotate.Identity{Of: annotate.OfPatient, Label: label, Value: value}
		if !seen[i] && len(all) < mostKnown {
			seen[i] = true
			all, fields = append(all, i), append(fields, f)
		}
	}
	for _, e := range g.records {
		for _, name := range e.cells.names() {
			if strings.Contains(name, " ") {
				add(surname, "PATIENT", name)
			}
		}
		for _, f := range []field{recordNumber, socialSecurity, planNumber, email} {
			for _, v := range e.cells[f] {
				if len(f.clean(v.Text)) >= longNumber {
					add(f, fieldTable[f].label, v.Text)
				}
			}
		}
	}
	return known.New(all), fields
}

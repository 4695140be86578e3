// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/project"
	"hide/internal/publish/transform"
	"hide/internal/store"
)

// mostRows limits the rows of one page.
const mostRows = 500

// around is how many characters of context a row has on each side.
const around = 40

// DraftRows lists n places that pass a filter, from the one with this number on, and counts
// all that pass. It reads the text of the notes whose places it lists; a filter by words reads
// all notes.
func (s *Service) DraftRows(ctx context.Context, by account.User, id project.ID, f Filter, from, n int) (rows []Row, total int, err error) {
	ws, err := s.enterToRead(by, id)
	if err != nil {
		return nil, 0, err
	}
	l, err := s.load(ws)
	if err != nil {
		return nil, 0, err
	}
	if err := s.projects.AuditReading(by, id, l.object(id)); err != nil {
		return nil, 0, err
	}
	from, n = max(0, from), min(max(0, n), mostRows)
	err = s.each(ctx, ws, l, f, func(note int, passing []int, text *noteText) error {
		first, last := max(from, total), min(from+n, total+len(passing))
		for k := first; k < last; k++ {
			row, err := text.row(passing[k-total])
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		total += len(passing)
		return nil
	})
	return rows, total, err
}

// each calls fn for every note with places that pass the filter, with the indices of these
// places.
func (s *Service) each(ctx context.Context, ws *workspace, l *loaded, f Filter, fn func(note int, passing []int, text *noteText) error) error {
	if f.Patient != "" { // any key of a patient selects all notes of the patient
		f.Patient = keyOf(ws.Links().Unit(annotate.Document{Patient: f.Patient}))
	}
	words := dictionary.Fold(strings.TrimSpace(f.Words))
	for note, entries := range l.index.notes {
		if !l.index.passesNote(f, note) || !ws.Has(l.Docs[note]) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var passing []int
		for k, e := range entries {
			if l.index.passes(f, e) {
				passing = append(passing, k)
			}
		}
		text := &noteText{service: s, ws: ws, l: l, note: note}
		var err error
		if words != "" {
			passing = slices.DeleteFunc(passing, func(k int) bool {
				has, missing := text.has(k, words)
				if missing != nil {
					err = missing
				}
				return !has
			})
		}
		if err == nil && len(passing) > 0 {
			err = fn(note, passing, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noteText is a note of the draft with its text, read when it is first needed.
type noteText struct {
	service *Service
	ws      *workspace
	l       *loaded
	note    int
	read    bool
	doc     annotate.Document
	stored  storedNote
}

func (t *noteText) open() (err error) {
	if t.read {
		return nil
	}
	id := t.l.Docs[t.note]
	if t.doc, _, err = t.ws.Fetch(id); err != nil {
		return err
	}
	t.stored, err = t.service.readNote(t.ws.ID, t.l.Number, id)
	if err == nil && !t.l.index.same(t.note, t.stored) {
		err = errChanged // while the rows were read
	}
	t.read = err == nil
	return err
}

// has reports whether the words of a place or its replacement have these, which are folded.
func (t *noteText) has(k int, words string) (bool, error) {
	if err := t.open(); err != nil {
		return false, err
	}
	d := t.stored.Decisions[k]
	return strings.Contains(dictionary.Fold(t.doc.Text[d.Start:d.End]), words) || strings.Contains(dictionary.Fold(d.Replacement), words), nil
}

// row is a place with its context.
func (t *noteText) row(k int) (Row, error) {
	if err := t.open(); err != nil {
		return Row{}, err
	}
	d := t.stored.Decisions[k]
	start := annotate.RuneOff(utf8.RuneCountInString(t.doc.Text[:d.Start]))
	return Row{
		Runes: Runes{start, start + annotate.RuneOff(utf8.RuneCountInString(t.doc.Text[d.Start:d.End]))},
		Place: transform.Place{Note: t.l.Docs[t.note], Start: d.Start, End: d.End}, Name: t.doc.Name, Patient: t.l.index.key(t.note), Decision: d,
		Before: before(t.doc.Text[:d.Start]), Words: t.doc.Text[d.Start:d.End], After: after(t.doc.Text[d.End:]),
	}, nil
}

// before is the end of a text, on one line.
func before(text string) string {
	at := len(text)
	for n := 0; n < around && at > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return flat(text[at:])
}

// after is the beginning of a text, on one line.
func after(text string) string {
	at := 0
	for n := 0; n < around && at < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return flat(text[:at])
}

// flat writes line ends and tabs as blanks.
func flat(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
}

// DraftPeople lists the people whom the notes of a patient name, by the patient's key, or by
// the name of a note that has no patient.
func (s *Service) DraftPeople(_ context.Context, by account.User, id project.ID, patient string) ([]transform.Person, error) {
	ws, err := s.enterToRead(by, id)
	if err != nil {
		return nil, err
	}
	l, err := s.load(ws)
	if err != nil {
		return nil, err
	}
	number := slices.Index(l.index.patients, patient)
	if number < 0 || patient == "" {
		return nil, project.NotFoundf("the draft has no patient with this key")
	}
	if err := s.projects.AuditReading(by, id, l.object(id)); err != nil {
		return nil, err
	}
	p, err := project.GetJSON[storedPatient](s.projects, id, bucketPatients, append(store.Key(l.Number), store.Key(uint64(number))...))
	return p.People, err
}

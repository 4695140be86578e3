// SPDX-License-Identifier: Apache-2.0

// Package entities says which mentions name the same person, place or number, and whether a
// release has to hide them.
//
//	list, err := entities.OfNotes(documents, notes) // as an entities file says
//	list := entities.FromSpans(notes, identifierOf)   // equal words of one patient
//
// Hiding one mention of two protects nobody, because the other one remains. Measures of
// protection therefore count entities and not spans (Pilán et al. 2022, Text Anonymization
// Benchmark).
package entities

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate"
)

// Identifier says how an entity identifies a person.
type Identifier string

// The identifier types of the Text Anonymization Benchmark.
const (
	Direct Identifier = "DIRECT"  // identifies on its own, as a name or a record number does
	Quasi  Identifier = "QUASI"   // identifies in combination with other facts
	NoMask Identifier = "NO_MASK" // identifies nobody; hiding it costs precision
)

// Valid reports whether i is one of the three types.
func (i Identifier) Valid() bool { return i == Direct || i == Quasi || i == NoMask }

// Hidden reports whether a release has to hide it.
func (i Identifier) Hidden() bool { return i == Direct || i == Quasi }

// Document holds the mentions of one note as an entities file lists them.
type Document struct {
	ID       string
	Mentions []Mention
}

// Mention is a place in a note, in code points, and the entity that it names. Mentions may
// overlap.
type Mention struct {
	Start, End annotate.RuneOff
	Label      annotate.Label
	Entity     string // the same for all mentions of an entity within a document
	Identifier Identifier
}

// Entity is what several mentions name.
type Entity struct {
	Label      annotate.Label // of its first mention that has to be hidden
	Identifier Identifier     // the strictest of its mentions
	Places     []Place        // only the mentions that have to be hidden
}

// Place is a span of the note with this number.
type Place struct {
	Note int
	Span annotate.Span
}

// OfNotes lists the entities that documents describe in notes, found by their names. Every
// note needs its document; documents of other notes are passed over. An entity belongs to
// one note. Its mentions with NoMask need not be hidden, even if others must be. Its errors
// quote no text.
func OfNotes(documents []Document, notes []annotate.Note) ([]Entity, error) {
	byID := make(map[string]*Document, len(documents))
	for i := range documents {
		byID[documents[i].ID] = &documents[i]
	}
	var out []Entity
	for i := range notes {
		d := byID[notes[i].Name]
		if d == nil {
			return nil, fmt.Errorf("note %d: the entities file has no record with its id", i+1)
		}
		found, err := d.entities(i, notes[i].Text)
		if err != nil {
			return nil, fmt.Errorf("note %d: %w", i+1, err)
		}
		out = append(out, found...)
	}
	return out, nil
}

// entities groups the mentions of a document by their entity, in the order of the file.
func (d *Document) entities(note int, text string) ([]Entity, error) {
	offsets := annotate.NewOffsets(text)
	list := builder{at: map[string]int{}}
	for i, m := range d.Mentions {
		span, err := offsets.Span(m.Start, m.End, m.Label)
		if err != nil {
			return nil, fmt.Errorf("mention %d: characters %d to %d: %w", i+1, m.Start, m.End, err)
		}
		list.add(m.Entity, m.Identifier, Place{note, span})
	}
	return list.entities, nil
}

// builder collects places by entity.
type builder struct {
	at       map[string]int
	entities []Entity
}

func (b *builder) add(key string, identifier Identifier, p Place) {
	if !identifier.Hidden() {
		return
	}
	i, known := b.at[key]
	if !known {
		i = len(b.entities)
		b.at[key] = i
		b.entities = append(b.entities, Entity{Label: p.Span.Label, Identifier: identifier})
	}
	e := &b.entities[i]
	if identifier == Direct {
		e.Identifier = Direct
	}
	e.Places = append(e.Places, p)
}

// FromSpans guesses the entities of notes without an entities file: spans of a patient with
// equal words, under labels of the same identifier type, are mentions of one entity. Case,
// white space and marks do not count. A note without a patient stands alone.
func FromSpans(notes []annotate.Note, identifier func(annotate.Label) Identifier) []Entity {
	list := builder{at: map[string]int{}}
	for i := range notes {
		group := "p " + notes[i].Patient
		if notes[i].Patient == "" {
			group = fmt.Sprint("n ", i)
		}
		spans := slices.SortedFunc(slices.Values(notes[i].Spans), annotate.CompareSpans)
		for _, s := range spans {
			kind := identifier(s.Label)
			key := strings.Join([]string{group, string(kind), Normal(s.Surface(notes[i].Text))}, "\x00")
			list.add(key, kind, Place{i, s})
		}
	}
	return list.entities
}

// Normal is a text without case, and with one space in place of everything that is not a
// letter, mark or digit. A text that has none of these stays as it is.
func Normal(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
	return cmp.Or(strings.ToLower(strings.Join(words, " ")), text)
}

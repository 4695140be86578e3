// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"fmt"
	"maps"
)

// Book is what was assigned to one patient, for a later release by the same key: then the
// same values get the same surrogates. Keep it encrypted with the key. It is JSON. Only
// consistent surrogates are in it.
type Book struct {
	Days int `json:"days,omitempty"` // shift of dates
	// Values has surrogates by part ("family", "city") and entry. An entry is a keyed hash of
	// the original, so that the book alone does not tell it.
	Values map[string]map[string]string `json:"values,omitempty"`
}

// String hides the surrogates.
func (b Book) String() string {
	n := 0
	for _, entries := range b.Values {
		n += len(entries)
	}
	return fmt.Sprintf("book of %d surrogates", n)
}

// GoString hides the surrogates.
func (b Book) GoString() string { return b.String() }

func (b Book) clone() Book {
	values := make(map[string]map[string]string, len(b.Values))
	for part, entries := range b.Values {
		values[part] = maps.Clone(entries)
	}
	return Book{b.Days, values}
}

func (b *Book) put(part, entry, text string) {
	if b.Values[part] == nil {
		b.Values[part] = map[string]string{}
	}
	b.Values[part][entry] = text
}

// Change is a surrogate of the book that was replaced, because notes that came later have it
// as a real value. A reader who compares the releases sees two surrogates for one value.
type Change struct {
	Kind Kind
	Part string // "family", "city"
}

// Book is what was assigned to the patient up to now, with all of the book it began with.
func (p *Patient) Book() Book { return p.book.clone() }

// Changed lists the surrogates of the book that were replaced.
func (p *Patient) Changed() []Change { return append([]Change(nil), p.changed...) }

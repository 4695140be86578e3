// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"hide/internal/annotate"
	"hide/internal/publish/surrogate"
)

// keptBook holds the invented values of a patient.
type keptBook struct {
	Group string                `json:"group"` // the patient, as [annotate.Document.Group] gives it
	Docs  []annotate.DocumentID `json:"docs"`
	Book  surrogate.Book        `json:"book"`
}

// books hold the invented values of the patients of a release.
type books struct {
	group map[string]surrogate.Book
	days  map[annotate.DocumentID]int // shift of dates by note
}

func newBooks(all []keptBook) books {
	b := books{map[string]surrogate.Book{}, map[annotate.DocumentID]int{}}
	for _, one := range all {
		b.group[one.Group] = one.Book
		for _, doc := range one.Docs {
			b.days[doc] = one.Book.Days
		}
	}
	return b
}

// of gives the invented values of a patient. If the patient has another group since then because
// records were linked, only the shift of dates stays: the other values belong to a record.
func (b books) of(group string, docs []annotate.DocumentID) surrogate.Book {
	if book, ok := b.group[group]; ok {
		return book
	}
	for _, doc := range docs {
		if days := b.days[doc]; days != 0 {
			return surrogate.Book{Days: days}
		}
	}
	return surrogate.Book{}
}

// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// OwnValues counts the places in released texts with a value of the person's own attribute
// that the table generalizes.
type OwnValues struct {
	Attribute string `json:"attribute"`
	Places    int    `json:"places"`
	Persons   int    `json:"persons"`
}

// leastDigits is how many digits make a number identifying by itself: a zip code or a year
// of birth is, an age or a dose is not.
const leastDigits = 4

// identifies reports whether words of an attribute without entities identify wherever they
// occur: words of three letters or more, or numbers of four digits together.
func identifies(words []string) bool {
	digits, letters := 0, 0
	for _, w := range words {
		if isNumber(w) {
			digits += len(w)
		} else {
			letters = max(letters, len([]rune(w)))
		}
	}
	return digits >= leastDigits || letters > 2
}

// undeclared says that the attribute is a quasi-identifier of which the
// configuration does not say as what type of term it stands in a text.
func (c Config) undeclared(a Attribute) bool {
	return a.Role == table.Quasi && (len(a.Entities) == 0 || !c.Counts(a.Entities[0]))
}

// addOwn adds a value of an undeclared attribute, if it is one that identifies; of
// shorter numbers only with a word of around beside, as of declared ones.
func (k *known) addOwn(a Attribute, label annotate.Label, value string) {
	if words := wordsOf(value); a.Kind != table.Date && identifies(words) {
		k.phrases = append(k.phrases, phrase{words, label, nil})
		return
	}
	if a.Kind == table.Number || a.Kind == table.Date {
		k.add(a, label, value)
	}
}

// ownValues counts, for each undeclared quasi-identifier, where the texts of a
// person outside of sensitive terms say one of her values that her class does not. It
// looks at ctx before each class.
func (r *Recoding) ownValues(ctx context.Context) ([]OwnValues, error) {
	var out []OwnValues
	quasi := -1
	for i, a := range r.view.Config.Attributes {
		if a.Role != table.Quasi {
			continue
		}
		if quasi++; !r.view.Config.undeclared(a) {
			continue
		}
		all := OwnValues{Attribute: a.Name}
		for class, people := range r.classes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, who := range people {
				n := r.ownPlaces(i, quasi, class, who)
				all.Places += n
				all.Persons += one(n > 0)
			}
		}
		if all.Places > 0 {
			out = append(out, all)
		}
	}
	return out, nil
}

// ownPlaces counts those of one person and attribute, which is quasi-identifier quasi.
func (r *Recoding) ownPlaces(attribute, quasi, class, who int) int {
	v, cell, seen := r.view, r.Cells[class][quasi].Text, map[string]bool{}
	var k known
	for _, row := range v.people[who].rows {
		column := v.columns[quasi]
		value := v.rows[row].Values[attribute]
		if value == "" || value == table.MissingText || seen[value] || column.Domain[column.Codes[row]] == cell {
			continue // nothing, or what the table says as well
		}
		seen[value] = true
		k.addOwn(v.Config.Attributes[attribute], Identifier, value)
	}
	places := 0
	for _, row := range v.people[who].rows {
		for x, t := range v.rows[row].Texts {
			var gone []annotate.Span
			for _, m := range v.mentions[row][x] {
				if m.kind != unlisted {
					gone = append(gone, m.span)
				}
			}
			places += len(AddApart(gone, k.find(t.Text))) - len(gone)
		}
	}
	return places
}

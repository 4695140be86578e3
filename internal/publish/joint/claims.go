// SPDX-License-Identifier: Apache-2.0

package joint

import "hide/internal/publish/table"

// Statement is what each release says about itself.
const Statement = "Weak privacy, for recipients under agreement: each person shares the quasi-identifiers and the set of sensitive terms that were found with at least k-1 others. " +
	"This is not anonymity: what was not found stays in the text, and so does how the notes are written."

// Claims are what a release claims.
type Claims struct {
	K          int        `json:"k"`
	Parameters Parameters `json:"parameters"`
	Columns    []Column   `json:"columns"`
	Counts     Counts     `json:"counts"`
}

// Parameters are how the equivalence classes were found.
type Parameters struct {
	Strategy Strategy `json:"strategy"`
	Lambda   float64  `json:"lambda"`
	Cut      Cut      `json:"cut,omitempty"`
}

// Counts can all be recomputed from the release.
type Counts struct {
	Persons    int `json:"persons"`
	Rows       int `json:"rows"`
	Kept       int `json:"kept"`
	Recoded    int `json:"recoded"`
	Suppressed int `json:"suppressed"`
}

// Claims are those of a release with this report.
func (v *View) Claims(r Report) Claims {
	return Claims{
		K: r.K, Parameters: Parameters{r.Strategy, r.Lambda, r.Cut}, Columns: v.Columns(),
		Counts: Counts{r.Persons, r.Rows, r.Mentions.Kept, r.Mentions.Recoded, r.Mentions.Suppressed},
	}
}

// Column is one column of a release.
type Column struct {
	Name   string     `json:"name"`
	Role   table.Role `json:"role"`
	Kind   table.Kind `json:"kind,omitempty"`   // of a quasi-identifier
	Around []string   `json:"around,omitempty"` // of a quasi-identifier: words that may stand beside its value in a text
}

// Columns lists what is released: quasi-identifiers and insensitive attributes in
// the order of the configuration, and then the texts.
func (v *View) Columns() []Column {
	var columns, texts []Column
	for _, a := range v.Config.Attributes {
		switch a.Role {
		case table.Quasi:
			c := Column{Name: a.Name, Role: a.Role, Kind: a.Kind}
			if len(a.Entities) > 0 {
				c.Around = a.around()
			}
			columns = append(columns, c)
		case table.Insensitive:
			columns = append(columns, Column{Name: a.Name, Role: a.Role})
		case table.Text:
			texts = append(texts, Column{Name: a.Name, Role: a.Role})
		}
	}
	return append(columns, texts...)
}

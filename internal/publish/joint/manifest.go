// SPDX-License-Identifier: Apache-2.0

package joint

import "time"

// Schema is the version of release that this package describes.
const Schema = "hide joint release 1"

// Statement is what each release says about itself.
const Statement = "Weak privacy, for recipients under agreement: each person is like at least k-1 others in the quasi-identifiers and in the set of sensitive terms that were found. " +
	"It is no anonymity: what was not found stays in the text, and so does how the notes are written."

// Manifest is manifest.json of a release: everything that it claims.
type Manifest struct {
	Schema     string    `json:"schema"`
	Tool       string    `json:"tool"`
	Created    time.Time `json:"created"`
	Statement  string    `json:"statement"`
	Warnings   []string  `json:"warnings"`
	K          int       `json:"k"`
	Parameters Settings  `json:"parameters"`
	Columns    []Column  `json:"columns"`
	Counts     Counts    `json:"counts"`
	Files      any       `json:"files"` // their names, bytes and sums, by name
}

// Counts can all be recomputed from the release.
type Counts struct {
	Persons    int `json:"persons"`
	Rows       int `json:"rows"`
	Kept       int `json:"kept"`
	Recoded    int `json:"recoded"`
	Suppressed int `json:"suppressed"`
}

// Manifest says what a release with this report claims. Its time is cut to seconds.
func (v *View) Manifest(r Report, o Origin, files any) Manifest {
	return Manifest{
		Schema: Schema, Tool: o.Tool, Created: o.Created.UTC().Truncate(time.Second), Statement: Statement, Warnings: append(r.Warnings(), o.Warnings...), K: r.K,
		Parameters: Settings{Strategy: r.Strategy, K: r.K, Lambda: r.Lambda, Cut: r.Cut},
		Columns:    v.Columns(),
		Counts:     Counts{r.Persons, r.Rows, r.Mentions.Kept, r.Mentions.Recoded, r.Mentions.Suppressed},
		Files:      files,
	}
}

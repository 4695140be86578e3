// SPDX-License-Identifier: Apache-2.0

package check

import "fmt"

// Report is what a verification found.
type Report struct {
	OK         bool      `json:"ok"` // nothing is wrong
	Tool       string    `json:"tool"`
	Created    string    `json:"created"`
	SHA256     string    `json:"manifest_sha256"`
	Files      int       `json:"files"`
	K          int       `json:"k"`           // as claimed
	Least      int       `json:"least_class"` // persons of the smallest class, recomputed
	Classes    int       `json:"classes"`     // of persons who are alike, recomputed
	Persons    int       `json:"persons"`
	Rows       int       `json:"rows"`
	Kept       int       `json:"kept"` // places by what became of the term, recomputed
	Recoded    int       `json:"recoded"`
	Suppressed int       `json:"suppressed"`
	Cells      int       `json:"cells"`     // values compared with those of the originals, by [Against]
	Compared   int       `json:"compared"`  // sensitive terms of originals, by [Against]
	Leaks      int       `json:"leaks"`     // of those, neither kept by rule nor recoded nor suppressed
	Elsewhere  int       `json:"elsewhere"` // of those that went, how many have the same words outside any place in a text of the same person
	Statement  string    `json:"statement"` // what the release says about itself
	Problems   []Problem `json:"problems"`  // the first problemLimit
	Found      int       `json:"found"`     // how many problems there are
}

// Problem is one thing that is not as claimed. It never quotes a text or a value.
type Problem struct {
	File string `json:"file"` // of the release, or "mapping", "originals"
	What string `json:"what"`
}

func (p Problem) String() string { return p.File + ": " + p.What }

// problemLimit is how many problems a report lists.
const problemLimit = 100

func (r *Report) add(file, format string, args ...any) {
	r.Found++
	if len(r.Problems) < problemLimit {
		r.Problems = append(r.Problems, Problem{file, fmt.Sprintf(format, args...)})
	}
}

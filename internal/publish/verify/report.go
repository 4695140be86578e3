// SPDX-License-Identifier: Apache-2.0

package verify

import "fmt"

// Report is what a verification found.
type Report struct {
	OK         bool           `json:"ok"` // nothing is wrong
	Name       string         `json:"name"`
	Tool       string         `json:"tool"`
	Created    string         `json:"created"`
	SHA256     string         `json:"manifest_sha256"`
	Files      int            `json:"files"`
	Bytes      int64          `json:"bytes"`
	Documents  int            `json:"documents"`
	Tokens     int            `json:"tokens"`     // recomputed: published tokens without placeholders
	Redactions map[string]int `json:"redactions"` // recomputed, by label
	Compared   int            `json:"compared"`   // documents compared with their originals by [Against]
	Elsewhere  int            `json:"elsewhere"`  // redactions whose exact words still stand elsewhere in the same document
	Statement  string         `json:"statement"`  // what the release says about itself
	Problems   []Problem      `json:"problems"`   // the first problemLimit
	Found      int            `json:"found"`      // how many problems there are
}

// Problem is one thing that is not as claimed. It never quotes a document.
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

func (r *Report) conclude() { r.OK = r.Found == 0 }

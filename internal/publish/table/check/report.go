// SPDX-License-Identifier: Apache-2.0

package check

import "fmt"

// Report is what a verification found.
type Report struct {
	OK         bool        `json:"ok"` // nothing is wrong
	Schema     string      `json:"schema"`
	Tool       string      `json:"tool"`
	Created    string      `json:"created"`
	SHA256     string      `json:"manifest_sha256"`
	Rows       int         `json:"rows"`       // recomputed
	Classes    int         `json:"classes"`    // recomputed
	Smallest   int         `json:"smallest"`   // rows of the smallest class, recomputed
	K          int         `json:"k"`          // claimed
	Map        bool        `json:"map"`        // k counts people who are not in the release: it cannot be recomputed
	Conditions []Condition `json:"conditions"` // recomputed
	Statement  string      `json:"statement"`  // what the release says about itself
	Problems   []Problem   `json:"problems"`   // the first 100
	Found      int         `json:"found"`      // how many problems there are
}

// Condition is one thing that is claimed of a sensitive attribute.
type Condition struct {
	Attribute string  `json:"attribute"`
	Model     string  `json:"model"` // distinct, entropy, recursive or closeness
	Claimed   float64 `json:"claimed"`
	Worst     float64 `json:"worst"` // of any class: the least l, the greatest t; of recursive the greatest r_1 / (r_l + ... + r_m), -1 where that is infinite
	Holds     bool    `json:"holds"`
}

// Problem is one thing that is not as claimed. It never quotes a value.
type Problem struct {
	File string `json:"file"`
	What string `json:"what"`
}

func (p Problem) String() string { return p.File + ": " + p.What }

const problemLimit = 100

func (r *Report) add(file, format string, args ...any) {
	r.Found++
	if len(r.Problems) < problemLimit {
		r.Problems = append(r.Problems, Problem{file, fmt.Sprintf(format, args...)})
	}
}

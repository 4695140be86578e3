// SPDX-License-Identifier: Apache-2.0

// Package verify checks a release without trusting its author. It recomputes the claims
// of the release from its files alone, shares no code with the packages that publish, and
// imports only the standard library.
//
//	fsys, close, err := verify.Open("release-1")
//	...
//	result, err := verify.Release(fsys)
//	if result.Common().OK { ... }
//
// A release is a folder, or a zip of one, with manifest.json, SHA256SUMS and the files of
// its kind. For every kind [Release] finds each changed, missing and added byte. A
// recipient who has the hash of manifest.json from another source, such as the broker's
// audit trail, compares it with [Report.SHA256] and so detects a completely forged
// release. It also recomputes, by kind:
//
//	text       notes.jsonl against notes/*.txt, the place of each placeholder, all counts; by a
//	           policy its rules against its basis, and the form of each replacement
//	table      equivalence classes and their sizes, l-diversity, t-closeness
//	joint      equivalence classes of persons by quasi-identifiers and kept terms, places
//	cube, sequences, query
//	           the sum of the phases' epsilon, sensitivity, scale of the noise, the
//	           receipt of the debit, the number of noisy counts, trends
//	bulk       the SHA-256 of the part of each shard; of notes as lines of JSON the place of
//	           each placeholder and all counts
//
// [Against] is for the broker, who also holds the re-identification map and the originals
// of a release of kind text or joint. It checks that each redacted term is gone from its
// place, that released values cover the originals, and that all other bytes equal the
// original. Of a release by a policy it also compares surrogates with all replaced values,
// recomputes the shifts of full dates in digits, and looks for replaced words elsewhere in a note.
//
// # Caveats
//
// Figures that cannot be recomputed from the release are only shown, such as utility and
// estimates made before publishing. A single release cannot show that noise was drawn as
// claimed, and only the holder of the ledger can check that the debit is in it. Bytes of
// a zip file that carry neither names nor content are not checked. Text that nobody
// marked as sensitive is plain text to this package too. A verified release matches its
// claims; nobody can verify that no person can be found in it.
package verify

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
)

// Result is the result of a verification: a [*Text], [*Table], [*Joint], [*Counts] or [*Bulk], by
// the kind of release.
type Result interface {
	Common() *Report
}

// Report is the part of a result that all kinds of release share.
type Report struct {
	OK        bool    `json:"ok"` // no problem was found
	Schema    string  `json:"schema"`
	Kind      string  `json:"kind"`
	Name      string  `json:"name,omitempty"`
	Tool      string  `json:"tool"`
	Created   string  `json:"created"`
	SHA256    string  `json:"manifest_sha256"`
	Files     int     `json:"files"`
	Bytes     int64   `json:"bytes"`
	Statement string  `json:"statement"` // the statement of the release
	Review    *Review `json:"review,omitempty"`
	// Linkage says how records became patients, of a release of a project.
	Linkage *Linkage `json:"linkage,omitempty"`
	// Attack says what an attacker who goes for the patients links, of a release with notes.
	// It was measured with the originals and cannot be recomputed.
	Attack []string `json:"attack,omitempty"`

	Evidence *Evidence      `json:"evidence,omitempty"` // of [Report.CheckEvidence]
	Status   *ReleaseStatus `json:"status,omitempty"`   // of [Report.CheckStatus]

	Problems []Problem `json:"problems"` // the first problemLimit
	Found    int       `json:"found"`    // how many problems there are

	project string  // its id
	policy  *Policy // of a release of text; nil without one
}

// Common is the report itself.
func (r *Report) Common() *Report { return r }

// Problem is one difference from the claims. It never quotes a text or a value.
type Problem struct {
	File string `json:"file"` // of the release, or "mapping", "originals"
	What string `json:"what"`
}

func (p Problem) String() string { return p.File + ": " + p.What }

// problemLimit is how many problems a report lists.
const problemLimit = 100

// Add adds a problem to the report.
func (r *Report) Add(file, format string, args ...any) {
	r.OK = false
	r.Found++
	if len(r.Problems) < problemLimit {
		r.Problems = append(r.Problems, Problem{file, fmt.Sprintf(format, args...)})
	}
}

// Text is the report on redacted notes.
type Text struct {
	Report
	Documents  int            `json:"documents"`
	Tokens     int            `json:"tokens"`     // recomputed: published tokens without visible replacements
	Redactions map[string]int `json:"redactions"` // recomputed: visible replacements by label
	Policy     *Policy        `json:"policy,omitempty"`
	// Figures says for which notes the figures of the manifest hold, which are copied.
	Figures []string `json:"figures,omitempty"`
	// Target says which target the threshold was chosen for. The calibration notes cannot be
	// recomputed from the release, the test that they pass can.
	Target []string `json:"target,omitempty"`

	// What follows is found by [Against].

	Compared    int            `json:"compared"`                     // notes compared with their originals
	Elsewhere   int            `json:"elsewhere"`                    // redactions whose exact words still stand elsewhere in the same note
	ElsewhereBy map[string]int `json:"elsewhere_by_label,omitempty"` // the same by label
	Hidden      map[string]int `json:"hidden,omitempty"`             // surrogates and shifted dates by label, which the release does not list
	Kept        map[string]int `json:"kept,omitempty"`               // identifiers that stay readable by decision, by label
	Shifted     int            `json:"shifted,omitempty"`            // dates whose shift was recomputed
	ShiftUnread int            `json:"shift_unread,omitempty"`       // places of shifted dates with a date that was not recomputed
}

// Lines say for people what the comparison with the originals found.
func (t *Text) Lines() []string {
	if t.Compared == 0 {
		return nil
	}
	out := []string{fmt.Sprintf("%d notes compared with their originals; %d redactions whose words stand elsewhere in the same note", t.Compared, t.Elsewhere)}
	for _, label := range slices.Sorted(maps.Keys(t.Hidden)) {
		out = append(out, fmt.Sprintf("  %-16s %d replaced by invented or shifted values", label, t.Hidden[label]))
	}
	for _, label := range slices.Sorted(maps.Keys(t.Kept)) {
		out = append(out, fmt.Sprintf("  %-16s %d kept by decision", label, t.Kept[label]))
	}
	if t.Shifted > 0 {
		out = append(out, fmt.Sprintf("%d shifted dates recomputed: those of a patient move by the same days", t.Shifted))
	}
	if t.ShiftUnread > 0 {
		out = append(out, fmt.Sprintf("places of shifted dates with a date that is not a full date in digits, so that its shift was not recomputed: %d", t.ShiftUnread))
	}
	return out
}

// Table is the report on a generalized table.
type Table struct {
	Report
	Rows       int         `json:"rows"`       // recomputed
	Classes    int         `json:"classes"`    // recomputed
	Smallest   int         `json:"smallest"`   // rows of the smallest class, recomputed
	K          int         `json:"k"`          // claimed
	Map        bool        `json:"map"`        // k-map: k counts people who are not in the release, so it cannot be recomputed
	Conditions []Condition `json:"conditions"` // recomputed
}

// Condition is one claim about a sensitive attribute.
type Condition struct {
	Attribute string  `json:"attribute"`
	Model     string  `json:"model"` // distinct, entropy, recursive or closeness
	Claimed   float64 `json:"claimed"`
	Worst     float64 `json:"worst"` // over all classes: the smallest l, the largest t; for recursive the largest r_1 / (r_l + ... + r_m), -1 if infinite
	Holds     bool    `json:"holds"`
}

// Joint is the report on notes with a table.
type Joint struct {
	Report
	K          int `json:"k"`           // claimed
	Least      int `json:"least_class"` // persons of the smallest class, recomputed
	Classes    int `json:"classes"`     // recomputed
	Persons    int `json:"persons"`
	Rows       int `json:"rows"`
	Kept       int `json:"kept"` // places by what happened to the term, recomputed
	Recoded    int `json:"recoded"`
	Suppressed int `json:"suppressed"`
	Cells      int `json:"cells"`     // values compared with those of the originals by [Against]
	Compared   int `json:"compared"`  // sensitive terms of originals compared by [Against]
	Leaks      int `json:"leaks"`     // compared terms that are not kept by rule, recoded or suppressed
	Elsewhere  int `json:"elsewhere"` // suppressed terms whose words stand outside any place in a text of the same person
}

// Counts is the report on differentially private counts.
type Counts struct {
	Report
	Epsilon int64           `json:"micro_epsilon"`
	Counts  int             `json:"counts"` // noisy counts
	Promise string          `json:"promise"`
	Receipt json.RawMessage `json:"receipt"`
	Ledger  string          `json:"ledger,omitempty"` // the entry with the debit; "" if no ledger was checked
}

// Open opens a release: a folder, or a zip file with the release at the top or inside one
// folder. The caller closes it.
func Open(name string) (fs.FS, io.Closer, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, nil, err
		}
		return root.FS(), root, nil
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is neither a folder nor a zip file: %w", name, err)
	}
	if err := checkZip(z.File); err != nil {
		z.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	fsys, err := inner(z)
	return fsys, z, err
}

// checkZip refuses zip files that unzip programs may read differently.
func checkZip(files []*zip.File) error {
	seen := map[string]bool{}
	for i, f := range files {
		if !fs.ValidPath(f.Name) || !f.Mode().IsRegular() {
			return fmt.Errorf("entry %d is not a plain file below the folder", i+1)
		}
		if seen[f.Name] {
			return fmt.Errorf("entry %d has the name of an earlier one", i+1)
		}
		seen[f.Name] = true
	}
	return nil
}

// inner enters the only folder if there is nothing else.
func inner(fsys fs.FS) (fs.FS, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	if len(entries) == 1 && entries[0].IsDir() {
		return fs.Sub(fsys, entries[0].Name())
	}
	return fsys, nil
}

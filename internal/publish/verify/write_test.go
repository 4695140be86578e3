// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/publish/verify"
)

func TestResultsAreWrittenForPeople(t *testing.T) {
	ok := verify.Report{OK: true, SHA256: "ab12", Kind: "cube", Files: 2, Bytes: 30}
	bad := verify.Report{Problems: []verify.Problem{{File: "notes.jsonl", What: "line 2 differs"}}, Found: 3}
	reviewed := ok
	reviewed.Name = "release-4"
	reviewed.Evidence = &verify.Evidence{Review: 2, Draws: 1}
	reviewed.Status = &verify.ReleaseStatus{Status: "superseded", Issued: "today", Newer: "release-5", Reason: "an error"}
	for _, c := range []struct {
		result verify.Result
		want   string
	}{
		{&verify.Text{Report: bad}, "  notes.jsonl: line 2 differs\n  and 2 more\n"},
		{&verify.Text{Report: ok, Documents: 3, Tokens: 9, Redactions: map[string]int{"NAME": 2, "DATE": 1}}, "folder is what it claims: 3 notes, 9 published tokens, 2 files, 30 bytes\n" +
			"  DATE             1 redactions\n  NAME             2 redactions\nmanifest.json ab12\n"},
		{&verify.Table{Report: ok, Rows: 8, Classes: 2, Smallest: 3, K: 3, Map: true, Conditions: []verify.Condition{{Attribute: "ward", Model: "distinct", Claimed: 2, Worst: 2}}},
			"folder is what it claims: 8 rows in 2 equivalence classes, the smallest of 3; k = 3\n" +
				"  k counts people of a population that is not in the release: it cannot be checked here\n  ward             distinct 2, worst class 2\nmanifest.json ab12\n"},
		{&verify.Joint{Report: ok, K: 2, Least: 3, Persons: 6, Rows: 7, Kept: 1, Recoded: 2, Suppressed: 4}, "folder is what it claims: 6 persons with 7 rows, in equivalence classes of at least 3 (k = 2)\n" +
			"  1 sensitive terms kept by their whole class, 2 recoded, 4 suppressed\nmanifest.json ab12\n"},
		{&verify.Counts{Report: ok, Epsilon: 1_250_000, Counts: 6, Ledger: "entry 3 has this debit"}, "folder is what it claims: cube, epsilon 1.25, 6 noisy counts, 2 files\n" +
			"the ledger agrees: entry 3 has this debit\nmanifest.json ab12\n"},
		{&verify.Counts{Report: reviewed, Epsilon: 3_000_000}, "release-4 is what it claims: cube, epsilon 3, 0 noisy counts, 2 files\nmanifest.json ab12\n" +
			"evidence: review 2 approved these files; 1 draw of the project, 0 abandoned\n  there is no certificate\n" +
			"status: superseded, as of today\n  use release-5 instead: an error\n"},
	} {
		var out strings.Builder
		if verify.Write(&out, "folder", c.result); out.String() != c.want {
			t.Errorf("%s\nwant\n%s", out.String(), c.want)
		}
	}
}

// TestFilesToCompareWithAreNamed compares the fixture with files, and names those that are not
// there.
func TestFilesToCompareWithAreNamed(t *testing.T) {
	x, dir := newFixture(t), t.TempDir()
	f := verify.Files{Mapping: filepath.Join(dir, "mapping"), Originals: filepath.Join(dir, "originals")}
	for name, text := range map[string]string{f.Mapping: x.mapping, f.Originals: x.originals} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := f.Compare(t.Context(), x.release)
	if text, ok := found.(*verify.Text); err != nil || !ok || !text.OK || text.Compared != 4 {
		t.Fatalf("%+v, %v", found, err)
	}
	if found, err := (verify.Files{}).Compare(t.Context(), x.release); err != nil || found.(*verify.Text).Compared != 0 {
		t.Errorf("without files: %+v, %v", found, err)
	}
	f.Originals = filepath.Join(dir, "absent")
	if _, err := f.Compare(t.Context(), x.release); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	r := found.Common()
	if err := (verify.Files{Key: "short", Status: f.Mapping}).CheckSigned(r); !errors.Is(err, verify.ErrKey) {
		t.Error(err)
	}
	key := strings.Repeat("A", 43) + "="
	if err := (verify.Files{Key: key, Status: f.Originals}).CheckSigned(r); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := (verify.Files{}).CheckSigned(r); err != nil || !r.OK {
		t.Error(err, r.Problems)
	}
	if err := (verify.Files{Key: key, Status: f.Mapping}).CheckSigned(r); err != nil || r.OK {
		t.Errorf("a file that is not signed: %v", err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"hide/internal/publish"
	jointcheck "hide/internal/publish/joint/check"
	strongcheck "hide/internal/publish/strong/check"
	tablecheck "hide/internal/publish/table/check"
	"hide/internal/publish/verify"
)

func runVerify(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	mapping := f.String("mapping", "", "`FILE` with the release's mapping, which only the broker has")
	originals := f.String("against", "", "`FILE` of the originals, JSONL: compare the release with them; needs --mapping")
	sum := f.String("sha256", "", "`HASH` of manifest.json as noted elsewhere, to find a release forged as a whole")
	book := f.String("ledger", "", "`FILE` with the privacy budgets that a release with strong privacy was paid from")
	rest, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	if (*mapping == "") != (*originals == "") {
		return e.usage("--mapping and --against go together")
	}
	if raw, err := hex.DecodeString(*sum); err != nil || *sum != "" && len(raw) != sha256.Size {
		return e.usage("--sha256 is not a SHA-256: 64 digits from 0 to f")
	}
	fsys, closer, err := verify.Open(rest[0])
	if err != nil {
		return fmt.Errorf("verify %s: %w", rest[0], cause(err))
	}
	defer closer.Close() // only read
	err = e.verify(ctx, verification{rest[0], publish.Until(ctx, fsys), *mapping, *originals, *sum, *book})
	if stopped := ctx.Err(); stopped != nil {
		return stopped // not what the files that could not be read came to
	}
	return err
}

// verification is a release to verify, and what else was named.
type verification struct {
	name               string
	fsys               fs.FS
	mapping, originals string // empty, or both
	sum                string // that manifest.json should have, or empty
	ledger             string
}

func (e *env) verify(ctx context.Context, v verification) error {
	switch schema := schemaOf(v.fsys); {
	case schema == strongcheck.Schema:
		return e.verifyStrong(v)
	case schema == jointcheck.Schema:
		return e.verifyJoint(ctx, v)
	case schema == tablecheck.Schema && v.mapping == "":
		return e.verifyTable(v)
	}
	return e.verifyText(v)
}

// schemaOf is what the manifest of a release calls itself, empty when it does not.
func schemaOf(fsys fs.FS) string {
	f, err := fsys.Open("manifest.json")
	if err != nil {
		return ""
	}
	defer f.Close() // only read
	var m struct {
		Schema string `json:"schema"`
	}
	_ = json.NewDecoder(io.LimitReader(f, 512<<20)).Decode(&m) // whose schema it is says what is wrong
	return m.Schema
}

// forged is what is wrong with a manifest whose sum is another than the one given.
const forged = "has another SHA-256 than the one given"

func (v verification) isForged(sum string) bool {
	return v.sum != "" && !strings.EqualFold(v.sum, sum)
}

// verified says what was found, and fails when something is wrong.
func (e *env) verified(v verification, report any, write func(io.Writer), problems int) error {
	if err := e.result(report, write); err != nil || problems == 0 {
		return err
	}
	return withHint(fmt.Errorf("verify %s: not as claimed, in %s", v.name, count(problems, "place")), "do not use this release; ask who made it for another copy")
}

func (e *env) verifyText(v verification) error {
	report, err := checked(v, verify.Verify, verify.Against)
	if err != nil {
		err = fmt.Errorf("verify %s: %w", v.name, cause(err))
		if errors.Is(err, verify.ErrNoRelease) {
			return withHint(err, "if it was one, its manifest.json is damaged: do not use it, ask who made it for another copy")
		}
		return err
	}
	if v.isForged(report.SHA256) {
		report.OK, report.Found = false, report.Found+1
		report.Problems = append(report.Problems, verify.Problem{File: "manifest.json", What: forged})
	}
	return e.verified(v, report, func(w io.Writer) { writeReport(w, report) }, report.Found)
}

// checked looks at a release alone, or against the originals when they were named.
func checked[Report any](v verification, alone func(fs.FS) (Report, error), against func(_ fs.FS, mapping, originals io.Reader) (Report, error)) (none Report, err error) {
	if v.mapping == "" {
		return alone(v.fsys)
	}
	m, err := os.Open(v.mapping)
	if err != nil {
		return none, err
	}
	defer m.Close() // only read
	o, err := os.Open(v.originals)
	if err != nil {
		return none, err
	}
	defer o.Close() // only read
	return against(v.fsys, m, o)
}

func writeReport(w io.Writer, r verify.Report) {
	for _, p := range r.Problems {
		fmt.Fprintf(w, "  %s\n", p)
	}
	if more := r.Found - len(r.Problems); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	if !r.OK {
		return
	}
	fmt.Fprintf(w, "%s is what it claims: %d documents, %d published tokens, %d files, %d bytes\n", r.Name, r.Documents, r.Tokens, r.Files, r.Bytes)
	for _, label := range slices.Sorted(maps.Keys(r.Redactions)) {
		fmt.Fprintf(w, "  %-16s %d redactions\n", label, r.Redactions[label])
	}
	if r.Compared > 0 {
		fmt.Fprintf(w, "%d documents compared with their originals; %d redactions whose words stand elsewhere in the same document\n", r.Compared, r.Elsewhere)
	}
	fmt.Fprintf(w, "manifest.json %s\n", r.SHA256)
}

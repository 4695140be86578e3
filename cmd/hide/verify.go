// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"hide/internal/publish/verify"
)

func runVerify(_ context.Context, e *env, args []string) error {
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
	if done, err := e.verifyStrong(rest[0], *sum, *book); done {
		return err
	}
	if done, err := e.verifyJoint(rest[0], *mapping, *originals, *sum); done {
		return err
	}
	if *mapping == "" {
		if done, err := e.verifyOther(rest[0], *sum); done {
			return err
		}
	}
	report, err := verifyPath(rest[0], *mapping, *originals)
	if err != nil {
		return fmt.Errorf("verify %s: %w", rest[0], cause(err))
	}
	if *sum != "" && !strings.EqualFold(*sum, report.SHA256) {
		report.OK, report.Found = false, report.Found+1
		report.Problems = append(report.Problems, verify.Problem{File: "manifest.json", What: "has another SHA-256 than the one given"})
	}
	if err := e.result(report, func(w io.Writer) { writeReport(w, report) }); err != nil {
		return err
	}
	if !report.OK {
		return withHint(fmt.Errorf("verify %s: not as claimed, in %d places", rest[0], report.Found), "do not use this release; ask who made it for another copy")
	}
	return nil
}

func verifyPath(name, mapping, originals string) (verify.Report, error) {
	fsys, closer, err := verify.Open(name)
	if err != nil {
		return verify.Report{}, err
	}
	defer closer.Close() // only read
	if mapping == "" {
		return verify.Verify(fsys)
	}
	return verifyAgainst(fsys, mapping, originals)
}

func verifyAgainst(fsys fs.FS, mapping, originals string) (verify.Report, error) {
	m, err := os.Open(mapping)
	if err != nil {
		return verify.Report{}, err
	}
	defer m.Close() // only read
	o, err := os.Open(originals)
	if err != nil {
		return verify.Report{}, err
	}
	defer o.Close() // only read
	return verify.Against(fsys, m, o)
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

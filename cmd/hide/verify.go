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

	"hide/internal/outfile"
	"hide/internal/publish/ledger"
	"hide/internal/publish/release"
	"hide/internal/publish/verify"
	"hide/internal/words"
)

// verification is a release to verify, and the files to compare it with.
type verification struct {
	name               string
	fsys               fs.FS
	mapping, originals string // both empty, or both given
	sum                string // expected SHA-256 of manifest.json, or empty
	ledger             string
	signed             signedFiles
}

func runVerify(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	mapping := f.String("mapping", "", "`FILE` with the re-identification map of the release, which only the broker has")
	originals := f.String("against", "", "`FILE` of the original notes, JSONL: compare the release with them; needs --mapping")
	sum := f.String("sha256", "", "`HASH` of manifest.json from another source, to detect a completely forged release")
	book := f.String("ledger", "", "`FILE` of the ledger with the privacy budget that paid for the release")
	var signed signedFiles
	f.StringVar(&signed.evidence, "evidence", "", "`FILE` with the evidence pack of the review, JSON or HTML: recompute it, and compare the release with it; needs --key")
	f.StringVar(&signed.status, "status", "", "`FILE` with the newest status of releases: was this one withdrawn or superseded? needs --key")
	f.StringVar(&signed.key, "key", "", "`PUBLIC` key of the institution that signed them: the key in base64, or a file that holds it")
	rest, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	if (signed.evidence+signed.status == "") != (signed.key == "") {
		return e.usage("--evidence and --status need --key with the public key, and --key goes with one of them")
	}
	if (*mapping == "") != (*originals == "") {
		return e.usage("--mapping and --against go together")
	}
	if raw, err := hex.DecodeString(*sum); err != nil || *sum != "" && len(raw) != sha256.Size {
		return e.usage("--sha256 takes a SHA-256: 64 digits from 0 to f")
	}
	fsys, closer, err := verify.Open(rest[0])
	if err != nil {
		return fmt.Errorf("verify %s: %w", rest[0], outfile.Cause(err))
	}
	defer closer.Close() // only read
	err = e.verify(ctx, verification{rest[0], release.Until(ctx, fsys), *mapping, *originals, *sum, *book, signed})
	if stopped := ctx.Err(); stopped != nil {
		return stopped // and not the file error that the interruption caused
	}
	return err
}

// verify prints the verifier's result, and fails if there is a problem.
func (e *env) verify(ctx context.Context, v verification) error {
	found, err := v.check(ctx)
	if err != nil {
		return verifyHint(fmt.Errorf("verify %s: %w", v.name, outfile.Cause(err)))
	}
	r := found.Common()
	if v.sum != "" && !strings.EqualFold(v.sum, r.SHA256) {
		r.Add("manifest.json", "does not have the SHA-256 given by --sha256")
	}
	if err := v.signed.check(r); err != nil {
		return fmt.Errorf("verify %s: %w", v.name, err)
	}
	if counts, ok := found.(*verify.Counts); ok && v.ledger != "" {
		if err := inLedger(counts, v.ledger); err != nil {
			return err
		}
	}
	if err := e.result(found, func(w io.Writer) { writeVerified(w, v.name, found) }); err != nil || r.OK {
		return err
	}
	return withHint(fmt.Errorf("verify %s: not as claimed, at %s", v.name, words.Count(r.Found, "place", "places")), "do not use this release; ask who made it for another copy")
}

// check checks a release by itself, or against the originals if they are given.
func (v verification) check(ctx context.Context) (verify.Result, error) {
	if v.mapping == "" {
		return verify.Release(v.fsys)
	}
	m, err := os.Open(v.mapping)
	if err != nil {
		return nil, err
	}
	defer m.Close() // only read
	o, err := os.Open(v.originals)
	if err != nil {
		return nil, err
	}
	defer o.Close() // only read
	return verify.Against(ctx, v.fsys, m, o)
}

func verifyHint(err error) error {
	switch {
	case errors.Is(err, verify.ErrNotRelease):
		return withHint(err, "if it was one, its manifest.json is damaged: do not use it, ask who made it for another copy")
	case errors.Is(err, verify.ErrMapping):
		return withHint(err, "hide publish mapping writes the map of a project's release, hide publish joint --mapping that of notes with a table")
	}
	return err
}

// inLedger looks up the debit that the release claims. It does not change the ledger.
func inLedger(r *verify.Counts, file string) error {
	l, err := ledger.OpenFile(file, ledger.Options{Look: true})
	if err != nil {
		return explainLedger(err)
	}
	defer l.Close() // nothing was written
	var receipt ledger.Receipt
	if err := json.Unmarshal(r.Receipt, &receipt); err != nil {
		return nil // it is listed among the problems
	}
	if _, err := l.Find(receipt); err != nil {
		r.Add("manifest.json", "its debit: %v", err)
		return nil
	}
	r.Ledger = fmt.Sprintf("entry %d has this debit", receipt.Entry)
	return nil
}

func writeVerified(w io.Writer, name string, found verify.Result) {
	r := found.Common()
	for _, p := range r.Problems {
		fmt.Fprintf(w, "  %s\n", p)
	}
	if more := r.Found - len(r.Problems); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	if !r.OK {
		return
	}
	if r.Name != "" {
		name = r.Name
	}
	fmt.Fprintf(w, "%s is what it claims: ", name)
	switch r := found.(type) {
	case *verify.Text:
		writeVerifiedText(w, r)
	case *verify.Table:
		writeVerifiedTable(w, r)
	case *verify.Joint:
		writeVerifiedJoint(w, r)
	case *verify.Counts:
		fmt.Fprintf(w, "%s, epsilon %v, %d noisy counts, %d files\n", r.Kind, ledger.Micro(r.Epsilon), r.Counts, r.Files)
		if r.Ledger != "" {
			fmt.Fprintln(w, "the ledger agrees:", r.Ledger)
		}
	}
	for _, line := range found.Common().Linkage.Lines() {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintf(w, "manifest.json %s\n", found.Common().SHA256)
	writeSigned(w, found.Common())
}

func writeVerifiedText(w io.Writer, r *verify.Text) {
	fmt.Fprintf(w, "%d notes, %d published tokens, %d files, %d bytes\n", r.Documents, r.Tokens, r.Files, r.Bytes)
	for _, label := range slices.Sorted(maps.Keys(r.Redactions)) {
		fmt.Fprintf(w, "  %-16s %d redactions\n", label, r.Redactions[label])
	}
	lines := r.Lines()
	if r.Policy != nil {
		lines = append(lines, append(r.Policy.Lines(), r.Statement)...)
	}
	for _, line := range append(lines, r.Attack...) {
		fmt.Fprintln(w, line)
	}
}

func writeVerifiedTable(w io.Writer, r *verify.Table) {
	fmt.Fprintf(w, "%d rows in %d equivalence classes, the smallest of %d; k = %d\n", r.Rows, r.Classes, r.Smallest, r.K)
	if r.Map {
		fmt.Fprintf(w, "  k counts people of a population that is not in the release: it cannot be checked here\n")
	}
	for _, c := range r.Conditions {
		fmt.Fprintf(w, "  %-16s %s %g, worst class %.4g\n", c.Attribute, c.Model, c.Claimed, c.Worst)
	}
}

func writeVerifiedJoint(w io.Writer, r *verify.Joint) {
	fmt.Fprintf(w, "%d persons with %d rows, in equivalence classes of at least %d (k = %d)\n", r.Persons, r.Rows, r.Least, r.K)
	fmt.Fprintf(w, "  %d sensitive terms kept by their whole class, %d recoded, %d suppressed\n", r.Kept, r.Recoded, r.Suppressed)
	if r.Cells > 0 {
		fmt.Fprintf(w, "  %d released values compared with the originals: each covers its original\n", r.Cells)
	}
	if r.Compared > 0 {
		fmt.Fprintf(w, "  %d terms compared with the originals: %d leaks; the words of %d suppressed terms stand elsewhere in notes of the same person\n", r.Compared, r.Leaks, r.Elsewhere)
	}
	for _, line := range r.Attack {
		fmt.Fprintln(w, line)
	}
}

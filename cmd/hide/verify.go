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
	"strings"

	"hide/internal/outfile"
	"hide/internal/publish/ledger"
	"hide/internal/publish/release"
	"hide/internal/publish/verify"
	"hide/internal/words"
)

// verification is a release to verify, and the files to compare it with.
type verification struct {
	name        string
	fsys        fs.FS
	files       verify.Files
	sum, ledger string // expected SHA-256 of manifest.json, and the name of a file; or empty
}

func runVerify(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	var files verify.Files
	f.StringVar(&files.Mapping, "mapping", "", "`FILE` with the re-identification map of the release, which only the broker has")
	f.StringVar(&files.Originals, "against", "", "`FILE` of the original notes, JSONL: compare the release with them; needs --mapping")
	sum := f.String("sha256", "", "`HASH` of manifest.json from another source, to detect a completely forged release")
	book := f.String("ledger", "", "`FILE` of the ledger with the privacy budget that paid for the release")
	f.StringVar(&files.Evidence, "evidence", "", "`FILE` with the evidence pack of the review, JSON or HTML: recompute it, and compare the release with it; needs --key")
	f.StringVar(&files.Status, "status", "", "`FILE` with the newest status of releases: was this one withdrawn or superseded? needs --key")
	f.StringVar(&files.Key, "key", "", "`PUBLIC` key of the institution that signed them: the key in base64, or a file that holds it")
	rest, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	if (files.Evidence+files.Status == "") != (files.Key == "") {
		return e.usage("--evidence and --status need --key with the public key, and --key goes with one of them")
	}
	if (files.Mapping == "") != (files.Originals == "") {
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
	err = e.verify(ctx, verification{rest[0], release.Until(ctx, fsys), files, *sum, *book})
	if stopped := ctx.Err(); stopped != nil {
		return stopped // and not the file error that the interruption caused
	}
	return err
}

// verify prints the verifier's result, and fails if there is a problem.
func (e *env) verify(ctx context.Context, v verification) error {
	found, err := v.files.Compare(ctx, v.fsys)
	if err != nil {
		return verifyHint(fmt.Errorf("verify %s: %w", v.name, outfile.Cause(err)))
	}
	r := found.Common()
	if v.sum != "" && !strings.EqualFold(v.sum, r.SHA256) {
		r.Add("manifest.json", "does not have the SHA-256 given by --sha256")
	}
	if err := v.files.CheckSigned(r); err != nil {
		return verifyHint(fmt.Errorf("verify %s: %w", v.name, err))
	}
	if counts, ok := found.(*verify.Counts); ok && v.ledger != "" {
		if err := inLedger(counts, v.ledger); err != nil {
			return err
		}
	}
	if err := e.result(found, func(w io.Writer) { verify.Write(w, v.name, found) }); err != nil || r.OK {
		return err
	}
	return withHint(fmt.Errorf("verify %s: not as claimed, at %s", v.name, words.Count(r.Found, "place", "places")), "do not use this release; ask who made it for another copy")
}

func verifyHint(err error) error {
	switch {
	case errors.Is(err, verify.ErrNotRelease):
		return withHint(err, "if it was one, its manifest.json is damaged: do not use it, ask who made it for another copy")
	case errors.Is(err, verify.ErrKey):
		return withHint(err, "name the file that holds it, or the key itself; hide evidence key prints it where the pack was made")
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

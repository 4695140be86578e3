// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"hide/internal/publish/ledger"
	"hide/internal/publish/strong/check"
	"hide/internal/publish/verify"
)

// verifyStrong checks a release with strong privacy, and against a ledger when one
// is named; done is false when the release is of another kind.
func (e *env) verifyStrong(name, sum, file string) (done bool, err error) {
	fsys, closer, err := verify.Open(name)
	if err != nil {
		return false, nil // for whoever looks at it as a release of texts to say
	}
	defer closer.Close() // only read
	r, err := check.Release(fsys)
	if errors.Is(err, check.ErrNoRelease) {
		return false, nil
	}
	if err != nil {
		return true, fmt.Errorf("verify %s: %w", name, err)
	}
	if sum != "" && !strings.EqualFold(sum, r.SHA256) {
		r.Add("manifest.json has another SHA-256 than the one given")
	}
	if file != "" {
		if err := inLedger(&r, file); err != nil {
			return true, err
		}
	}
	if err := e.result(r, func(w io.Writer) { writeStrongCheck(w, name, r) }); err != nil || r.OK {
		return true, err
	}
	return true, withHint(fmt.Errorf("verify %s: not as claimed, in %d places", name, len(r.Problems)), "do not use this release; ask who made it for another copy")
}

// inLedger looks for the debit that the release claims.
func inLedger(r *check.Report, file string) error {
	l, err := ledger.OpenFile(file, ledger.Options{})
	if err != nil {
		return explainLedger(err)
	}
	defer l.Close() // nothing was written
	var receipt ledger.Receipt
	if err := json.Unmarshal(r.Receipt, &receipt); err != nil {
		return nil // it is among the problems
	}
	if _, err := l.Find(receipt); err != nil {
		r.Add("its debit: %v", err)
		return nil
	}
	r.Ledger = fmt.Sprintf("entry %d has this debit", receipt.Entry)
	return nil
}

func writeStrongCheck(w io.Writer, name string, r check.Report) {
	for _, p := range r.Problems {
		fmt.Fprintf(w, "  %s\n", p)
	}
	if !r.OK {
		return
	}
	fmt.Fprintf(w, "%s is what it claims: %s, epsilon %v, %d noisy counts, %d files\n", name, r.Kind, ledger.Micro(r.Epsilon), r.Counts, r.Files)
	if r.Ledger != "" {
		fmt.Fprintln(w, "the ledger agrees:", r.Ledger)
	}
	fmt.Fprintf(w, "manifest.json %s\n", r.SHA256)
}

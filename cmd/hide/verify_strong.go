// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"

	"hide/internal/publish/ledger"
	"hide/internal/publish/strong/check"
)

// verifyStrong checks a release with strong privacy, and against a ledger when one
// is named.
func (e *env) verifyStrong(v verification) error {
	r, err := check.Release(v.fsys)
	if err != nil {
		return fmt.Errorf("verify %s: %w", v.name, err)
	}
	if v.isForged(r.SHA256) {
		r.Add("manifest.json " + forged)
	}
	if v.ledger != "" {
		if err := inLedger(&r, v.ledger); err != nil {
			return err
		}
	}
	return e.verified(v, r, func(w io.Writer) { writeStrongCheck(w, v.name, r) }, len(r.Problems))
}

// inLedger looks for the debit that the release claims, and leaves the ledger alone.
func inLedger(r *check.Report, file string) error {
	l, err := ledger.OpenFile(file, ledger.Options{Look: true})
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

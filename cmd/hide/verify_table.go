// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"hide/internal/publish/table/check"
)

// verifyTable checks the release of a table.
func (e *env) verifyTable(v verification) error {
	report, err := check.Release(v.fsys)
	if err != nil {
		return fmt.Errorf("verify %s: %w", v.name, err)
	}
	if v.isForged(report.SHA256) {
		report.OK, report.Found = false, report.Found+1
		report.Problems = append(report.Problems, check.Problem{File: "manifest.json", What: forged})
	}
	return e.verified(v, report, func(w io.Writer) { writeTableReport(w, v.name, report) }, report.Found)
}

func writeTableReport(w io.Writer, name string, r check.Report) {
	for _, p := range r.Problems {
		fmt.Fprintf(w, "  %s\n", p)
	}
	if !r.OK {
		return
	}
	fmt.Fprintf(w, "%s is what it claims: %d rows in %d classes, the smallest of %d; k = %d\n", name, r.Rows, r.Classes, r.Smallest, r.K)
	if r.Map {
		fmt.Fprintf(w, "  k counts people of a population who are not in the release: that cannot be checked here\n")
	}
	for _, c := range r.Conditions {
		fmt.Fprintf(w, "  %-16s %s %g, worst class %.4g\n", c.Attribute, c.Model, c.Claimed, c.Worst)
	}
	fmt.Fprintf(w, "manifest.json %s\n", r.SHA256)
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"hide/internal/publish/joint/check"
)

// verifyJoint checks a release of notes with a table.
func (e *env) verifyJoint(ctx context.Context, v verification) error {
	report, err := checked(v, check.Release, func(release fs.FS, mapping, originals io.Reader) (check.Report, error) {
		return check.Against(ctx, release, mapping, originals)
	})
	if errors.Is(err, check.ErrMapping) {
		err = withHint(err, "hide publish joint --mapping writes it")
	}
	if err != nil {
		return fmt.Errorf("verify %s: %w", v.name, err)
	}
	if v.isForged(report.SHA256) {
		report.OK, report.Found = false, report.Found+1
		report.Problems = append(report.Problems, check.Problem{File: "manifest.json", What: forged})
	}
	return e.verified(v, report, func(w io.Writer) { writeJointCheck(w, v.name, report) }, report.Found)
}

func writeJointCheck(w io.Writer, name string, r check.Report) {
	for _, p := range r.Problems {
		fmt.Fprintf(w, "  %s\n", p)
	}
	if more := r.Found - len(r.Problems); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	if !r.OK {
		return
	}
	fmt.Fprintf(w, "%s is what it claims: %d persons with %d rows, in classes of at least %d (k = %d)\n", name, r.Persons, r.Rows, r.Least, r.K)
	fmt.Fprintf(w, "  %d sensitive terms kept by their whole class, %d recoded, %d suppressed\n", r.Kept, r.Recoded, r.Suppressed)
	if r.Cells > 0 {
		fmt.Fprintf(w, "  %d released values compared with the originals: each covers what it stands for\n", r.Cells)
	}
	if r.Compared > 0 {
		fmt.Fprintf(w, "  %d compared with the originals: %d leaks; words of %d that went stand elsewhere in notes of the same person\n", r.Compared, r.Leaks, r.Elsewhere)
	}
	fmt.Fprintf(w, "manifest.json %s\n", r.SHA256)
}

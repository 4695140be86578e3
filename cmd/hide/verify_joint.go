// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"hide/internal/publish/joint/check"
	"hide/internal/publish/verify"
)

// verifyJoint checks a release of notes with a table; done is false when the
// release is of another kind.
func (e *env) verifyJoint(name, mapping, originals, sum string) (done bool, err error) {
	fsys, closer, err := verify.Open(name)
	if err != nil {
		return false, nil // for whoever looks at it as a release of texts to say
	}
	defer closer.Close() // only read
	if !isJoint(fsys) {
		return false, nil
	}
	report, err := checkJoint(fsys, mapping, originals)
	if err != nil {
		return true, fmt.Errorf("verify %s: %w", name, err)
	}
	if sum != "" && !strings.EqualFold(sum, report.SHA256) {
		report.OK, report.Found = false, report.Found+1
		report.Problems = append(report.Problems, check.Problem{File: "manifest.json", What: "has another SHA-256 than the one given"})
	}
	if err := e.result(report, func(w io.Writer) { writeJointCheck(w, name, report) }); err != nil {
		return true, err
	}
	if !report.OK {
		return true, withHint(fmt.Errorf("verify %s: not as claimed, in %d places", name, report.Found), "do not use this release; ask who made it for another copy")
	}
	return true, nil
}

func isJoint(fsys fs.FS) bool {
	f, err := fsys.Open("manifest.json")
	if err != nil {
		return false
	}
	defer f.Close() // only read
	var head struct{ Schema string }
	return json.NewDecoder(io.LimitReader(f, 64<<20)).Decode(&head) == nil && head.Schema == check.Schema
}

func checkJoint(fsys fs.FS, mapping, originals string) (check.Report, error) {
	if mapping == "" {
		return check.Release(fsys)
	}
	m, err := os.Open(mapping)
	if err != nil {
		return check.Report{}, err
	}
	defer m.Close() // only read
	o, err := os.Open(originals)
	if err != nil {
		return check.Report{}, err
	}
	defer o.Close() // only read
	report, err := check.Against(fsys, m, o)
	if errors.Is(err, check.ErrMapping) {
		err = withHint(err, "hide publish joint --mapping writes it")
	}
	return report, err
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
	if r.Compared > 0 {
		fmt.Fprintf(w, "  %d compared with the originals: %d leaks; words of %d that went stand elsewhere in notes of the same person\n", r.Compared, r.Leaks, r.Elsewhere)
	}
	fmt.Fprintf(w, "manifest.json %s\n", r.SHA256)
}

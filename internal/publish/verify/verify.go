// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrNoRelease is returned when there is no release to verify at all.
var ErrNoRelease = errors.New("this is not a release of hide")

// Verify checks a release from itself alone. What is wrong is in the report;
// an error means that something could not be read, or that this is no release.
func Verify(fsys fs.FS) (Report, error) {
	c, err := check(fsys)
	if err != nil {
		return Report{}, err
	}
	c.report.conclude()
	return c.report, nil
}

// checker is the state of one verification.
type checker struct {
	fsys     fs.FS
	report   Report
	files    map[string]file // found by walking
	manifest manifest
	places   map[string]string // by document id: its redactions in one string
}

func check(fsys fs.FS) (*checker, error) {
	c := &checker{fsys: fsys, files: map[string]file{}, places: map[string]string{}}
	c.report.Redactions, c.report.Problems = map[string]int{}, []Problem{}
	if err := c.walk(); err != nil {
		return nil, fmt.Errorf("list the release: %w", err)
	}
	if !c.files[manifestName].found {
		return nil, fmt.Errorf("%w: there is no %s", ErrNoRelease, manifestName)
	}
	for _, step := range []func() error{c.checkSums, c.readManifest, c.checkFiles, c.checkNotes, c.checkCounts} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

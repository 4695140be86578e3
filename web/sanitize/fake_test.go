// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
	"hide/web/webtest"
)

// fakeSanitize serves made-up runs and bundles.
type fakeSanitize struct {
	*webtest.Frame
	runs    []*sanitize.Run
	bundles []sanitize.Bundle
	started []sanitize.Params
	chosen  []float64
	named   []string
	resumed []int
	audits  []audit.Audit
}

func (f *fakeSanitize) SampleAudits(context.Context, account.User, project.ID) ([]audit.Audit, audit.Drawing, error) {
	return f.audits, audit.Drawing{}, nil
}

func newFakeSanitize(runs ...*sanitize.Run) *fakeSanitize {
	f := &fakeSanitize{Frame: webtest.NewFrame(), runs: runs}
	f.Overview.Labels = annotate.I2B2()
	f.Overview.Documents, f.Overview.Done = 480, webtest.MadeDocuments
	return f
}

func (f *fakeSanitize) Runs(context.Context, account.User, project.ID) ([]sanitize.Run, error) {
	var out []sanitize.Run
	for _, r := range f.runs {
		out = append(out, *r)
	}
	return out, nil
}

func (f *fakeSanitize) Run(_ context.Context, _ account.User, _ project.ID, n int) (*sanitize.Run, error) {
	for _, r := range f.runs {
		if r.Number == n {
			return r, nil
		}
	}
	return nil, &project.Error{Kind: project.NotFound, Message: "there is no such run"}
}

func (f *fakeSanitize) StartSanitize(_ context.Context, _ account.User, _ project.ID, p sanitize.Params) (int, error) {
	f.started = append(f.started, p)
	return 7, nil
}

func (f *fakeSanitize) ResumeSanitize(_ context.Context, _ account.User, _ project.ID, n int) error {
	f.resumed = append(f.resumed, n)
	return nil
}

func (f *fakeSanitize) CancelSanitize(context.Context, account.User, project.ID) error { return nil }

func (f *fakeSanitize) NameRun(_ context.Context, _ account.User, _ project.ID, _ int, name string) error {
	f.named = append(f.named, name)
	return nil
}

func (f *fakeSanitize) Choose(_ context.Context, _ account.User, _ project.ID, run int, lc float64) (sanitize.Bundle, error) {
	f.chosen = append(f.chosen, lc)
	return sanitize.Bundle{Number: 2, Run: run, LC: lc}, nil
}

func (f *fakeSanitize) Bundles(context.Context, account.User, project.ID) ([]sanitize.Bundle, error) {
	return f.bundles, nil
}

// withBundles has a run of which two L/C are frozen.
func withBundles() *fakeSanitize {
	f := newFakeSanitize(webtest.MadeRun())
	f.bundles = []sanitize.Bundle{
		{Number: 2, Run: 3, LC: 10, Created: webtest.MadeAt.Add(30 * time.Minute), Rounds: 2, SHA256: "ab", Bytes: 2_400_000},
		{Number: 1, Run: 3, LC: 2, Created: webtest.MadeAt.Add(20 * time.Minute), Rounds: 1, SHA256: "cd", Bytes: 1_200_000},
	}
	return f
}

// audited has the run whose audits a test sets.
func audited() *fakeSanitize { return newFakeSanitize(webtest.MadeRun()) }

// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/web/webtest"
)

// fakeSanitize serves made-up runs and bundles.
type fakeSanitize struct {
	*webtest.Frame
	*webtest.Published
	started []sanitize.Params
	chosen  []float64
	named   []string
	targets int
	resumed []int
}

func newFakeSanitize(runs ...*sanitize.Run) *fakeSanitize {
	frame, published := webtest.MadeUnpublished()
	published.RunList = runs
	return &fakeSanitize{Frame: frame, Published: published}
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

func (f *fakeSanitize) ChooseTarget(_ context.Context, _ account.User, _ project.ID, run int) (sanitize.Bundle, error) {
	f.targets++
	return sanitize.Bundle{Number: 3, Run: run}, nil
}

// audited has the run whose audits a test sets.
func audited() *fakeSanitize { return newFakeSanitize(webtest.MadeRun()) }

// withBundles has a run with two frozen L/C.
func withBundles() *fakeSanitize {
	frame, published := webtest.MadePublished()
	return &fakeSanitize{Frame: frame, Published: published}
}

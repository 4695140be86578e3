// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web"
	"hide/web/webtest"
)

// pages is what a server with these pages asks.
type pages interface {
	web.Projects
	Projects
}

// unasked is for fakes that know only what their test asks: the rest panics.
type unasked struct{ pages }

// frame is a project whose training tests set. Fakes of a page embed it and add the
// methods that the page calls.
type frame struct {
	*webtest.Frame
	unasked
	mu       sync.Mutex // guards training, in tests that change it while a page is open
	training training.Status
}

func newFrame() *frame { return &frame{Frame: webtest.NewFrame()} }

// change lets a test change what pages read.
func (f *frame) change(how func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how()
}

func (f *frame) Training(context.Context, account.User, project.ID) (training.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.training, nil
}

func (f *frame) Train(context.Context, account.User, project.ID) error { return f.setRunning(true) }

func (f *frame) CancelTraining(context.Context, account.User, project.ID) error {
	return f.setRunning(false)
}

func (f *frame) setRunning(on bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.training.Running, f.training.Phase = on, "training"
	f.training.Learning, f.training.Iteration, f.training.Objective, f.training.Elapsed = 215, 17, 4213.4, 4*time.Second
	return nil
}

func newServer(t testing.TB, p pages) *webtest.Server {
	t.Helper()
	return webtest.New(t, p, New(p))
}

func openBrowser(t *testing.T, role account.Role, p pages) *webtest.Browser {
	t.Helper()
	return webtest.Open(t, role, p, New(p))
}

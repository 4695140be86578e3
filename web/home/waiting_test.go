// SPDX-License-Identifier: Apache-2.0

package home_test

import (
	"context"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
	"hide/web/home"
	"hide/web/webtest"
)

// fakeWaiting is a project in which notes of an audit wait to be read.
type fakeWaiting struct {
	*webtest.Frame
	unasked
	waiting int
}

// unasked is for methods that the overview does not call.
type unasked struct{ pages }

type pages interface{ home.Projects }

func (f *fakeWaiting) SampleAuditWaiting(context.Context, account.User, project.ID) (int, error) {
	return f.waiting, nil
}

func (f *fakeWaiting) Training(context.Context, account.User, project.ID) (training.Status, error) {
	return training.Status{}, nil
}

func (f *fakeWaiting) Runs(context.Context, account.User, project.ID) ([]sanitize.Run, error) {
	return nil, nil
}

func TestAnnotatorsAreLedToTheNotesOfAnAudit(t *testing.T) {
	f := &fakeWaiting{Frame: webtest.NewFrame()}
	s := webtest.New(t, f, home.New(f, nil))
	if body := s.Get(account.Annotator, "/p/p1").Body.String(); strings.Contains(body, "audits/read") {
		t.Error("an audit is offered where there is none")
	}
	f.waiting = 3
	for _, role := range []account.Role{account.Annotator, account.Broker} {
		if body := s.Get(role, "/p/p1").Body.String(); !strings.Contains(body, "3 notes of an audit are waiting to be read") || !strings.Contains(body, `href="/p/p1/audits/read"`) {
			t.Errorf("%s is not led to the audit", role)
		}
	}
	if body := s.Get(account.Reviewer, "/p/p1").Body.String(); strings.Contains(body, "audits/read") {
		t.Error("a reviewer is led to identified notes")
	}
}

// fakeSealed has a project whose secret is missing.
type fakeSealed struct{ *fakeWaiting }

func (fakeSealed) Sealed(context.Context, account.User) ([]project.ID, error) {
	return []project.ID{"p7"}, nil
}

func TestProjectsWithoutTheirSecretAreNamed(t *testing.T) {
	f := fakeSealed{&fakeWaiting{Frame: webtest.NewFrame()}}
	s := webtest.New(t, f, home.New(f, nil))
	for role, named := range map[account.Role]bool{account.Admin: true, account.Broker: false, account.Annotator: false} {
		if body := s.Get(role, "/").Body.String(); strings.Contains(body, "their secrets are missing: p7") != named {
			t.Errorf("%s: named is not %v", role, named)
		}
	}
}

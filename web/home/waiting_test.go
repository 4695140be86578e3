// SPDX-License-Identifier: Apache-2.0

package home_test

import (
	"context"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
	"hide/web/home"
	"hide/web/webtest"
)

// fakeWaiting is a project whose run has a chosen L/C.
type fakeWaiting struct {
	*webtest.Frame
	unasked
	read release.Sampled
}

// unasked is for methods that the overview does not call.
type unasked struct{ pages }

type pages interface{ home.Projects }

func (f *fakeWaiting) SampleRead(context.Context, account.User, project.ID, release.About) (release.Sampled, error) {
	return f.read, nil
}

func (f *fakeWaiting) Training(context.Context, account.User, project.ID) (training.Status, error) {
	return training.Status{}, nil
}

func (f *fakeWaiting) Runs(context.Context, account.User, project.ID) ([]sanitize.Run, error) {
	return []sanitize.Run{{Number: 1, State: sanitize.Finished, Chosen: 10}}, nil
}

func TestTheOverviewSaysWhatPeopleHaveRead(t *testing.T) {
	const nobody = "Nobody has read a sample of what would be published now."
	f := &fakeWaiting{Frame: webtest.NewFrame()}
	s := webtest.New(t, f, home.New(f, nil))
	if body := s.Get(account.Reviewer, "/p/p1").Body.String(); !strings.Contains(body, nobody) {
		t.Error("it is not said that nobody has read")
	}
	f.read = release.Sampled{Review: 5, Candidate: 2, Certificate: "After reading: a test.", Certified: true}
	if body := s.Get(account.Reviewer, "/p/p1").Body.String(); strings.Contains(body, nobody) || !strings.Contains(body, "After reading: a test.") {
		t.Error("what people have read is not said")
	}
	if body := s.Get(account.Annotator, "/p/p1").Body.String(); strings.Contains(body, "After reading") {
		t.Error("an annotator sees figures")
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

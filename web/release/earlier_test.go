// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/services"
)

func TestPagesSayBeforehandWhatWasReleasedOfTheSamePatients(t *testing.T) {
	says := release.Beside{Releases: []release.Release{{Number: 1, Name: "release-1"}, {Number: 2, Name: "release-2", Kind: release.KindTable}}, Says: []string{"Together they void k."}}
	text, joint := madePublish(), newFakeJoint()
	text.beside, joint.beside = says, says
	for path, s := range map[string]*webtest.Server{"/p/p1/publish": newServer(t, text), "/p/p1/publish/joint": newServer(t, joint)} {
		body := s.Get(account.Broker, path).Body.String()
		at := strings.Index(body, "Together they void k.")
		if at < 0 || at > strings.Index(body, `name="confirm"`) || !strings.Contains(body, `href="/p/p1/releases/2"`) {
			t.Errorf("%s does not say it before it asks", path)
		}
	}
	if body := get(newServer(t, newFakeJoint()), account.Broker, "/p/p1/publish/joint").Body.String(); !strings.Contains(body, "Nothing was released of these patients yet") {
		t.Error("it is not said that there is none")
	}
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(8))
	if body := get(newServer(t, besideTable{projects, says}), account.Broker, "/p/"+string(id)+"/publish/table").Body.String(); !strings.Contains(body, "Together they void k.") {
		t.Error("the table page does not say it")
	}
}

// besideTable has releases that nobody made.
type besideTable struct {
	*services.All
	says release.Beside
}

func (b besideTable) Beside(context.Context, account.User, project.ID, release.Kind) (release.Beside, error) {
	return b.says, nil
}

func TestAReleaseShowsWhatCameSince(t *testing.T) {
	f := madePublish()
	f.releases[0].Beside = []string{"Of the same patients there was one already."}
	f.beside.Releases = []release.Release{f.releases[0], {Number: 5, Name: "release-5"}}
	body := get(newServer(t, f), account.Reviewer, "/p/p1/releases/1").Body.String()
	for _, want := range []string{"Of the same patients there was one already.", "Released of the same patients since", `href="/p/p1/releases/5"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
}

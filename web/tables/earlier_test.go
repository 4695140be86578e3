// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"context"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/services"
	"hide/web/webtest"
)

// earlierTable is a real project with releases that nobody made.
type earlierTable struct {
	*services.All
	earlier release.Earlier
}

func (f earlierTable) EarlierReleases(context.Context, account.User, project.ID, release.Kind) (release.Earlier, error) {
	return f.earlier, nil
}

func TestPagesSayBeforehandWhatWasReleasedOfTheSamePatients(t *testing.T) {
	earlier := release.Earlier{Releases: []release.Release{{Number: 1, Name: "release-1"}, {Number: 2, Name: "release-2", Kind: release.KindTable}}, Says: []string{"Together they void k."}}
	f := newFakeJoint()
	f.earlier = earlier
	body := newServer(t, f).Get(account.Broker, "/p/p1/publish/joint").Body.String()
	at := strings.Index(body, "Together they void k.")
	if at < 0 || at > strings.Index(body, `name="confirm"`) || !strings.Contains(body, `href="/p/p1/releases/2"`) {
		t.Error("the page of notes with fields does not say it before it asks")
	}
	if body := newServer(t, newFakeJoint()).Get(account.Broker, "/p/p1/publish/joint").Body.String(); !strings.Contains(body, "There is no release of these patients yet") {
		t.Error("the page does not say that nothing was released yet")
	}
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(8))
	if body := newServer(t, earlierTable{projects, earlier}).Get(account.Broker, "/p/"+string(id)+"/publish/table").Body.String(); !strings.Contains(body, "Together they void k.") {
		t.Error("the table page does not say it")
	}
}

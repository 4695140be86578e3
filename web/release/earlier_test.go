// SPDX-License-Identifier: Apache-2.0

package release

import (
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project/release"
)

func TestPagesSayBeforehandWhatWasReleasedOfTheSamePatients(t *testing.T) {
	f := madePublish()
	f.Others = release.Earlier{Releases: []release.Release{{Number: 1, Name: "release-1"}, {Number: 2, Name: "release-2", Kind: release.KindTable}}, Says: []string{"Together they void k."}}
	body := newServer(t, f).Get(account.Broker, "/p/p1/publish").Body.String()
	at := strings.Index(body, "Together they void k.")
	if at < 0 || at > strings.Index(body, `name="confirm"`) || !strings.Contains(body, `href="/p/p1/releases/2"`) {
		t.Error("the page does not say it before it asks")
	}
}

func TestAReleaseShowsWhatCameSince(t *testing.T) {
	f := madePublish()
	f.ReleaseList[0].EarlierWords = []string{"Of the same patients there was one already."}
	f.Others.Releases = []release.Release{f.ReleaseList[0], {Number: 5, Name: "release-5"}}
	body := newServer(t, f).Get(account.Reviewer, "/p/p1/releases/1").Body.String()
	for _, want := range []string{"Of the same patients there was one already.", "Later releases of the same patients", `href="/p/p1/releases/5"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestAReleaseSaysThatItsOriginalsWereRemoved: it can still be downloaded.
func TestAReleaseSaysThatItsOriginalsWereRemoved(t *testing.T) {
	f := madePublish()
	f.ReleaseList[0].Created = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	f.ReleaseList[0].Removed = &release.RemovedNotes{Notes: 2, At: time.Date(2026, 4, 5, 8, 0, 0, 0, time.UTC)}
	body := newServer(t, f).Get(account.Reviewer, "/p/p1/releases/1").Body.String()
	for _, want := range []string{"The originals of 2 notes of this release were removed from the project", "on 5 Apr 2026", "when it was published, on 1 Mar 2026", `href="/p/p1/releases/1/zip"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestAReleaseOfACandidateSaysWhenItWasPublished: its files are older, they were frozen for a
// board that decided later.
func TestAReleaseOfACandidateSaysWhenItWasPublished(t *testing.T) {
	f := madePublish()
	at := time.Date(2026, 4, 5, 8, 0, 0, 0, time.UTC)
	f.ReleaseList[0].Created, f.ReleaseList[0].PublishedAt = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), &at
	s := newServer(t, f)
	for _, path := range []string{"/p/p1/releases/1", "/p/p1/publish"} {
		if body := s.Get(account.Broker, path).Body.String(); !strings.Contains(body, ">5 Apr 2026, ") || strings.Contains(body, "1 Mar 2026") {
			t.Errorf("%s does not say the day of publication", path)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/services"
	"hide/web/webtest"
)

func TestTheFormOfCountsShowsWhatItWasSentWith(t *testing.T) {
	for _, want := range []countsForm{
		{source: "form", epsilon: "0.25", dimensions: "sex: F, M\nAGE: 0 to 99 by 10, other\nstage: I < II < III, other", marginals: "sex, AGE", people: "300"},
		{source: "form", epsilon: "1", dimensions: "t: -5.5 to 5 by 0.5\ncity: Arden, other", method: "identity", synthetic: true, nameless: namelessForm{each: true, times: "3"}},
	} {
		set, err := want.settings()
		if err != nil {
			t.Fatal(err)
		}
		if got := countsFormOf(set); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	sequences := sequencesForm{of: "label:CITY", alphabet: "Arden, Bilton", height: "5", source: "list", epsilon: "0.1"}
	for _, with := range []func(*sequencesForm){func(f *sequencesForm) { f.other = true }, func(f *sequencesForm) { f.ordered = true }} {
		want := sequences
		with(&want)
		set, err := want.settings()
		if got := sequencesFormOf(set); err != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
}

// failedCounts failed to publish its last request.
type failedCounts struct {
	*services.All
	status release.Status
}

func (f failedCounts) Publishing(context.Context, account.User, project.ID) (release.Status, error) {
	return f.status, nil
}

func TestTheFormOfCountsStaysWhenPublishingFails(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	budgetAsk(newServer(t, projects), id, "", "counts", url.Values{"limit": {"1"}})
	counts, err := countsForm{source: "ward handbook", epsilon: "0.25", dimensions: "sex: F, M"}.settings()
	if err != nil {
		t.Fatal(err)
	}
	sequences, err := sequencesForm{of: "label:CITY", alphabet: "Arden", height: "5", source: "list of towns", epsilon: "0.1"}.settings()
	if err != nil {
		t.Fatal(err)
	}
	for page, asked := range map[string]any{"counts": &counts, "sequences": &sequences} {
		want := map[string]string{"counts": "ward handbook", "sequences": "list of towns"}[page]
		for failed, there := range map[string]bool{"the disk is full": true, "": false} {
			s := newServer(t, failedCounts{projects, release.Status{Error: failed, Asked: asked}})
			if body := s.Get(account.Broker, "/p/"+string(id)+"/publish/"+page).Body.String(); strings.Contains(body, want) != there {
				t.Errorf("%s after %q: %q is in the form: %v", page, failed, want, !there)
			}
		}
	}
}

func TestCountsThatPublishingWouldRefuseAreRefusedAtPreview(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	s := newServer(t, projects)
	budgetAsk(s, id, "", "counts", url.Values{"limit": {"1"}})
	w := s.Post(account.Broker, "/p/"+string(id)+"/publish/counts", url.Values{"dimensions": {"sex: F"}, "source": {"admission form"}, "epsilon": {"0.25"}, "do": {"check"}})
	body := w.Body.String()
	for _, want := range []string{"values do not match the list", "let “other” take all unlisted values", "sex: F</textarea>", `value="admission form"`} {
		if w.Code != 422 || !strings.Contains(body, want) {
			t.Errorf("status %d, no %q", w.Code, want)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/links"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/idview"
	"hide/internal/publish/joint"
	"hide/internal/publish/table"
	"hide/web/webtest"
)

// fakeJoint has a finished preview.
type fakeJoint struct {
	*webtest.Frame
	unasked
	preview release.JointPreview
	chosen  []release.JointChoice // released with
	bundles []sanitize.Bundle
	asked   int // the bundle whose leaks were asked for
	open    audit.OpenFindings
	known   int // of open, when it was released
	earlier release.Earlier
	counted release.Counted
}

func (f *fakeJoint) Counted(context.Context, account.User, project.ID) (release.Counted, error) {
	return f.counted, nil
}

func (f *fakeJoint) EarlierReleases(context.Context, account.User, project.ID, release.Kind) (release.Earlier, error) {
	return f.earlier, nil
}

func (f *fakeJoint) OpenInFinished(context.Context, account.User, project.ID) (audit.OpenFindings, error) {
	return f.open, nil
}

func (f *fakeJoint) Bundles(context.Context, account.User, project.ID) ([]sanitize.Bundle, error) {
	return f.bundles, nil
}

func (f *fakeJoint) JointPreview(_ context.Context, _ account.User, _ project.ID, bundle int) (release.JointPreview, error) {
	f.asked = bundle
	return f.preview, nil
}

func (f *fakeJoint) Publishing(context.Context, account.User, project.ID) (release.Status, error) {
	return release.Status{}, nil
}

func (f *fakeJoint) Releases(context.Context, account.User, project.ID) ([]release.Release, error) {
	return nil, nil
}

func (f *fakeJoint) Identifiers(context.Context, account.User, project.ID) (release.Identifiers, error) {
	return release.Identifiers{Attributes: []release.Identifier{
		{Attribute: idview.Attribute{Key: idview.Key{Source: idview.Field, Name: "zip"}, Role: table.Quasi}},
		{Attribute: idview.Attribute{Key: idview.Key{Source: idview.Label, Name: "CITY"}, Role: table.Quasi}},
	}}, nil
}

func (f *fakeJoint) StartPublishJoint(_ context.Context, _ account.User, _ project.ID, _ release.Ending, c release.JointChoice, _, found int) error {
	f.chosen, f.known = append(f.chosen, c), found
	return nil
}

// newFakeJoint has computed k of 2, 5 and 10 with lambda 0.5 and GDF, for 30 patients with
// one note and 10 with three. One of ten notes has missed PHI.
func newFakeJoint() *fakeJoint {
	f := &fakeJoint{Frame: webtest.NewFrame()}
	f.Overview.Documents, f.Overview.Done = 61, 60
	f.preview = release.JointPreview{
		Settings: release.JointSettings{Ks: []int{2, 5, 10}, Lambdas: []float64{0.5}, Cut: joint.Median},
		Leak:     &release.TextLeak{Bundle: 2, Run: 3, LC: 10, Leak: 0.1, Low: 0.05, High: 0.2, Documents: 50},
	}
	f.preview.Notes, f.preview.People, f.preview.Unfinished = 60, 40, 1
	f.preview.Fields = []release.JointField{{Name: "zip", Role: table.Quasi}, {Name: "ward", Role: table.Sensitive}}
	for i, k := range []int{2, 5, 10} {
		for _, s := range []joint.Settings{{Strategy: joint.GDF, K: k}, {Strategy: joint.Mondrian, K: k, Lambda: 0.5, Cut: joint.Median}} {
			loss := 0.1 * float64(i+1)
			if s.Strategy == joint.GDF {
				loss += 0.05
			}
			f.preview.Points = append(f.preview.Points, joint.SweepPoint{
				Settings: s, Relational: loss, Textual: 2 * loss, Total: 1.5 * loss, Classes: joint.Sizes{Count: 40 / k, Least: k, Most: k + 1},
				Differ: joint.Differ{Notes: 3}, Mentions: joint.Mentions{Places: 90, Suppressed: 90},
				Types: []joint.TypeLoss{{Type: "CITY", Persons: 40, Terms: 80, Suppressed: 20, Loss: 0.25 + loss}},
				Alike: []joint.Alike{{Class: k, Notes: 1, Persons: 30}, {Class: k + 1, Notes: 3, Persons: 10}},
			})
		}
	}
	return f
}

func TestTheJointPageLooksAtWhatIsAskedFor(t *testing.T) {
	s := newServer(t, newFakeJoint())
	for query, want := range map[string][]string{
		"":                      {"loss: k = 5, λ 0.5", "Information loss 20.0 % in the fields and 40.0 % in the terms", "Redaction model 2 (run 3, L/C 10) is expected to miss a sensitive term in 10.0 %", "Loss, GDF (most shared terms first)", "persons of a class may differ in them: ward.", "In 3 of 8 equivalence classes persons have different numbers of notes", "10 of 40 persons have a joint risk above 0.33"},
		"?k=10&by=gdf":          {"loss: k = 10, GDF (most shared terms first)", "terms, λ 0.5", "Loss, λ 0.5"},
		"?k=2&by=0.5&found=0":   {"loss: k = 2, λ 0.5", "Highest 50.0 %"},
		"?k=5&by=0.5&found=100": {"Highest 39.2 %, mean 30.8 %; 10 patients above 33.0 %"}, // 1 - 5/6 * .9^3
		"?k=77&by=0.5":          {"loss: k = 5, λ 0.5"},
		"?k=x&by=y&found=z":     {"loss: k = 5, λ 0.5"},
	} {
		w := s.Get(account.Broker, "/p/p1/publish/joint"+query)
		for _, part := range want {
			if w.Code != 200 || !strings.Contains(w.Body.String(), part) {
				t.Errorf("%q: status %d, no %q", query, w.Code, part)
			}
		}
		if strings.Contains(w.Body.String(), "CITY</dd>") {
			t.Errorf("%q: a label is called a field", query)
		}
	}
}

func TestTheJointPageAsksBeforeItPublishesUnlinkedRecords(t *testing.T) {
	f := newFakeJoint()
	f.counted.Agreement = links.Agreement{Of: 40, Records: 12, Groups: 1, Examples: [][]annotate.DocumentID{{3, 7}}}
	s := newServer(t, f)
	body := s.Get(account.Broker, "/p/p1/publish/joint").Body.String()
	for _, want := range []string{"12 of 40 records look like only 1 person", `href="/p/p1/links"`, `href="/p/p1/notes/7"`, `name="unlinked"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	form := url.Values{"preview": {f.preview.Version()}, "k": {"10"}, "by": {"gdf"}, "found": {"50"}, "threshold": {"9"}, "notes": {"60"}, "confirm": {"yes"}}
	if w := s.Post(account.Broker, "/p/p1/publish/joint", form); w.Code != 422 || !strings.Contains(w.Body.String(), "tick the box to publish without linking") || len(f.chosen) > 0 {
		t.Errorf("without the tick: status %d, released with %v", w.Code, f.chosen)
	}
	form.Set("unlinked", "true")
	if w := s.Post(account.Broker, "/p/p1/publish/joint", form); w.Code != 303 || len(f.chosen) != 1 || !f.chosen[0].Unlinked {
		t.Errorf("with the tick: status %d, released with %v", w.Code, f.chosen)
	}
}

func TestTheJointPageReleasesWhatWasLookedAt(t *testing.T) {
	f := newFakeJoint()
	f.bundles = []sanitize.Bundle{{Number: 5}, {Number: 4}}
	s := newServer(t, f)
	form := func(k, by, confirm string) url.Values {
		return url.Values{"preview": {f.preview.Version()}, "bundle": {"4"}, "k": {k}, "by": {by}, "found": {"50"}, "threshold": {"9"}, "notes": {"60"}, "confirm": {confirm}}
	}
	for name, refused := range map[string]url.Values{"not confirmed": form("5", "0.5", ""), "not computed": form("7", "0.5", "yes"), "unknown method": form("5", "0.6", "yes")} {
		if w := s.Post(account.Broker, "/p/p1/publish/joint", refused); w.Code != 422 || !strings.Contains(w.Body.String(), "Nothing was published") || len(f.chosen) > 0 {
			t.Errorf("%s: status %d, %v", name, w.Code, f.chosen)
		}
	}
	if w := s.Post(account.Broker, "/p/p1/publish/joint", form("10", "gdf", "yes")); w.Code != 303 {
		t.Fatalf("status %d", w.Code)
	}
	want := release.JointChoice{Strategy: joint.GDF, K: 10, Bundle: 4, Cut: joint.Median, Found: 0.5, Threshold: 0.09}
	if len(f.chosen) != 1 || f.chosen[0] != want {
		t.Errorf("released with %+v, want %+v", f.chosen, want)
	}
	seen := form("10", "gdf", "yes")
	f.preview.Settings.Own = true
	if w := s.Post(account.Broker, "/p/p1/publish/joint", seen); w.Code != 422 || len(f.chosen) != 1 || !strings.Contains(w.Body.String(), previewedAgain) {
		t.Errorf("a setting of an older preview is released: status %d", w.Code)
	}
	f.preview.Changed = true
	if w := s.Post(account.Broker, "/p/p1/publish/joint", form("10", "gdf", "yes")); w.Code != 422 || len(f.chosen) != 1 {
		t.Errorf("notes that have changed are released: status %d", w.Code)
	}
	for role, want := range map[account.Role]int{account.Annotator: 403, account.Reviewer: 403} {
		if w := s.Get(role, "/p/p1/publish/joint"); w.Code != want {
			t.Errorf("as %s: status %d, want %d", role, w.Code, want)
		}
	}
}

func TestTheJointPageAsksForATickOfWhatAuditsFound(t *testing.T) {
	f := newFakeJoint()
	f.open = audit.OpenFindings{Found: 3, Audit: 2}
	s := newServer(t, f)
	body := strings.Join(strings.Fields(s.Get(account.Broker, "/p/p1/publish/joint").Body.String()), " ")
	for _, want := range []string{
		"<strong>3 identifiers marked in an audit are not fully redacted and would be published.</strong>",
		`class="button primary" href="/p/p1/audits?audit=2"`, `name="open" value="3" required`,
		"I know of 3 identifiers marked in an audit that are not fully redacted, and publish anyway.",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	form := url.Values{"preview": {f.preview.Version()}, "k": {"5"}, "by": {"0.5"}, "found": {"50"}, "threshold": {"9"}, "notes": {"60"}, "confirm": {"yes"}}
	for _, open := range []string{"", "2", "4", "yes"} { // of no tick, of earlier numbers, of nothing
		form.Set("open", open)
		if w := s.Post(account.Broker, "/p/p1/publish/joint", form); w.Code != 422 || len(f.chosen) > 0 || !strings.Contains(w.Body.String(), "Nothing was published") {
			t.Errorf("open %q: status %d, released with %v", open, w.Code, f.chosen)
		}
	}
	form.Set("open", "3")
	if w := s.Post(account.Broker, "/p/p1/publish/joint", form); w.Code != 303 || len(f.chosen) != 1 || f.known != 3 {
		t.Errorf("status %d, released with %v, of %d known", w.Code, f.chosen, f.known)
	}
	f.open = audit.OpenFindings{}
	if body := s.Get(account.Broker, "/p/p1/publish/joint").Body.String(); strings.Contains(body, `name="open"`) || strings.Contains(body, "would be published.") {
		t.Error("a tick is asked for nothing")
	}
}

func TestTheJointPageTakesTheLeaksOfTheBundleThatIsChosen(t *testing.T) {
	f := newFakeJoint()
	f.bundles = []sanitize.Bundle{{Number: 5, Run: 9, LC: 1}, {Number: 4, Run: 3, LC: 10}}
	s := newServer(t, f)
	for query, want := range map[string]int{"": 5, "?bundle=4": 4, "?bundle=77": 5, "?bundle=x": 5} {
		body := s.Get(account.Broker, "/p/p1/publish/joint"+query).Body.String()
		if f.asked != want || !strings.Contains(body, "redaction model 4: run 3, L/C 10") {
			t.Errorf("%q: asked for the leaks of %d, want %d", query, f.asked, want)
		}
	}
	f.preview.Leak = nil
	if body := s.Get(account.Broker, "/p/p1/publish/joint?bundle=4").Body.String(); !strings.Contains(body, "The run of redaction model 4 was deleted") {
		t.Error("a redaction model without figures is not named")
	}
}

func TestTheJointPageWarnsBeforeItPublishes(t *testing.T) {
	f := newFakeJoint()
	f.preview.Elsewhere = 7
	f.preview.Settings.Ks = []int{2, 5, 10, 41, 90}
	body := newServer(t, f).Get(account.Broker, "/p/p1/publish/joint").Body.String()
	for _, want := range []string{"Not computed: k = 41 and 90. Only 40 patients have finished notes", "f 90 sensitive places, the words of up to 7 occur again"} {
		at := strings.Index(body, want)
		if at < 0 || at > strings.Index(body, `name="confirm"`) {
			t.Errorf("no %q before it asks", want)
		}
	}
}

func TestPatientsAreCountedByTheirRisk(t *testing.T) {
	var groups []joint.GroupRisk
	for _, r := range []float64{0, .05, .0500001, 1. / 3, .33, .5, .51, 1} {
		groups = append(groups, joint.GroupRisk{Alike: joint.Alike{Persons: 1}, PersonRisk: joint.PersonRisk{Joint: r}})
	}
	var got []int
	for _, b := range riskBands(groups) {
		got = append(got, b.Persons)
	}
	for i, want := range []int{2, 1, 0, 1, 2, 2} {
		if got[i] != want {
			t.Fatalf("bands %v", got)
		}
	}
}

func TestTheJointFormShowsWhatItWasSentWith(t *testing.T) {
	for _, sent := range []url.Values{{"ks": {"2 5"}, "lambdas": {"0 0.25 1"}, "known": {"true"}, "cut": {"ncp"}}, {"ks": {"3"}, "lambdas": {"0.5"}, "cut": {"median"}}} {
		form, set := readJointForm(sent)
		if !form.OK() {
			t.Fatalf("%v: %v", sent, form.Problems())
		}
		again := jointFormOf(set)
		for _, name := range []string{"ks", "lambdas", "known", "cut", "own-values"} {
			if got := again.Field(name).Text(); got != sent.Get(name) && (got != "false" || sent.Has(name)) {
				t.Errorf("%v: %s is shown as %q", sent, name, got)
			}
		}
	}
	for _, bad := range []url.Values{{"ks": {"two"}, "lambdas": {"1"}}, {"ks": {"2"}, "lambdas": {"half"}}, {"ks": {"1"}, "lambdas": {"1"}}} {
		if form, _ := readJointForm(bad); len(form.Problems()) != 1 {
			t.Errorf("%v: %v", bad, form.Problems())
		}
	}
}

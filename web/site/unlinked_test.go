// SPDX-License-Identifier: Apache-2.0

package site

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/draft"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/services"
	"hide/internal/publish/ledger"
	"hide/internal/publish/policy"
	"hide/web/webtest"
)

// twelveKeys is a project with 12 notes of one person under 12 keys, and a budget.
func twelveKeys(t *testing.T) (*services.All, project.ID) {
	t.Helper()
	var content strings.Builder
	err := format.WriteJSONL(&content, func(yield func(annotate.Annotated, error) bool) {
		for _, d := range projecttest.TwelveKeys() {
			if !yield(d, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	projects, id := webtest.RealNotes(t, t.TempDir(), content.String())
	if err := projects.OpenBudget(t.Context(), webtest.As(account.Broker), id, dp.BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	return projects, id
}

// until waits for a task.
func until(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a task does not end")
		}
	}
}

// previewed asks for a preview of a table and of notes with fields, and prepares a draft.
func previewed(t *testing.T, s *webtest.Server, projects *services.All, id project.ID) {
	t.Helper()
	by, ctx := webtest.As(account.Broker), t.Context()
	dataSet, err := policy.Find("limited-data-set")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		projects.StartTablePreview(ctx, by, id, []release.TableSettings{{K: 5}}),
		projects.StartJointPreview(ctx, by, id, release.JointSettings{Ks: []int{2}, Lambdas: []float64{0.5}}),
		projects.PrepareDraft(ctx, by, id, draft.Settings{Policy: dataSet}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	until(t, func() bool {
		table, err1 := projects.TablePreview(ctx, by, id)
		joint, err2 := projects.JointPreview(ctx, by, id, 0)
		d, err3 := projects.Preparing(ctx, by, id)
		return err1 == nil && err2 == nil && err3 == nil && !table.Running && !joint.Running && !d.Running
	})
}

// TestEveryPageThatPublishesAsksAboutUnlinkedRecords publishes from each page: without the tick,
// and with it.
func TestEveryPageThatPublishesAsksAboutUnlinkedRecords(t *testing.T) {
	projects, id := twelveKeys(t)
	s := newServer(t, projects)
	previewed(t, s, projects, id)
	by, at := webtest.As(account.Broker), "/p/"+string(id)
	table, err1 := projects.TablePreview(t.Context(), by, id)
	joint, err2 := projects.JointPreview(t.Context(), by, id, 0)
	if err1 != nil || err2 != nil || len(table.Choices) != 1 || table.Choices[0].Error != "" || joint.Error != "" {
		t.Fatal(err1, err2, table, joint.Error)
	}
	if body := s.Get(account.Broker, at+"/publish").Body.String(); !strings.Contains(body, "12 of 30 records look like only 1 person") {
		t.Error("the page that publishes text does not warn before there is a redaction model")
	}
	agreed := policy.LimitedDataSet.Needs().Checklist
	for _, page := range []struct {
		path string
		form url.Values
	}{
		{"/publish/table", url.Values{"people": {"30"}, "preview": {table.Version()}, "table": {"k = 5"}}},
		{"/publish/joint", url.Values{"notes": {"30"}, "preview": {joint.Version()}, "k": {"2"}, "by": {"0.5"}, "found": {"100"}, "threshold": {"33"}}},
		{"/publish/counts", url.Values{"dimensions": {"sex: F, M"}, "source": {"a form"}, "epsilon": {"0.1"}, "nameless": {"out"}}},
		{"/publish/sequences", url.Values{"of": {"label:CITY"}, "alphabet": {"Arden\nBilton"}, "source": {"a list"}, "epsilon": {"0.1"}, "height": {"2"}, "nameless": {"out"}}},
		{"/publish/questions", url.Values{"dimensions": {"sex: F, M"}, "source": {"a form"}, "epsilon": {"0.1"}, "question": {"SELECT COUNT(*)"}, "nameless": {"out"}}},
		{"/draft/publish", url.Values{"agreed": agreed}},
	} {
		t.Run(page.path, func(t *testing.T) {
			body := s.Get(account.Broker, at+strings.TrimSuffix(page.path, "/publish")).Body.String()
			for _, want := range []string{"12 of 30 records look like only 1 person", `href="` + at + `/links"`, `href="` + at + `/notes/1"`} {
				if !strings.Contains(body, want) {
					t.Errorf("the page has no %s", want)
				}
			}
			page.form["confirm"], page.form["do"] = []string{"yes"}, []string{"publish"}
			w := s.Post(account.Broker, at+page.path, page.form)
			if body := w.Body.String(); w.Code != 422 || !strings.Contains(body, `name="unlinked"`) || !strings.Contains(body, "nlinked") {
				t.Fatalf("without the tick: status %d, %s", w.Code, alerts(body))
			}
			page.form.Set("unlinked", "true")
			if w := s.Post(account.Broker, at+page.path, page.form); w.Code != 303 {
				t.Fatalf("with the tick: status %d, %s", w.Code, alerts(w.Body.String()))
			}
			var st release.Status
			until(t, func() bool {
				var err error
				st, err = projects.Publishing(t.Context(), by, id)
				return err == nil && !st.Running
			})
			if st.Error != "" || st.Made == 0 {
				t.Fatalf("nothing was made: %s", st.Error)
			}
			if body := s.Get(account.Broker, at+"/releases/"+strconv.Itoa(st.Made)).Body.String(); !strings.Contains(body, "12 records look like the same people") {
				t.Error("the page of the release does not say it")
			}
		})
	}
}

// alerts are the error messages of a page.
func alerts(body string) string {
	_, behind, _ := strings.Cut(body, `role="alert">`)
	words, _, _ := strings.Cut(behind, "</")
	return words
}

// TestThePageThatPublishesTextAsksAboutUnlinkedRecords does the same with a redaction model.
func TestThePageThatPublishesTextAsksAboutUnlinkedRecords(t *testing.T) {
	f := newFake()
	f.Records.Agreement = links.Agreement{Of: 480, Records: 12, Groups: 1, Examples: [][]annotate.DocumentID{{1, 2}}}
	s := newServer(t, f)
	body := s.Get(account.Broker, "/p/p1/publish").Body.String()
	for _, want := range []string{"12 of 480 records look like only 1 person", `href="/p/p1/links"`, `name="unlinked"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	form := url.Values{"bundle": {"2"}, "documents": {"480"}, "confirm": {"yes"}, "readable": {""}, "known": {"true"}, "uncertified": {"a test"}, "do": {"publish"}}
	if w := s.Post(account.Broker, "/p/p1/publish", form); w.Code != 422 || !strings.Contains(w.Body.String(), "tick the box to publish without linking") || len(f.Started) > 0 {
		t.Errorf("without the tick: status %d, %s", w.Code, alerts(w.Body.String()))
	}
	form.Set("unlinked", "true")
	if w := s.Post(account.Broker, "/p/p1/publish", form); w.Code != 303 || len(f.Started) != 1 || !f.Despite.Unlinked {
		t.Errorf("with the tick: status %d, %v", w.Code, f.Despite)
	}
}

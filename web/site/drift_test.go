// SPDX-License-Identifier: Apache-2.0

package site

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/greedy/settings"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
	"hide/internal/testsize"
)

// TestNoPageGivesAForecastForNotesThatDiffer annotates one institution and publishes another: the
// run, its review, the release and its manifest all say that the forecast is unknown.
func TestNoPageGivesAForecastForNotesThatDiffer(t *testing.T) {
	testsize.Slow(t)
	b := projecttest.New(t)
	id := b.FinishedProject(projecttest.Institution("a", 16))
	b.MustImport(id, projecttest.Strip(projecttest.Institution("b", 14)), false)
	run := b.Ran(id, sanitize.Params{LC: []float64{10}, Folds: 2, First: settings.NoFirst, Learners: []string{"bayes"}})
	by, ctx := projecttest.Broker, t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	chosen, err := b.Choose(ctx, by, id, run.Number, 10)
	must(err)
	c := b.Froze(id, func() error {
		return b.StartPublish(ctx, by, id, release.Freeze, chosen.Number, release.Despite{Uncertified: "a test"})
	})
	_, err = b.PrepareReview(ctx, by, id, c.Number, review.Ask{Question: "May they go?"})
	must(err)
	must(b.StartPublish(ctx, by, id, release.Publish, chosen.Number, release.Despite{Uncertified: "a test"}))
	made, st := b.Published(id)
	if st.Error != "" {
		t.Fatal(st.Error)
	}
	s := newServer(t, b.All)
	const unknown, where = "is unknown: the notes to be published differ from the annotated notes.", "measured notes, which differ from those to be published"
	for _, page := range []string{"/sanitize/1", "/publish", "/reviews/1", "/releases/2"} {
		body := s.Get(account.Broker, "/p/"+string(id)+page).Body.String()
		if !strings.Contains(body, unknown) || !strings.Contains(body, where) || strings.Contains(body, "expected to remain") {
			t.Errorf("%s: a forecast that does not hold, or no word of it", page)
		}
	}
	raw, err := os.ReadFile(filepath.Join(b.Dir(id, made.Name), "manifest.json"))
	must(err)
	var manifest struct{ Claims publish.Claims }
	must(json.Unmarshal(raw, &manifest))
	if v := manifest.Claims.Figures.Validity; v == nil || v.Hold || !v.Drift || v.Measured != run.Measured || v.Applied == nil || manifest.Claims.Figures.Tokens == 0 {
		t.Errorf("the manifest says of its figures %+v", v)
	}
}

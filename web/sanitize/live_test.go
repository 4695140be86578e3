// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"maps"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project/sanitize"
	"hide/web/webtest"
)

const runParts = "sanitize-title,sanitize-runs,sanitize-progress,sanitize-lead"

// seen is what somebody who looks at a run sees of each part.
func seen(v *webtest.Viewer) map[string]string {
	now := map[string]string{}
	for _, name := range strings.Split(runParts, ",") {
		now[name] = v.Part(name)
	}
	return now
}

// Two people look at a run from its start; a third names it, and comes in when all
// is over.
func TestAllWhoLookAtARunSeeTheSame(t *testing.T) {
	projects, id := webtest.RealProject(t, 16)
	base := webtest.Serve(t, projects, New(projects))
	look := func() *webtest.Viewer {
		return webtest.Look(t, base, account.Broker, string(id), runParts, url.Values{"run": {"1"}})
	}
	by, _, _ := webtest.Accounts{}.Session(string(account.Broker))
	params := sanitize.Params{LC: []float64{2, 10}, First: "none", Learners: []string{"crf", "bayes"}, Folds: 2}
	if _, err := projects.StartSanitize(t.Context(), by, id, params); err != nil {
		t.Fatal(err)
	}
	first, second := look(), look()
	first.Until("the run", func() bool { return first.Part("sanitize-lead") != "" && first.Part("sanitize-progress") != "" })
	if err := projects.NameRun(t.Context(), by, id, 1, "two attackers"); err != nil {
		t.Fatal(err)
	}
	over := func(v *webtest.Viewer) func() bool {
		return func() bool {
			now := seen(v)
			return strings.Contains(now["sanitize-progress"], "finished") && strings.Contains(now["sanitize-lead"], "Choose L/C 10") &&
				strings.Contains(now["sanitize-title"], "two attackers") && strings.Contains(now["sanitize-runs"], "finished") && strings.Contains(now["sanitize-runs"], "two attackers")
		}
	}
	first.Until("its end", over(first))
	second.Until("its end", over(second))
	late := look()
	late.Until("its end", over(late))
	for name, early := range map[string]*webtest.Viewer{"the first": first, "the second": second} { // who came late has the whole state at once
		early.Until(name+" to see what the one who came late sees", func() bool { return maps.Equal(seen(early), seen(late)) })
	}
}

// TestARunCostsAViewerLittle counts the bytes that a page of a run receives from its start
// to its end.
func TestARunCostsAViewerLittle(t *testing.T) {
	projects, id := webtest.RealProject(t, 50)
	base := webtest.Serve(t, projects, New(projects))
	params := sanitize.Params{LC: []float64{2, 10}, First: "none", Learners: []string{"crf", "bayes"}, Folds: 2}
	if _, err := projects.StartSanitize(t.Context(), webtest.As(account.Broker), id, params); err != nil {
		t.Fatal(err)
	}
	parts := runParts + ",sanitize-holds,sanitize-sliders,sanitize-results"
	v := webtest.Look(t, base, account.Broker, string(id), parts, url.Values{"run": {"1"}})
	v.Until("its end", func() bool {
		return strings.Contains(v.Part("sanitize-progress"), "finished") && strings.Contains(v.Part("sanitize-lead"), "Choose L/C") && v.Part("sanitize-results") != ""
	})
	t.Logf("%d frames, %d bytes", v.Frames, v.Bytes())
	if v.Bytes() > 500_000 {
		t.Errorf("a run of 50 notes took %d bytes, want at most 500000", v.Bytes())
	}
}

// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hide/internal/project"
	"hide/web/webtest"
)

type conditionsView struct {
	Notes    int      `json:"notes"`
	Warnings []string `json:"warnings"`
	Readable []string `json:"readable"`
	Found    int      `json:"found"`
	Reason   string   `json:"needs_reason"`
}

type publishingView struct {
	Running                   bool
	Error, Release, Candidate string
}

// TestPublishingRepeatsTheConditions refuses requests that do not accept all of them, and
// publishes with one that does.
func TestPublishingRepeatsTheConditions(t *testing.T) {
	b := open(t, webtest.Invented(24))
	m := b.run()
	b.post(b.in+"/notes", `{"id":"open","text":"Mr. Abel left."}`).status(http.StatusCreated)
	now := read[conditionsView](b.get(b.in + "/models/" + m.ID + "/conditions").status(http.StatusOK))
	if now.Notes != 25 || len(now.Warnings) == 0 || now.Reason == "" {
		t.Fatalf("%+v", now)
	}
	body := func(change func(map[string]any)) string {
		all := map[string]any{"model": m.ID, "notes": now.Notes, "warnings": now.Warnings, "readable": now.Readable, "found": now.Found, "reason": "A pilot with invented notes."}
		change(all)
		out, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for name, value := range map[string]any{"notes": 24, "warnings": now.Warnings[1:], "readable": []string{"DATE"}, "found": 1} {
		p := b.post(b.in+"/releases", body(func(all map[string]any) { all[name] = value })).problem(http.StatusConflict, "conditions")
		if lacks := fmt.Sprint(p["lacks"]); lacks != "["+name+"]" || p["conditions"] == nil {
			t.Errorf("%s: %v", name, p)
		}
	}
	b.post(b.in+"/releases", body(func(all map[string]any) { delete(all, "reason") })).status(http.StatusUnprocessableEntity)
	if all := read[struct{ Releases []any }](b.get(b.in + "/releases")); len(all.Releases) != 0 {
		t.Fatalf("%v", all)
	}
	b.post(b.in+"/releases", body(func(map[string]any) {})).status(http.StatusAccepted)
	made := until(b, b.in+"/publishing", func(p publishingView) bool { return !p.Running })
	if made.Error != "" || made.Release == "" {
		t.Fatalf("%+v", made)
	}
	r := read[struct {
		ID, Kind, Model string
		Notes           int
		Verified, Valid bool
		Warnings        []string
	}](b.get(b.in + "/releases/" + made.Release).status(http.StatusOK))
	if r.Kind != "text" || r.Model != m.ID || r.Notes != 25 || !r.Verified || !r.Valid || !slices.Contains(r.Warnings, now.Warnings[0]) {
		t.Errorf("%+v", r)
	}
	if w := b.get(b.in + "/releases/" + made.Release + "/files").status(http.StatusOK); !strings.HasPrefix(w.Body.String(), "PK") || w.Header().Get("Content-Type") != "application/zip" {
		t.Errorf("%v", w.Header())
	}
	b.get(b.in+"/releases/9").problem(http.StatusNotFound, "not found")
	b.as(b.broker, http.MethodPost, b.in+"/publishing/cancel", "", "").status(http.StatusNoContent)

	// A project that needs an approval takes candidates only.
	if err := b.Projects.SetRule(t.Context(), b.Admin, b.Project, project.DefaultRule()); err != nil {
		t.Fatal(err)
	}
	now = read[conditionsView](b.get(b.in + "/models/" + m.ID + "/conditions").status(http.StatusOK))
	if w := b.post(b.in+"/releases", body(func(map[string]any) {})); w.Code < 400 {
		t.Errorf("published without the approval: %d", w.Code)
	}
	b.post(b.in+"/releases", body(func(all map[string]any) { all["candidate"] = true; delete(all, "reason") })).status(http.StatusAccepted)
	if p := until(b, b.in+"/publishing", func(p publishingView) bool { return !p.Running }); p.Candidate == "" {
		t.Errorf("%+v", p)
	}
	frozen := read[candidatesView](b.get(b.in + "/candidates").status(http.StatusOK)).Candidates[0]
	at := b.in + "/candidates/" + frozen.ID + "/publish"
	right := fmt.Sprintf(`{"hash":%q,"recipients":["Elsewhere"],"reason":"A pilot with invented notes."}`, frozen.Hash)
	b.post(at, right).problem(http.StatusUnprocessableEntity, "invalid")
	if err := b.Projects.SetRule(t.Context(), b.Admin, b.Project, project.Rule{}); err != nil {
		t.Fatal(err)
	}
	b.post(at, `{"hash":"other"}`).problem(http.StatusConflict, "hash")
	b.post(b.in+"/candidates/9/publish", right).problem(http.StatusNotFound, "not found")
	if now := read[candidatesView](b.get(b.in + "/candidates")).Candidates[0]; frozen.Hash == "" || now.Published {
		t.Fatalf("%+v", now)
	}
	b.post(at, right).status(http.StatusAccepted)
	if made := until(b, b.in+"/publishing", func(p publishingView) bool { return !p.Running }); made.Error != "" || made.Release == "" {
		t.Fatalf("%+v", made)
	}
	if now := read[candidatesView](b.get(b.in + "/candidates")).Candidates[0]; !now.Published {
		t.Errorf("%+v", now)
	}
}

type candidatesView struct {
	Candidates []struct {
		ID, Hash  string
		Published bool
	}
}

func TestACancelledRunIsResumed(t *testing.T) {
	b := open(t, webtest.Invented(24))
	at := b.post(b.in+"/runs", `{"options":{"lc":"1,10","folds":"4","learners":"adaboost,svm","first":"none"}}`).status(http.StatusAccepted).Header().Get("Location")
	b.as(b.broker, http.MethodPost, b.in+"/runs/cancel", "", "").status(http.StatusNoContent)
	type state struct{ State, Error string }
	ended := func(r state) bool { return r.State != "running" }
	if r := until(b, at, ended); r.State != "cancelled" {
		t.Fatalf("%+v", r)
	}
	b.as(b.broker, http.MethodPost, at+"/resume", "", "").status(http.StatusAccepted)
	if r := until(b, at, ended); r.State != "finished" {
		t.Errorf("%+v", r)
	}
	b.as(b.broker, http.MethodPost, at+"/resume", "", "").problem(http.StatusConflict, "conflict")
}

func TestTrainingIsStarted(t *testing.T) {
	b := open(t, webtest.Invented(12))
	b.as(b.broker, http.MethodPost, b.in+"/training", "", "").status(http.StatusAccepted)
	type status struct {
		Running, Waiting bool
		Model, Error     string
	}
	if s := until(b, b.in+"/training", func(s status) bool { return s.Model != "" || s.Error != "" }); s.Error != "" {
		t.Errorf("%+v", s)
	}
	b.as(b.broker, http.MethodPost, b.in+"/training/cancel", "", "").status(http.StatusNoContent)
	b.as(b.broker, http.MethodPost, b.in+"/runs/cancel", "", "")
}

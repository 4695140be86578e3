// SPDX-License-Identifier: Apache-2.0

package model

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project/training"
	"hide/web/webtest"
)

func TestTrainingStripSaysWhatIsGoingOn(t *testing.T) {
	f := newFrame()
	f.training = training.Status{
		Model: 12, Documents: 214, Finished: time.Now().Add(-3 * time.Second), Took: 1800 * time.Millisecond,
		Scores: training.Scores{
			Precision: greedy.Estimate{Value: 0.97, Low: 0.955, High: 0.981}, Recall: greedy.Estimate{Value: 0.94, Low: 0.92, High: 0.96},
			Folds: 5, Documents: 214,
		},
		Offer: training.Offer{Model: true, Level: 0.8, Rules: true, Patients: 90},
	}
	strip := func() string { return webtest.LivePart(t, New(f), account.Annotator, "training", nil) }
	wantAll(t, strip(), "Model 12, 214 notes, recall 94 % [92–96]", "Precision 97 % [96–98]", "may come out worse", "Train now")
	f.training.Scores.Model = 11
	if !strings.Contains(strip(), "recall 94 % [92–96] (checked with model 11)") {
		t.Error("the strip gives an older model's scores as the newest's")
	}
	f.training.Scores.Finished, f.training.Done, f.training.Of = 180, 192, 2000
	wantAll(t, strip(), "214 of 2,000 notes", "(checked at 180 notes, 12 notes ago)", "Trained on 214 of 2,000 finished notes")
	f.training.Model, f.training.NeedMore = 0, 2
	if shown := strip(); !strings.Contains(shown, "after 2 more finished notes") || strings.Contains(shown, "Train now") {
		t.Error("before the first model the strip does not say what is missing")
	}
	f.training.NeedMore, f.training.Error = 0, "out of room"
	if !strings.Contains(strip(), "The last training failed: out of room") {
		t.Error("a failure is not shown")
	}
	answer := newServer(t, f).Post(account.Annotator, "/p/p1/training", nil)
	if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/p/p1/annotate" || !f.training.Running {
		t.Errorf("learning asked for without a script answers %d, to %q", answer.Code, answer.Header().Get("Location"))
	}
}

func TestStripSaysWhatWaitsAndWhy(t *testing.T) {
	recall := training.Scores{Documents: 9, Recall: greedy.Estimate{Value: 0.71, Low: 0.64, High: 0.77}}
	found := func(label string, value float64, shown bool) training.RuleRecall {
		return training.RuleRecall{Label: annotate.Label(label), Recall: greedy.Estimate{Value: value, Low: value, High: value}, Documents: 4, Shown: shown}
	}
	for _, c := range []struct {
		name         string
		training     training.Status
		model, rules string
	}{
		{"shown", training.Status{Model: 3, Scores: recall, Offer: training.Offer{Model: true, Level: 0.7, Rules: true}}, "", ""},
		{"waits", training.Status{Model: 3, Scores: recall, Offer: training.Offer{Level: 0.85}}, "Its suggestions are not shown yet: recall 71 % [64–77], required 85 %.", ""},
		{"not checked", training.Status{Model: 1, Offer: training.Offer{Level: 0.8, Patients: 3}}, "Its suggestions are not shown until it has been checked.", ""},
		{"cannot be checked", training.Status{Model: 1, Offer: training.Offer{Level: 0.8, Patients: 1}}, "Its suggestions are not shown until it is checked. The check needs finished notes of 2 more patients.", ""},
		{"at the start", training.Status{NeedMore: 2, Offer: training.Offer{Level: 0.8, Rules: true}}, "", "Rules suggest as soon as finished notes show their recall."},
		{"at once", training.Status{NeedMore: 2, Offer: training.Offer{Rules: true}}, "", "Rules suggest until there is a model."},
		{"rules", training.Status{Offer: training.Offer{Level: 0.8, Rules: true, ByRules: []training.RuleRecall{found("DATE", 0.97, true), found("PHONE", 0.9, true), found("CITY", 0.2, false)}}}, "", "Rules suggest date and phone meanwhile."},
		{"poor rules", training.Status{Offer: training.Offer{Level: 0.8, Rules: true, ByRules: []training.RuleRecall{found("CITY", 0.2, false)}}}, "", "The recall of the rules is too low to suggest anything yet."},
	} {
		v := Training{Status: c.training}
		if v.modelWaits() != c.model || v.rulesSuggest() != c.rules {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, v.modelWaits(), v.rulesSuggest(), c.model, c.rules)
		}
	}
	if got, want := ruleWords(found("LOCATION-OTHER", 0.2, false)), "location other: recall 20 % in 4 notes, not shown"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/sanitize"
)

func TestARunUnderACeilingSaysForWhichLCItRedacts(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Doubtful(24))
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{0.1, 1000}, Folds: 2, First: "none", Learners: []string{"bayes"}, Ceiling: 0.001})
	if err != nil {
		t.Fatal(err)
	}
	run := b.FinishedRun(id, number)
	low, high := run.Choices[0], run.Choices[1]
	if o := low.Outcome; low.LC != 0.1 || !(low.At > 0.1) || o.Attack.Ranked[1000].Value > 0.001*float64(o.Sensitive) {
		t.Errorf("L/C %g redacts as for %g; %+v found", low.LC, low.At, o.Attack.Ranked[1000])
	}
	for _, want := range []string{"At L/C 0.1 the ceiling makes it redact as for L/C " + sanitize.Ratio(low.At), "at most 0.1 % of the sensitive words among 1,000: 0 here, at most "} {
		if says := run.RaisedWords(low); !strings.Contains(says, want) {
			t.Errorf("%q, want %q in it", says, want)
		}
	}
	if high.At != 1000 || run.RaisedWords(high) != "" {
		t.Errorf("L/C 1000 redacts as for %g: %s", high.At, run.RaisedWords(high))
	}
	low.Done = false
	if says := run.RaisedWords(low); !strings.Contains(says, "not known yet") {
		t.Errorf("while it runs: %q", says)
	}
	low.Done, run.Params.Ceiling = true, 0
	low.Outcome.Attack.Ranked = map[int]greedy.Estimate{1000: {Value: 3, AtMost: 9}}
	if says := run.RaisedWords(low); !strings.Contains(says, "the ranked attacker still finds more") {
		t.Errorf("a ceiling that is not held: %q", says)
	}
	if says := run.RaisedWords(sanitize.Result{LC: 5}); says != "" {
		t.Errorf("of a run from before there were ceilings: %q", says)
	}
}

func TestCeilingsThatChangeNothingAreRefused(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(4))
	for want, p := range map[string]sanitize.Params{
		"enter a share above 0 and below 1": {Ceiling: 1},
		"above 0 and below 1, such as 1 %":  {Ceiling: -0.5},
		"the label DATE is 0":               {Ceiling: 0.01, LossByLabel: map[annotate.Label]float64{"DATE": 0}},
		"has no effect unless Mode is":      {Ceiling: 0.01, Mode: greedy.Paper},
		"unless Mode is hide's default":     {Ceiling: 0.01, Mode: greedy.GreedyUnion},
	} {
		p.LC = []float64{10}
		_, err := b.StartSanitize(t.Context(), projecttest.Broker, id, p)
		var refused *project.Error
		if !errors.As(err, &refused) || refused.Kind != project.Invalid || !strings.Contains(refused.Message, want) || refused.Hint == "" {
			t.Errorf("%+v: %v, want %q", p, err, want)
		}
	}
}

// A run that goes on, or whose L/C is raised, reports its rounds from the first again.
func TestRoundsThatComeAgainTakeThePlaceOfTheOld(t *testing.T) {
	var all []sanitize.Result
	for _, r := range []struct{ number, learner int }{{1, 0}, {2, 0}, {3, 0}, {1, 1}, {2, 1}} {
		all = sanitize.Entered(all, greedy.Event{LC: 5, Round: &greedy.Round{Number: r.number, Learner: string(rune('a' + r.learner))}}, nil)
	}
	want := []greedy.Round{{Number: 1, Learner: "b"}, {Number: 2, Learner: "b"}}
	if len(all) != 1 || !reflect.DeepEqual(all[0].Rounds, want) {
		t.Errorf("%+v", all)
	}
}

// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
)

func TestCurvesAreKeptAndSaySoWhenNotesChange(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	id := b.NewProject(projecttest.Notes(6), true)
	b.Trained(id)
	p := training.CurveParams{Lines: []string{"o=.5,.1"}, Learner: "bayes", Folds: 3}
	if err := b.StartCurves(ctx, projecttest.Broker, id, p); err != nil {
		t.Fatal(err)
	}
	st := b.MustCurves(id)
	if st.Error != "" || st.Last == nil || len(st.Last.Settings) != 3 || st.Changed || st.Last.Documents != 6 || st.Last.Learner != "bayes" {
		t.Fatalf("measuring ended as %+v", st)
	}
	rows, err := b.Audit(ctx, projecttest.Broker, id, 0, 100)
	if err != nil || !slices.ContainsFunc(rows, func(r project.AuditRow) bool {
		return r.Action == "measure curves" && r.Detail == "3 settings on 6 documents"
	}) {
		t.Errorf("it is not in the audit trail (%v)", err)
	}
	b.Reopen()
	if st := b.MustCurves(id); st.Last == nil || st.Changed {
		t.Error("the curves are gone, or out of date, after reopening")
	}
	b.Set(id, func(s *project.Settings) { s.Sampling.Window = 8 })
	if st := b.MustCurves(id); st.Changed {
		t.Error("another sampling makes the curves out of date: they are about all of them")
	}
	b.Set(id, func(s *project.Settings) { s.C2 = 2 })
	if st := b.MustCurves(id); !st.Changed {
		t.Error("the curves are not out of date when the project learns otherwise")
	}
	b.Set(id, func(s *project.Settings) { s.C2 = 0 })
	if st := b.MustCurves(id); st.Changed {
		t.Error("the curves are out of date when the project learns as it did")
	}
	b.MustImport(id, projecttest.Notes(8)[6:], true)
	if st := b.MustCurves(id); !st.Changed {
		t.Error("the curves are not out of date when notes were added")
	}
}

func TestAMeasuredSettingIsPutToUse(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	id := b.NewProject(projecttest.Notes(5), true)
	projecttest.WantKind(t, b.UseSampling(ctx, projecttest.Broker, id, 0), project.NotFound)
	if err := b.StartCurves(ctx, projecttest.Broker, id, training.CurveParams{Lines: []string{"window=4+seed=9"}, Learner: "bayes"}); err != nil {
		t.Fatal(err)
	}
	b.MustCurves(id)
	projecttest.WantKind(t, b.UseSampling(ctx, projecttest.Broker, id, 2), project.NotFound)
	projecttest.WantKind(t, b.UseSampling(ctx, projecttest.Reviewer, id, 1), project.Forbidden)
	if err := b.UseSampling(ctx, projecttest.Broker, id, 1); err != nil {
		t.Fatal(err)
	}
	set, err := b.Settings(ctx, projecttest.Broker, id)
	if err != nil || set.Sampling.Window != 4 || set.Sampling.Seed != 9 {
		t.Errorf("the sampling is %v (%v)", set.Sampling, err)
	}
	if st := b.MustCurves(id); st.InUse != "window=4+seed=9" {
		t.Errorf("in use: %q", st.InUse)
	}
}

func TestCurvesAreRefusedInWords(t *testing.T) {
	b := newBench(t)
	few, bare, full := b.NewNamed("few", projecttest.Notes(2)), b.NewNamed("bare", projecttest.Strip(projecttest.Notes(4))), b.NewNamed("full", projecttest.Notes(4))
	cases := []struct {
		name string
		by   account.User
		id   project.ID
		p    training.CurveParams
		kind project.Kind
		says string
	}{
		{"too few notes", projecttest.Broker, few, training.CurveParams{}, project.Invalid, "there are 2 of 2"},
		{"no span", projecttest.Broker, bare, training.CurveParams{}, project.Invalid, "no annotations to score"},
		{"an annotator", projecttest.Annotator, full, training.CurveParams{}, project.Forbidden, ""},
		{"a reviewer", projecttest.Reviewer, full, training.CurveParams{}, project.Forbidden, ""},
		{"no such project", projecttest.Broker, "p99", training.CurveParams{}, project.NotFound, ""},
		{"a label of no project", projecttest.Broker, full, training.CurveParams{Lines: []string{"o=.5", "cost=NOBODY:3"}}, project.Invalid, "curve 2: one of the labels"},
		{"another key", projecttest.Broker, full, training.CurveParams{Lines: []string{"p=.5"}}, project.Invalid, "settings are o, window, cost, times and seed"},
		{"too many folds", projecttest.Broker, full, training.CurveParams{Folds: 5}, project.Invalid, "patients, 4"},
		{"another learner", projecttest.Broker, full, training.CurveParams{Learner: "oracle"}, project.Invalid, "selection"},
		{"too many curves", projecttest.Broker, full, training.CurveParams{Lines: make([]string, 7)}, project.Invalid, "7 curves"},
		{"too many settings", projecttest.Broker, full, training.CurveParams{Lines: []string{"o=" + strings.Repeat(".5,", 9) + ".5+window=1,2,3,4,5,6,7,8", "window=" + manyNumbers(70)}}, project.Invalid, "settings are more than the 60"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := b.StartCurves(t.Context(), c.by, c.id, c.p)
			projecttest.WantKind(t, err, c.kind)
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("it says %q, want %q in it", err, c.says)
			}
		})
	}
	_, err := b.Curves(t.Context(), projecttest.Annotator, full)
	projecttest.WantKind(t, err, project.Forbidden)
}

func manyNumbers(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.Repeat("1", i/9+1) + string(rune('1'+i%9))
	}
	return strings.Join(all, ",")
}

func TestCancelledCurvesLeaveTheLastOnes(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	id := b.NewProject(projecttest.Notes(6), true)
	if err := b.StartCurves(ctx, projecttest.Broker, id, training.CurveParams{Lines: []string{"o=.5"}, Learner: "bayes"}); err != nil {
		t.Fatal(err)
	}
	first := b.MustCurves(id)
	if err := b.StartCurves(ctx, projecttest.Broker, id, training.CurveParams{Lines: []string{"o=.9,.8,.7,.6,.5,.4,.3+window=1,2,4,8"}}); err != nil {
		t.Fatal(err)
	}
	projecttest.WantKind(t, b.StartCurves(ctx, projecttest.Broker, id, training.CurveParams{}), project.Stale)
	projecttest.WantKind(t, b.CancelCurves(ctx, projecttest.Annotator, id), project.Forbidden)
	if err := b.CancelCurves(ctx, projecttest.Broker, id); err != nil {
		t.Fatal(err)
	}
	st := b.MustCurves(id)
	if !strings.Contains(st.Error, "cancelled") || st.Last == nil || !st.Last.At.Equal(first.Last.At) {
		t.Errorf("after cancelling: %+v", st)
	}
	if err := b.StartCurves(ctx, projecttest.Broker, id, training.CurveParams{Lines: []string{"o=.4"}, Learner: "bayes"}); err != nil {
		t.Fatalf("measuring cannot begin again: %v", err)
	}
	if st := b.MustCurves(id); st.Error != "" || len(st.Last.Settings) != 2 {
		t.Errorf("the next measuring: %+v", st)
	}
}

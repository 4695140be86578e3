// SPDX-License-Identifier: Apache-2.0

package project

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
)

// measured waits until no curve is being measured and returns how it ended.
func (b *bench) curves(id ID) CurveStatus {
	b.t.Helper()
	var st CurveStatus
	b.wait("measuring", func() bool {
		var err error
		if st, err = b.Curves(b.t.Context(), broker, id); err != nil {
			b.t.Fatal(err)
		}
		return !st.Running
	})
	return st
}

func TestCurvesAreKeptAndSaySoWhenNotesChange(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	id := b.project(notes(6), true)
	b.trained(id)
	p := CurveParams{Lines: []string{"o=.5,.1"}, Learner: "bayes", Folds: 3}
	if err := b.StartCurves(ctx, broker, id, p); err != nil {
		t.Fatal(err)
	}
	st := b.curves(id)
	if st.Error != "" || st.Last == nil || len(st.Last.Settings) != 3 || st.Changed || st.Last.Documents != 6 || st.Last.Learner != "bayes" {
		t.Fatalf("measuring ended as %+v", st)
	}
	rows, err := b.Audit(ctx, broker, id, 0, 100)
	if err != nil || !slices.ContainsFunc(rows, func(r AuditRow) bool {
		return r.Action == "measure curves" && r.Detail == "3 settings on 6 documents"
	}) {
		t.Errorf("it is not in the audit trail (%v)", err)
	}
	b.reopen()
	if st := b.curves(id); st.Last == nil || st.Changed {
		t.Error("the curves are gone, or out of date, after reopening")
	}
	b.set(id, func(s *Settings) { s.Sampling.Window = 8 })
	if st := b.curves(id); st.Changed {
		t.Error("another sampling makes the curves out of date: they are about all of them")
	}
	b.set(id, func(s *Settings) { s.C2 = 2 })
	if st := b.curves(id); !st.Changed {
		t.Error("the curves are not out of date when the project learns otherwise")
	}
	b.set(id, func(s *Settings) { s.C2 = 0 })
	if st := b.curves(id); st.Changed {
		t.Error("the curves are out of date when the project learns as it did")
	}
	b.mustImport(id, notes(8)[6:], true)
	if st := b.curves(id); !st.Changed {
		t.Error("the curves are not out of date when notes were added")
	}
}

func TestAMeasuredSettingIsPutToUse(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	id := b.project(notes(5), true)
	wantKind(t, b.UseSampling(ctx, broker, id, 0), NotFound)
	if err := b.StartCurves(ctx, broker, id, CurveParams{Lines: []string{"window=4+seed=9"}, Learner: "bayes"}); err != nil {
		t.Fatal(err)
	}
	b.curves(id)
	wantKind(t, b.UseSampling(ctx, broker, id, 2), NotFound)
	wantKind(t, b.UseSampling(ctx, reviewer, id, 1), Forbidden)
	if err := b.UseSampling(ctx, broker, id, 1); err != nil {
		t.Fatal(err)
	}
	set, err := b.Settings(ctx, broker, id)
	if err != nil || set.Sampling.Window != 4 || set.Sampling.Seed != 9 {
		t.Errorf("the sampling is %v (%v)", set.Sampling, err)
	}
	if st := b.curves(id); st.InUse != "window=4+seed=9" {
		t.Errorf("in use: %q", st.InUse)
	}
}

func TestCurvesAreRefusedInWords(t *testing.T) {
	b := newBench(t)
	few, bare, full := b.named("few", notes(2)), b.named("bare", strip(notes(4))), b.named("full", notes(4))
	cases := []struct {
		name string
		by   account.User
		id   ID
		p    CurveParams
		kind Kind
		says string
	}{
		{"too few notes", broker, few, CurveParams{}, Invalid, "there are 2 of 2"},
		{"no span", broker, bare, CurveParams{}, Invalid, "nothing to score"},
		{"an annotator", annotator, full, CurveParams{}, Forbidden, ""},
		{"a reviewer", reviewer, full, CurveParams{}, Forbidden, ""},
		{"no such project", broker, "p99", CurveParams{}, NotFound, ""},
		{"a label of no project", broker, full, CurveParams{Lines: []string{"o=.5", "cost=NOBODY:3"}}, Invalid, "curve 2: one of the labels"},
		{"another key", broker, full, CurveParams{Lines: []string{"p=.5"}}, Invalid, "there are o, window, cost and seed"},
		{"too many folds", broker, full, CurveParams{Folds: 5}, Invalid, "patients, 4"},
		{"another learner", broker, full, CurveParams{Learner: "oracle"}, Invalid, "selection"},
		{"too many curves", broker, full, CurveParams{Lines: make([]string, 7)}, Invalid, "7 curves"},
		{"too many settings", broker, full, CurveParams{Lines: []string{"o=" + strings.Repeat(".5,", 9) + ".5+window=1,2,3,4,5,6,7,8", "window=" + manyNumbers(70)}}, Invalid, "settings are more than the 60"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := b.StartCurves(t.Context(), c.by, c.id, c.p)
			wantKind(t, err, c.kind)
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("it says %q, want %q in it", err, c.says)
			}
		})
	}
	_, err := b.Curves(t.Context(), annotator, full)
	wantKind(t, err, Forbidden)
}

// named makes a project of finished documents.
func (b *bench) named(name string, docs []annotate.Annotated) ID {
	b.t.Helper()
	p, err := b.Create(b.t.Context(), broker, name, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	b.mustImport(p.ID, docs, true)
	return p.ID
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
	id := b.project(notes(6), true)
	if err := b.StartCurves(ctx, broker, id, CurveParams{Lines: []string{"o=.5"}, Learner: "bayes"}); err != nil {
		t.Fatal(err)
	}
	first := b.curves(id)
	if err := b.StartCurves(ctx, broker, id, CurveParams{Lines: []string{"o=.9,.8,.7,.6,.5,.4,.3+window=1,2,4,8"}}); err != nil {
		t.Fatal(err)
	}
	wantKind(t, b.StartCurves(ctx, broker, id, CurveParams{}), Stale)
	wantKind(t, b.CancelCurves(ctx, annotator, id), Forbidden)
	if err := b.CancelCurves(ctx, broker, id); err != nil {
		t.Fatal(err)
	}
	st := b.curves(id)
	if !strings.Contains(st.Error, "cancelled") || st.Last == nil || !st.Last.At.Equal(first.Last.At) {
		t.Errorf("after cancelling: %+v", st)
	}
	if err := b.StartCurves(ctx, broker, id, CurveParams{Lines: []string{"o=.4"}, Learner: "bayes"}); err != nil {
		t.Fatalf("measuring cannot begin again: %v", err)
	}
	if st := b.curves(id); st.Error != "" || len(st.Last.Settings) != 2 {
		t.Errorf("the next measuring: %+v", st)
	}
}

// SPDX-License-Identifier: Apache-2.0

package dp_test

import (
	"strings"
	"testing"

	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/ledger"
)

func aboutSex(e ledger.Micro) dp.QuerySettings {
	set := projecttest.BySex(e)
	return dp.QuerySettings{Epsilon: e, Source: set.Source, Dimensions: set.Dimensions, Question: "SELECT COUNT(*) GROUP BY sex", Unjoined: 3}
}

func TestAnAnswerIsOnRecordWithWhoCounts(t *testing.T) {
	b := newBench(t)
	id := b.Counted(ledger.One)
	if err := b.StartQuery(t.Context(), projecttest.Broker, id, release.Publish, aboutSex(100_000)); err != nil {
		t.Fatal(err)
	}
	if r, st := b.Published(id); st.Error != "" || r.Strong.Asked.Unjoined != 3 || st.Asked.(*dp.QuerySettings).Unjoined != 3 {
		t.Errorf("%+v, %+v", r, st)
	}
}

func TestARefusedQuestionDebitsNothingAndSaysWhyInWords(t *testing.T) {
	b := newBench(t)
	id := b.Counted(ledger.One)
	unlisted := aboutSex(100_000)
	unlisted.Dimensions[0].Values = []string{"F", "X"}
	unlisted.Question = "SELECT COUNT(*)"
	_, err := b.EstimateQuery(t.Context(), projecttest.Broker, id, unlisted)
	for _, err := range []error{err, b.StartQuery(t.Context(), projecttest.Broker, id, release.Publish, unlisted)} {
		if projecttest.WantKind(t, err, project.Invalid); !strings.Contains(project.ErrorWords(err), "the patients' values do not match the list: row 2") {
			t.Errorf("%v", project.ErrorWords(err))
		}
	}
	if err := b.StartQuery(t.Context(), projecttest.Broker, id, release.Publish, aboutSex(ledger.One+1)); err != nil {
		t.Fatal(err)
	}
	if _, st := b.Published(id); !strings.Contains(st.Error, "nothing was spent; spend less") || strings.Contains(st.Error, string(id)) || st.Asked.(*dp.QuerySettings).Epsilon != ledger.One+1 {
		t.Errorf("above the budget: %+v", st)
	}
	if a := b.MustBudget(id); a.Spent != 0 {
		t.Errorf("budget %+v", a)
	}
}

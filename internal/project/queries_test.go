// SPDX-License-Identifier: Apache-2.0

package project

import (
	"strings"
	"testing"

	"hide/internal/publish/ledger"
)

func aboutSex(e ledger.Micro) QuerySettings {
	set := bySex(e)
	return QuerySettings{Epsilon: e, Source: set.Source, Dimensions: set.Dimensions, Question: "SELECT COUNT(*) GROUP BY sex", Unjoined: 3}
}

func TestAnAnswerIsOnRecordWithWhoCounts(t *testing.T) {
	b := newBench(t)
	id := b.counted(ledger.One)
	if err := b.StartQuery(t.Context(), broker, id, aboutSex(100_000)); err != nil {
		t.Fatal(err)
	}
	if r, st := b.published(id); st.Error != "" || r.Strong.Asked.Unjoined != 3 || st.Query == nil || st.Query.Unjoined != 3 {
		t.Errorf("%+v, %+v", r, st)
	}
}

func TestARefusedQuestionDebitsNothingAndSaysWhyInWords(t *testing.T) {
	b := newBench(t)
	id := b.counted(ledger.One)
	unlisted := aboutSex(100_000)
	unlisted.Dimensions[0].Values = []string{"F", "X"}
	unlisted.Question = "SELECT COUNT(*)"
	_, err := b.EstimateQuery(t.Context(), broker, id, unlisted)
	for _, err := range []error{err, b.StartQuery(t.Context(), broker, id, unlisted)} {
		if wantKind(t, err, Invalid); !strings.Contains(ErrorWords(err), "the patients do not fit: row 2") {
			t.Errorf("%v", ErrorWords(err))
		}
	}
	if err := b.StartQuery(t.Context(), broker, id, aboutSex(ledger.One+1)); err != nil {
		t.Fatal(err)
	}
	if _, st := b.published(id); !strings.Contains(st.Error, "nothing was spent; spend less") || strings.Contains(st.Error, string(id)) || st.Query.Epsilon != ledger.One+1 {
		t.Errorf("above the budget: %+v", st)
	}
	if a := b.budget(id); a.Spent != 0 {
		t.Errorf("budget %+v", a)
	}
}

// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"hide/internal/publish/ledger"
	"hide/internal/publish/strong/check"
)

func TestEveryQuestionIsPaidForOnce(t *testing.T) {
	l, c := newLedger(t), cubeOf(t, cubeConfig)
	ask := func(text string) Release {
		r, err := AnswerQuery(t.Context(), l, c, text, people(100), ledger.One/2, meta)
		must(t, err)
		return r
	}
	first := ask(`SELECT COUNT(*) WHERE sex = 'F' GROUP BY ward`)
	again := ask(`select count(*) from x where sex=F group by "ward"`)
	if first.Replayed || !again.Replayed || !bytes.Equal(first.File("answer.csv"), again.File("answer.csv")) {
		t.Errorf("%v, %v", first.Replayed, again.Replayed)
	}
	if other := ask(`SELECT COUNT(*) WHERE sex = 'M' GROUP BY ward`); other.Replayed {
		t.Error("another question got the same answer")
	}
	if a, err := l.Account("ward-7"); err != nil || a.Spent != ledger.One {
		t.Errorf("%v spent, %v", a.Spent, err)
	}
	before := l.Head()
	for _, bad := range []string{"", "SELECT COUNT(*) WHERE sex = 'X'", "SELECT COUNT(*) WHERE age < 15", "SELECT COUNT(*) GROUP BY id"} {
		if _, err := AnswerQuery(t.Context(), l, c, bad, people(100), ledger.One/2, meta); err == nil {
			t.Errorf("%q was answered", bad)
		}
	}
	if after := l.Head(); after.Seq != before.Seq {
		t.Error("a refused question was debited")
	}
	dir := filepath.Join(t.TempDir(), "r")
	_, err := first.Write(t.Context(), dir)
	must(t, err)
	if r, err := check.Release(os.DirFS(dir)); err != nil || !r.OK {
		t.Errorf("%v, %+v", err, r)
	}
}

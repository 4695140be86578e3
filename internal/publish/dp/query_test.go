// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/publish/ledger"
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
	if r, err := checked(os.DirFS(dir)); err != nil || !r.OK {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestQuestionsThatAreRefusedDebitNothing is about what is wrong with a question, its
// configuration, its table or its price.
func TestQuestionsThatAreRefusedDebitNothing(t *testing.T) {
	l := newLedger(t)
	before := l.Head()
	for name, c := range map[string]struct {
		config, question, data, want string
		e                            ledger.Micro
	}{
		"a method":         {with(cubeConfig, `"method":"magic"`), "SELECT COUNT(*)", string(people(3)), `unknown method "magic"`, 1000},
		"a gain":           {with(cubeConfig, `"gain":"magic"`), "SELECT COUNT(*)", string(people(3)), `unknown gain "magic"`, 1000},
		"marginals":        {with(cubeConfig, `"marginals":[["x"]]`), "SELECT COUNT(*)", string(people(3)), "needs a list of marginals", 1000},
		"a marginal":       {with(cubeConfig, `"method":"marginals","marginals":[["x"]]`), "SELECT COUNT(*)", string(people(3)), "not a dimension", 1000},
		"no epsilon":       {cubeConfig, "SELECT COUNT(*)", string(people(3)), "above 0", 0},
		"negative epsilon": {cubeConfig, "SELECT COUNT(*)", string(people(3)), "above 0", -5},
		"huge epsilon":     {cubeConfig, "SELECT COUNT(*)", string(people(3)), "at most 20", 1 << 60},
		"above the limit":  {cubeConfig, "SELECT COUNT(*)", string(people(3)), "nothing was debited", 4 * ledger.One},
		"empty question":   {cubeConfig, "", string(people(3)), "begins with SELECT", 1000},
		"empty table":      {cubeConfig, "SELECT COUNT(*)", "", "empty", 1000},
		"a bound":          {with(cubeConfig, `"unjoined":-1`), "SELECT COUNT(*)", string(people(3)), "unjoined", 1000},
		"bounds too large": {with(cubeConfig, `"bound":9999,"unjoined":9999`), "SELECT COUNT(*)", string(people(3)), "bound", 1000},
		"nameless rows":    {cubeConfig, "SELECT COUNT(*)", string(people(1)) + ",F,3,a,Weiss\n", "row 2, byte 35: it has no key", 1000},
		"too many groups":  {`{"lineage":"ward-7","source":"s","one_row_each":true,"dimensions":[{"name":"age","min":0,"max":9999,"width":1},{"name":"id","min":0,"max":9999,"width":1}]}`, "SELECT COUNT(*) GROUP BY age, id", string(people(3)), "groups", 1000},
	} {
		cfg, err := ParseCube([]byte(c.config))
		if err == nil {
			_, err = AnswerQuery(t.Context(), l, cfg, c.question, CSV(c.data), c.e, meta)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "Weiss") {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if after := l.Head(); after.Seq != before.Seq {
		t.Errorf("the ledger went from entry %d to %d", before.Seq, after.Seq)
	}
}

// TestAQuestionNeedsNoCubeThatCanBeCountedWhole: 10^9 cells are no obstacle to a
// question about some of them.
func TestAQuestionNeedsNoCubeThatCanBeCountedWhole(t *testing.T) {
	c := cubeOf(t, `{"lineage":"ward-7","source":"s","one_row_each":true,"dimensions":[{"name":"age","min":0,"max":99999,"width":1},{"name":"id","min":0,"max":9999,"width":1},{"name":"sex","values":["F","M"]}]}`)
	r, err := AnswerQuery(t.Context(), newLedger(t), c, "SELECT COUNT(*) GROUP BY sex", people(30), ledger.One, meta)
	if err != nil || strings.Count(string(r.File("answer.csv")), "\n") != 3 {
		t.Errorf("%q, %v", r.File("answer.csv"), err)
	}
}

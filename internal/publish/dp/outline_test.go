// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
)

// alphabetOf is a configuration with an alphabet of n symbols.
func alphabetOf(n, height int, fields string) string {
	var symbols []string
	for i := range n {
		symbols = append(symbols, fmt.Sprintf("s%d", i))
	}
	alphabet, _ := json.Marshal(symbols)
	return with(fmt.Sprintf(`{"lineage":"ward-7","source":"list","key_first":true,"key":"id","alphabet":%s,"height":%d}`, alphabet, height), fields)
}

func TestMoreSequencesThanAnybodyCountsAreNoBaseline(t *testing.T) {
	for _, c := range []struct {
		symbols, height int
		known           bool
	}{{3, 4, true}, {3, 1000, false}, {10_003, 1, true}, {10_003, 20, false}, {10_003, 100, false}} {
		l := newLedger(t)
		cfg, err := ParseSequences([]byte(alphabetOf(c.symbols, c.height, `"most_nodes":100000`)))
		must(t, err)
		r, err := PublishSequences(t.Context(), l, cfg, Lines("p1 s0 s1\np2 s0\n"), ledger.One/10, meta)
		if err != nil {
			t.Errorf("%d symbols, height %d: %v", c.symbols, c.height, err)
			continue
		}
		if len(r.Manifest.Errors) != c.height {
			t.Errorf("%d symbols, height %d: %d errors", c.symbols, c.height, len(r.Manifest.Errors))
		}
		for _, e := range r.Manifest.Errors {
			if _, known := e.Baselines["each sequence counted"]; known != c.known {
				t.Fatalf("%d symbols, height %d: %v", c.symbols, c.height, e)
			}
		}
	}
}

// oddRequest publishes something nobody would ask for, and says what.
func oddRequest(t *testing.T, rng *rand.Rand, l *ledger.Ledger) (string, error) {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	eps := ledger.Micro([]int64{1, 2, 20, 7919, 100_000, 1_000_000, 1_000_001}[rng.IntN(7)])
	more := fmt.Sprintf(`"unjoined":%s,"threshold":%s,"synthetic":%s`, pick("1", "7", "10000"), pick("1e-300", "1", "2", "3", "1e300", "-1"), fmt.Sprint(eps >= ledger.One))
	dims := strings.Join([]string{
		pick(`{"name":"sex","values":["F","M"]}`, `{"name":"sex","values":["F"],"other":true}`),
		pick(`{"name":"age","min":0,"max":99,"width":10,"other":true}`, `{"name":"age","min":-1e300,"max":1e300,"width":1e298,"other":true}`, `{"name":"age","min":0,"max":1e-300,"width":1e-301,"other":true}`, `{"name":"age","min":0,"max":99,"width":0.1,"other":true}`),
	}[:1+rng.IntN(2)], ",")
	var err error
	what := ""
	switch rng.IntN(3) {
	case 0:
		fields := more + `,"fixed":` + pick("true", "false") + `,"most_nodes":` + pick("50", "5000")
		symbols, height := []int{1, 2, 3, 997}[rng.IntN(4)], []int{1, 2, 20, 1000}[rng.IntN(4)]
		what = fmt.Sprintf("sequences of %d, height %d, %s, epsilon %v", symbols, height, fields, eps)
		var c SequencesConfig
		if c, err = ParseSequences([]byte(alphabetOf(symbols, height, fields))); err == nil {
			_, err = PublishSequences(t.Context(), l, c, Lines("p1 s0\np2 s0 s0\n"), eps, meta)
		}
	default:
		config := fmt.Sprintf(`{"lineage":"ward-7","source":"list","key":"id","bound":%s,%s,"first":%s,"dimensions":[%s],"method":"%s"}`,
			pick("1", "2", "10000"), more, pick("0.01", "0.5", "0.6", "0.99", "1e-300"), dims, pick("dpcube", "identity", "uniform", "dpcube"))
		question := pick("SELECT COUNT(*)", "SELECT COUNT(*) GROUP BY sex, age", "SELECT COUNT(*) WHERE age < 1e300 GROUP BY sex", "SELECT COUNT(*) WHERE age >= -1e300")
		what = config + " " + question
		var c CubeConfig
		if c, err = ParseCube([]byte(config)); err != nil {
			break
		}
		if rng.IntN(2) == 0 {
			_, err = AnswerQuery(t.Context(), l, c, question, people(9), eps, meta)
			break
		}
		_, err = PublishCube(t.Context(), l, c, people(9), eps, meta)
	}
	return what, err
}

func TestWhateverIsAskedForAFailureDebitsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	l := newLedger(t)
	must(t, l.Raise("ward-7", ledger.Most, "odd settings", "test"))
	made := 0
	for range 80 {
		before, err := l.Account("ward-7")
		must(t, err)
		what, err := oddRequest(t, rng, l)
		after, lookErr := l.Account("ward-7")
		must(t, lookErr)
		if err != nil && after.Spent != before.Spent {
			t.Fatalf("%s: %v was debited for: %v", what, after.Spent-before.Spent, err)
		}
		if err == nil {
			made++
		}
	}
	if made < 20 {
		t.Errorf("%d of 80 requests were answered: the others were refused for too little", made)
	}
}

func TestNumbersOfPatientsAreNoZero(t *testing.T) {
	for _, field := range []string{"bound", "unjoined", "threshold", "first"} {
		_, err := ParseCube([]byte(with(cubeConfig, `"`+field+`":0`)))
		if err == nil || !strings.Contains(err.Error(), "above 0") {
			t.Errorf("cube, %s: %v", field, err)
		}
	}
	if _, err := ParseCube([]byte(with(cubeConfig, `"Bound":0`))); err == nil {
		t.Error("cube: a zero is taken in a name with other letters")
	}
	for _, field := range []string{"unjoined", "threshold", "most_nodes"} {
		_, err := ParseSequences([]byte(with(sequencesConfig, `"`+field+`":0.0`)))
		if err == nil || !strings.Contains(err.Error(), "0") {
			t.Errorf("sequences, %s: %v", field, err)
		}
	}
}

func TestCubesOfMoreCellsThanCanBeCountedArePublishedByMarginals(t *testing.T) {
	dims := make([]string, 32)
	row, header := "p1", "id"
	for i := range dims {
		dims[i] = fmt.Sprintf(`{"name":"d%d","min":0,"max":99998,"width":1,"other":true}`, i)
		header, row = header+fmt.Sprintf(",d%d", i), row+",5"
	}
	c := cubeOf(t, `{"lineage":"ward-7","source":"list","key":"id","method":"marginals","marginals":[[]],"dimensions":[`+strings.Join(dims, ",")+`]}`)
	r, err := PublishCube(t.Context(), newLedger(t), c, CSV(header+"\n"+row+"\n"), ledger.One, meta)
	must(t, err)
	if e := cubeError(c, cube.Params{Epsilon: ledger.One}, 0, 1); len(e.Baselines) != 1 {
		t.Errorf("baselines %v of a cube that nobody can count", e.Baselines)
	}
	if !strings.Contains(string(r.File("marginal-1.csv")), "count") {
		t.Error("no marginal")
	}
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/greedy"
)

// oneResult is a made-up measurement in which every figure differs.
func oneResult() greedy.Measured {
	n := 0.0
	next := func() greedy.Estimate {
		n += 10
		return greedy.Estimate{Value: n, Low: n - 1, High: n + 1}
	}
	return greedy.Measured{Mode: greedy.Default, Learner: "crf", Rounds: []int{1, 2, 1}, Attacker: greedy.Counts{TP: 2, FP: 3, FN: 5, TN: 90}, Outcome: greedy.Outcome{
		LC: 10, Rounds: 2, Tokens: 500, Sensitive: 90, Names: 40, Documents: 7,
		Residual: next(), NamesLeft: next(), FalsePositives: next(), NonsensitiveKept: next(), PublishedRatio: next(), Loss: next(), DocumentsWithLeak: next(),
		InformativeLeft: next(), PatientsWithLeak: next(),
		Attack: greedy.Attack{Classifier: next(), Ranked: map[int]greedy.Estimate{25: next(), 1000: next()}},
	}}
}

// oneReport is a report of made-up measurements.
func oneReport(results ...greedy.Measured) experimentJSON {
	r := experimentJSON{published: corpusJSON{Documents: 7, Tokens: 500, Sensitive: 90, Names: 40}, budgets: []int{25, 1000}}
	r.Documents, r.Tokens, r.Sensitive, r.Names = 7, 500, 90, 40
	for _, m := range results {
		r.Results = append(r.Results, rowOf(m, r.budgets))
	}
	return r
}

func TestExperimentGivesEachFigureAndItsIntervalTheSameKey(t *testing.T) {
	var out bytes.Buffer
	e := &env{stdout: &out, json: true}
	report := oneReport(oneResult())
	if err := e.result(report, report.write); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tokens, Sensitive, Documents int
		Results                      []map[string]any
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tokens != 500 || got.Sensitive != 90 || got.Documents != 7 {
		t.Errorf("%d tokens, %d sensitive, %d documents", got.Tokens, got.Sensitive, got.Documents)
	}
	row := got.Results[0]
	if row["rounds"] != 4.0/3 || row["lc"] != 10.0 || row["mode"] != "default" || row["learner"] != "crf" {
		t.Errorf("row %v", row)
	}
	intervals := row["interval"].(map[string]any)
	for _, key := range []string{"residual", "nonsensitive_kept", "published_ratio", "loss", "documents_with_leak", "names_left", "tp_a", "informative_left", "patients_with_leak"} {
		if intervals[key] == nil {
			t.Errorf("no interval for %s", key)
		}
	}
	checkIntervals(t, row, intervals)
}

// checkIntervals wants [value-1, value+1] under the same key as each value.
func checkIntervals(t *testing.T, values, intervals map[string]any) {
	t.Helper()
	for key, interval := range intervals {
		if nested, is := interval.(map[string]any); is {
			checkIntervals(t, values[key].(map[string]any), nested)
			continue
		}
		v, is := values[key].(float64)
		if !is || !reflect.DeepEqual(interval, []any{v - 1, v + 1}) {
			t.Errorf("%s: value %v, interval %v", key, values[key], interval)
		}
	}
}

func TestExperimentTableHasARowPerResultAndAColumnPerBudget(t *testing.T) {
	var out bytes.Buffer
	oneReport(oneResult(), oneResult()).write(&out)
	if n := strings.Count(out.String(), "default"); n != 2 {
		t.Errorf("%d rows, want 2:\n%s", n, out.String())
	}
	for _, want := range []string{"B=25", "B=1000", "9-11", "90 of them sensitive in 40 spans"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestExperimentsUtilitiesAreWorthL(t *testing.T) {
	row := rowOf(oneResult(), []int{5, 50})
	// 100 tokens, 7 sensitive, L = 10: at random 10*50*7/100; marked first 10*(2 + 45*5/95), and 10*5*2/5
	if row.UA["50"] != 35 || math.Abs(row.UAStar["50"]-(20+10*45*5./95)) > 1e-9 || row.UAStar["5"] != 20 {
		t.Errorf("U_A %v, U_A* %v", row.UA, row.UAStar)
	}
}

// What is lost stands by kind of word on the report's page and in the CSV alike.
func TestExperimentsReportSaysWhatIsLostByKindOfWord(t *testing.T) {
	r := oneReport(oneResult())
	r.Results[0].ByKind = []greedy.Lost{{Kind: greedy.Number, Words: 40, Gone: greedy.Estimate{Value: 3, Low: 1, High: 6}}, {Kind: greedy.OtherWord, Words: 90}}
	table := r.kindsTable()
	if want := []string{"mode, learner, L/C", "punctuation", "number", "common", "other"}; !slices.Equal(table.Head, want) {
		t.Errorf("the head is %q, want %q", table.Head, want)
	}
	if want := []string{"default, crf, 10", "-", "3 (1 to 6) of 40", "-", "0 of 90"}; len(table.Rows) != 1 || !slices.Equal(table.Rows[0], want) {
		t.Errorf("the rows are %q, want %q", table.Rows, want)
	}
	var page, lines bytes.Buffer
	if err := chart.WriteReport(t.Context(), &page, r.charts()); err != nil {
		t.Fatal(err)
	}
	if err := r.writeCSV(&lines); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "3 (1 to 6) of 40") || !strings.Contains(lines.String(), ",number,kind_gone,3,1,6,") {
		t.Errorf("numbers are missing on the page or in\n%s", lines.String())
	}
}

func TestExperimentsCSVHasALinePerFigure(t *testing.T) {
	var out bytes.Buffer
	r := oneReport(oneResult())
	r.Results[0].Attackers = []attackerRow{{Kind: "transfer", Learner: "svm", Points: []attackerPoint{{Budget: 25, Found: 3.5}}}}
	r.Results[0].ByLabel = []labelRow{{Label: "a,b", Left: 4, LeftInterval: [2]float64{3, 6}, LeftAtMost: 7}}
	if err := r.writeCSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	text := make([]string, len(rows))
	for i, row := range rows {
		text[i] = strings.Join(row, "|")
	}
	for _, want := range []string{
		"corpus published||||||||||tokens|500|||", "result|default|crf|10|||||||residual|10|9|11|0", "result|default|crf|10|ranked||1000||||tp_a|",
		"result|default|crf|10|other transfer|svm|25||||found|3.5|||", "result|default|crf|10||||||a,b|residual|4|3|6|7", "result|default|crf|10|||||||fp_a|3|||",
	} {
		if !slices.ContainsFunc(text, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("no line %s in\n%s", want, strings.Join(text, "\n"))
		}
	}
}

func TestCommandLineReadsBackInAShell(t *testing.T) {
	got := commandLine([]string{"--in", "my notes.jsonl", "--lc", "1,10", "--out", "it's"})
	if want := `hide experiment --in 'my notes.jsonl' --lc 1,10 --out 'it'\''s'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzExperimentLists(f *testing.F) {
	for _, s := range []string{"1,10,100", "0", "-1", "NaN", "1e308", "Inf", "", ",", " 2 , 3", "0x10", "1e-300", "25,50", "all", "A,B-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		e := &env{}
		if lcs, err := e.ratios(list); err == nil {
			for _, lc := range lcs {
				if greedy.CheckLC(lc) != nil {
					t.Errorf("%q gives L/C %g", list, lc)
				}
			}
		}
		if budgets, err := e.counts("budget", list); err == nil && (!slices.IsSorted(budgets) || budgets[0] < 1) {
			t.Errorf("%q gives budgets %v", list, budgets)
		}
		if modes, err := e.modes(list); err == nil && (len(modes) == 0 || len(modes) > len(greedy.Modes())) {
			t.Errorf("%q gives modes %v", list, modes)
		}
		if labels, err := e.labels("sensitive", list); err == nil && (labels == nil) != (list == "all") {
			t.Errorf("%q gives labels %v", list, labels)
		}
	})
}

// More labels than can be told apart are refused before anything is learnt, unless
// those that count are named.
func TestTenThousandLabelsAreRefusedUnlessSomeAreNamed(t *testing.T) {
	var lines strings.Builder
	for i := range 1000 {
		var words, spans []string
		for k := range 10 {
			words = append(words, "name")
			spans = append(spans, fmt.Sprintf(`{"start":%d,"end":%d,"label":"L%d"}`, 5*k, 5*k+4, 10*i+k))
		}
		fmt.Fprintf(&lines, `{"id":"n%d","text":"%s","spans":[%s]}`+"\n", i, strings.Join(words, " "), strings.Join(spans, ","))
	}
	file := filepath.Join(t.TempDir(), "many.jsonl")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := readSensitive(t.Context(), file, nil)
	if err == nil || !strings.Contains(err.Error(), "10000 sensitive labels, at most 1000 can be told apart") || !strings.Contains(hintOf(err), "--sensitive") {
		t.Errorf("error is %v", err)
	}
	docs, err := readSensitive(t.Context(), file, []annotate.Label{"L0", "L9999"})
	if err != nil || len(docs) != 1000 || len(sensitiveLabels(docs)) != 2 {
		t.Errorf("%d documents, labels %v, error %v", len(docs), sensitiveLabels(docs), err)
	}
}

func TestAttackersOfAnExperimentLearnFromAllWords(t *testing.T) {
	for _, args := range [][]string{
		{"--in", "notes.jsonl", "--learners", "bayes,crf", "--sampling", "o=.2"},
		{"--in", "notes.jsonl", "--learners", "bayes,crf", "--sampling", "o=.2", "--attack-learners", "bayes,crf"},
	} {
		e := &env{stderr: &bytes.Buffer{}}
		o, err := e.experimentOptions(args)
		if err != nil {
			t.Fatal(err)
		}
		for who, want := range map[string]float64{"publisher": 0.2, "attacker": 0} {
			learners := o.trial.Learners
			if who == "attacker" {
				learners = o.attackLearners
			}
			if len(learners) != 2 || learners[0].(greedy.Bayes).Options.Sampling.O != want || learners[1].(greedy.CRF).Options.Sampling.O != want {
				t.Errorf("%v: the %s learns with %+v", args, who, learners)
			}
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/lab"
)

// oneResult is a made-up measurement in which every figure differs.
func oneResult() greedy.Measured {
	n := 0.0
	next := func() greedy.Estimate {
		n += 10
		return greedy.Estimate{Value: n, Low: n - 1, High: n + 1}
	}
	return greedy.Measured{Mode: greedy.Default, Learner: "crf", Rounds: []int{1, 2, 1}, Attacker: greedy.Counts{TP: 2, FP: 3, FN: 5, TN: 90}, Outcome: greedy.Outcome{
		LC: 10, Rounds: 2, Tokens: 500, Sensitive: 90, Identifiers: 40, Documents: 7,
		Residual: next(), IdentifiersMissed: next(), FalsePositives: next(), NonsensitiveKept: next(), PublishedRatio: next(), Loss: next(), DocumentsWithLeak: next(),
		InformativeMissed: next(), PatientsWithLeak: next(),
		Attack: greedy.Attack{Classifier: next(), Ranked: map[int]greedy.Estimate{25: next(), 1000: next()}},
	}}
}

// oneReport is a report of made-up measurements.
func oneReport(results ...greedy.Measured) Report {
	r := Report{published: lab.Corpus{Documents: 7, Tokens: 500, Sensitive: 90, Names: 40}, budgets: []int{25, 1000}}
	r.Documents, r.Tokens, r.Sensitive, r.Names = 7, 500, 90, 40
	for _, m := range results {
		r.Results = append(r.Results, rowOf(m, r.budgets))
	}
	return r
}

func TestExperimentGivesEachFigureAndItsIntervalTheSameKey(t *testing.T) {
	out, err := json.Marshal(oneReport(oneResult()))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tokens, Sensitive, Documents int
		Results                      []map[string]any
	}
	if err := json.Unmarshal(out, &got); err != nil {
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

// checkIntervals expects [value-1, value+1] under the same key as each value.
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
	oneReport(oneResult(), oneResult()).Write(&out)
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
	// 100 tokens, 7 sensitive, L = 10: random order 10*50*7/100; marked tokens first 10*(2 + 45*5/95), and 10*5*2/5
	if row.UA["50"] != 35 || math.Abs(row.UAStar["50"]-(20+10*45*5./95)) > 1e-9 || row.UAStar["5"] != 20 {
		t.Errorf("U_A %v, U_A* %v", row.UA, row.UAStar)
	}
}

// Over-redacted words by kind are on the report's page and in the CSV alike.
func TestExperimentsReportSaysWhatIsLostByKindOfWord(t *testing.T) {
	r := oneReport(oneResult())
	r.Results[0].ByKind = []greedy.OverRedacted{{Kind: greedy.Number, Words: 40, Redacted: greedy.Estimate{Value: 3, Low: 1, High: 6}}, {Kind: greedy.OtherWord, Words: 90}}
	table := r.kindsTable()
	if want := []string{"mode, learner, L/C", "punctuation", "number", "common", "other"}; !slices.Equal(table.Head, want) {
		t.Errorf("the head is %q, want %q", table.Head, want)
	}
	if want := []string{"default, crf, 10", "-", "3 (1 to 6) of 40", "-", "0 of 90"}; len(table.Rows) != 1 || !slices.Equal(table.Rows[0], want) {
		t.Errorf("the rows are %q, want %q", table.Rows, want)
	}
	var page, lines bytes.Buffer
	if err := chart.WriteReport(t.Context(), &page, r.Page()); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteCSV(&lines); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "3 (1 to 6) of 40") || !strings.Contains(lines.String(), ",number,kind_gone,3,1,6,") {
		t.Errorf("numbers are missing on the page or in\n%s", lines.String())
	}
}

func TestExperimentsCSVHasALinePerFigure(t *testing.T) {
	var out bytes.Buffer
	r := oneReport(oneResult())
	r.Results[0].Attackers = []attackerRow{attackerRowOf(attack.Result{Kind: "transfer", Learner: "svm", Points: []attack.Point{{Budget: 25, Found: 3.5}}})}
	r.Results[0].ByLabel = []labelRow{{Label: "a,b", Left: 4, LeftInterval: [2]float64{3, 6}, LeftAtMost: 7}}
	if err := r.WriteCSV(&out); err != nil {
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

// More labels than a tagger can distinguish are refused before training, unless the
// sensitive ones are named.
func TestTenThousandLabelsAreRefusedUnlessSomeAreNamed(t *testing.T) {
	notes := make([]annotate.Annotated, 1000)
	for i := range notes {
		notes[i].Text = strings.Repeat("name ", 10)
		for k := range 10 {
			start := annotate.ByteOff(5 * k)
			notes[i].Spans = append(notes[i].Spans, annotate.Span{Start: start, End: start + 4, Label: annotate.Label(fmt.Sprintf("L%d", 10*i+k))})
		}
	}
	if err := CheckLabels(notes, nil); err == nil || !strings.Contains(err.Error(), "10000 sensitive labels, at most 1000 are supported") {
		t.Errorf("error is %v", err)
	}
	some := []annotate.Label{"L0", "L9999"}
	docs := lab.Sensitive(notes, some)
	if err := CheckLabels(notes, some); err != nil || len(docs) != 1000 || len(lab.SensitiveLabels(docs)) != 2 {
		t.Errorf("%d documents, labels %v, error %v", len(docs), lab.SensitiveLabels(docs), err)
	}
	if err := CheckLabels(notes, []annotate.Label{"LO"}); err == nil {
		t.Error("a label that no note has was accepted")
	}
}

func TestAttackersOfAnExperimentAreTrainedOnAllWords(t *testing.T) {
	for _, attackers := range [][]string{nil, {"bayes", "crf"}} {
		o := Table().Default()
		o.Learners, o.Sampling.O, o.AttackLearners = []string{"bayes", "crf"}, 0.2, attackers
		p, err := newPlan(o)
		if err != nil {
			t.Fatal(err)
		}
		for who, want := range map[string]float64{"publisher": 0.2, "attacker": 0} {
			learners := p.trial.Learners
			if who == "attacker" {
				learners = p.attackLearners
			}
			if len(learners) != 2 || learners[0].(greedy.Bayes).Options.Sampling.O != want || learners[1].(greedy.CRF).Options.Sampling.O != want {
				t.Errorf("%v: the %s is trained with %+v", attackers, who, learners)
			}
		}
	}
}

func TestEveryOptionHasHelpAndADefaultThatItTakes(t *testing.T) {
	table := Table()
	o := table.Default()
	if problems := table.Check(&o); len(problems) > 0 {
		t.Errorf("defaults are refused: %v", problems)
	}
	if err := o.Check(); err != nil {
		t.Errorf("defaults are refused: %v", err)
	}
	seen := map[string]bool{}
	for _, o := range table {
		if o.Help == "" || seen[o.Name] {
			t.Errorf("%s has no help or a duplicate name", o.Name)
		}
		seen[o.Name] = true
	}
}

// FuzzLists parses random input as each list option.
func FuzzLists(f *testing.F) {
	for _, s := range []string{"1,10,100", "0", "-1", "NaN", "1e308", "Inf", "", ",", " 2 , 3", "0x10", "1e-300", "25,50", "all", "A,B-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		read := func(name string) (Options, bool) {
			var o Options
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			flags.SetOutput(io.Discard)
			Table().Bind(flags, &o)
			return o, flags.Parse([]string{"--" + name + "=" + list}) == nil
		}
		if o, ok := read("lc"); ok {
			for _, lc := range o.LC {
				if greedy.CheckLC(lc) != nil {
					t.Errorf("%q gives L/C %g", list, lc)
				}
			}
		}
		if o, ok := read("budget"); ok && slices.Min(o.Budgets) < 1 {
			t.Errorf("%q gives budgets %v", list, o.Budgets)
		}
		if o, ok := read("modes"); ok && len(o.Modes) > len(greedy.Modes()) {
			t.Errorf("%q gives modes %v", list, o.Modes)
		}
		if o, ok := read("sensitive"); ok && o.Sensitive == nil && list != "all" && strings.TrimSpace(list) != "" {
			t.Errorf("%q is read as all labels", list)
		}
	})
}

func TestCommandLineReadsBackInAShell(t *testing.T) {
	got := CommandLine([]string{"--in", "my notes.jsonl", "--lc", "1,10", "--out", "it's"})
	if want := `hide experiment --in 'my notes.jsonl' --lc 1,10 --out 'it'\''s'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

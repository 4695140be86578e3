// SPDX-License-Identifier: Apache-2.0

// Package lab has what experiments and benchmarks share: learners by name, external
// taggers, corpora with their sensitive spans, progress, and tables.
//
//	learners, programs, err := lab.Learners([]string{"crf", "outside:tagger --fast"}, options)
//	ctx, stop := lab.Within(ctx, programs)
//	defer stop()
//
// The experiments are in packages below: experiment measures GreedySanitize, bench
// measures speed and published tables, evaluate scores taggers, sweep publishes with many
// settings. They take notes in memory and return results that write themselves as text,
// CSV or a page.
package lab

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"hide/internal/annotate"
	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/learners"
	"hide/internal/option"
)

// Bar shows the progress of one task.
type Bar interface {
	Step(done, total int, detail string) // total 0 means unknown
	End()
}

// Progress starts a bar with a description of the task; nil shows nothing.
type Progress func(doing string) Bar

// Start returns a bar that can be used even when p is nil.
func (p Progress) Start(doing string) Bar {
	if p == nil {
		return silent{}
	}
	return p(doing)
}

type silent struct{}

func (silent) Step(int, int, string) {}
func (silent) End()                  {}

// Table is a writer of tab-terminated columns, aligned to the right.
func Table(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// WriteRows prints a table.
func WriteRows(w io.Writer, rows [][]string) {
	t := Table(w)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t")+"\t")
	}
	t.Flush() // an error shows in a later write to w
}

// CostWords: "missed PHI in times L: NAME=3; an over-redacted word in times C: number=2";
// "" when all costs are equal.
func CostWords(byLabel map[annotate.Label]float64, byKind greedy.Prices) string {
	var words []string
	if len(byLabel) > 0 {
		words = append(words, "a missed token in times L: "+timesWords(byLabel))
	}
	if len(byKind) > 0 {
		words = append(words, "an over-redacted word in times C: "+timesWords(byKind))
	}
	return strings.Join(words, "; ")
}

func timesWords[M ~map[K]float64, K ~string](times M) string {
	var words []string
	for k, v := range times {
		words = append(words, fmt.Sprintf("%s=%g", k, v))
	}
	slices.Sort(words)
	return strings.Join(words, ",")
}

// OverRedacted has the over-redacted words of one result, by kind.
type OverRedacted struct {
	Of   []string // cells that identify the result
	Lost []greedy.OverRedacted
}

// WriteOverRedacted prints over-redacted words by kind. Its first columns identify the
// results.
func WriteOverRedacted(w io.Writer, heads []string, results []OverRedacted) {
	fmt.Fprint(w, "\nover-redacted words, of all words of their kind that are not sensitive\n\n")
	rows := [][]string{slices.Clone(heads)}
	for _, k := range greedy.WordKinds() {
		rows[0] = append(rows[0], string(k))
	}
	for _, r := range results {
		row := slices.Clone(r.Of)
		for _, k := range greedy.WordKinds() {
			cell := "-"
			if i := slices.IndexFunc(r.Lost, func(l greedy.OverRedacted) bool { return l.Kind == k }); i >= 0 {
				cell = fmt.Sprintf("%.0f of %d", r.Lost[i].Redacted.Value, r.Lost[i].Words)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	WriteRows(w, rows)
}

// Attacked is what attackers find in one result.
type Attacked struct {
	Of []string // cells that identify the result
	By []attack.Result
}

// WriteAttackers prints what attackers find. Its first columns identify the results.
func WriteAttackers(w io.Writer, heads []string, results []Attacked) {
	var rows [][]string
	for _, r := range results {
		for _, a := range r.By {
			if rows == nil {
				rows = [][]string{append(slices.Clone(heads), "attacker", "with", "TP_A", "FP_A", "documents")}
				for _, p := range a.Points {
					rows[0] = append(rows[0], fmt.Sprintf("B=%d", p.Budget))
				}
			}
			row := append(slices.Clone(r.Of), string(a.Kind), a.Learner, fmt.Sprint(a.Marked.TP), fmt.Sprint(a.Marked.FP), fmt.Sprint(a.Documents))
			for _, p := range a.Points {
				row = append(row, fmt.Sprintf("%.1f", p.Found))
			}
			rows = append(rows, row)
		}
	}
	if rows == nil {
		return
	}
	fmt.Fprintln(w)
	WriteRows(w, rows)
	fmt.Fprintln(w, "TP_A, FP_A, documents: tokens that each marks rightly and wrongly; B: PHI among the first B tokens that each inspects")
}

// BoundHead has the columns of a table of bounds, after those that identify the result.
var BoundHead = []string{"theorem", "at most", "observed", "what that means", "with"}

// BoundCells are the cells of one bound.
func BoundCells(b greedy.Bound) []string {
	return []string{b.Theorem, chart.BoundNumber(b.Value), chart.BoundNumber(b.Observed), chart.BoundWords(b), chart.BoundConstants(b)}
}

// BoundsAbout explains a table of bounds.
const BoundsAbout = "theorems 3 and 5: sensitive tokens that the papers' attacker finds; 4 and 6: how many times as many as by reading at random; p, q, r, s and lambda: what lemma 4 and theorems 5 and 6 are made of, estimated"

// DimensionWords say which dimension theorems 5 and 6 assume; 0 is none that was stated.
func DimensionWords(vc float64) string {
	if vc == 0 {
		return "with the number of weights of the largest classifier plus 1 as the dimension of the class"
	}
	return fmt.Sprintf("with a dimension of %g", vc)
}

// Corpus is the size of a corpus (TKDE, table 2).
type Corpus struct {
	Documents   int          `json:"documents"`
	Patients    int          `json:"patients"`
	Tokens      int          `json:"tokens"`
	Sensitive   int          `json:"sensitive"`
	Informative int          `json:"informative"` // sensitive tokens that are neither punctuation nor common words
	Names       int          `json:"names"`       // sensitive spans
	ByLabel     []LabelCount `json:"by_label"`
}

// LabelCount is the size of one label.
type LabelCount struct {
	Label     annotate.Label `json:"label"`
	Sensitive int            `json:"sensitive"`
	Spans     int            `json:"spans"`
}

// CorpusOf counts documents.
func CorpusOf(docs []annotate.Note) Corpus {
	c := Corpus{Documents: len(docs), Patients: Patients(docs)}
	labels := map[annotate.Label]*LabelCount{}
	for i := range docs {
		c.Tokens += len(docs[i].Words)
		c.count(&docs[i], labels)
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		c.ByLabel = append(c.ByLabel, *labels[name])
	}
	return c
}

// count adds the sensitive tokens and spans of a document.
func (c *Corpus) count(d *annotate.Note, labels map[annotate.Label]*LabelCount) {
	seen := map[int]bool{}
	for x, sensitive := range d.Sensitive {
		if !sensitive {
			continue
		}
		l := labels[d.Labels[x]]
		if l == nil {
			l = &LabelCount{Label: d.Labels[x]}
			labels[d.Labels[x]] = l
		}
		c.Sensitive++
		l.Sensitive++
		if greedy.Informative(d.Words[x]) {
			c.Informative++
		}
		if !seen[d.SpanOf[x]] {
			seen[d.SpanOf[x]] = true
			c.Names++
			l.Spans++
		}
	}
}

// Patients counts the patients of documents. A document without a known patient counts as
// one.
func Patients(docs []annotate.Note) int {
	known := map[string]bool{}
	for _, d := range docs {
		known[d.Group] = true
	}
	return len(known)
}

// Sensitive keeps the spans of the given labels, nil for all.
func Sensitive(notes []annotate.Annotated, labels []annotate.Label) []annotate.Note {
	docs := make([]annotate.Note, len(notes))
	for i, n := range notes {
		docs[i] = annotate.NewNote(n).Only(func(l annotate.Label) bool { return labels == nil || slices.Contains(labels, l) })
	}
	return docs
}

// SensitiveLabels are the sensitive labels of documents, sorted.
func SensitiveLabels(docs []annotate.Note) []annotate.Label {
	used := map[annotate.Label]bool{}
	for _, d := range docs {
		for _, l := range d.Labels {
			used[l] = true
		}
	}
	delete(used, "")
	return slices.Sorted(maps.Keys(used))
}

// LearnersHelp lists the learners that [Learners] knows.
func LearnersHelp() string {
	var rows []string
	for _, entry := range learners.Table() {
		rows = append(rows, entry.Name+" ("+entry.About+")")
	}
	return strings.Join(rows, "; ") +
		"; " + OutsidePrefix + "COMMAND, " + outsideHelp + "; " + ONNXPrefix + "FOLDER, " + onnxHelp
}

// What the two types of outside taggers are.
const (
	outsideHelp = "a program of your own that reads {\"id\",\"text\"} and answers {\"id\",\"spans\"} or {\"id\",\"scores\"} line by line, as hide tag does, split at blanks and run without a shell"
	onnxHelp    = "a token classifier in the ONNX format with its tokenizer, run in programs built with -tags onnx"
)

// OutsideChoices describe the names of learners that were trained elsewhere.
func OutsideChoices() []option.Choice {
	return []option.Choice{{Value: OutsidePrefix + "COMMAND", Help: outsideHelp}, {Value: ONNXPrefix + "FOLDER", Help: onnxHelp}}
}

// IsOutside reports whether a learner was trained elsewhere.
func IsOutside(name string) bool {
	return strings.HasPrefix(name, OutsidePrefix) || strings.HasPrefix(name, ONNXPrefix)
}

// Learners makes the learners with these names. It also returns the external taggers among
// them separately, for [Within].
func Learners(names []string, o learners.Options) (all []greedy.Learner, programs []*Outside, err error) {
	for _, name := range names {
		l, err := Learner(strings.TrimSpace(name), o)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(all, func(other greedy.Learner) bool { return other.Name() == l.Name() }) {
			return nil, nil, fmt.Errorf("%s is named twice", l.Name())
		}
		if program, is := l.(*Outside); is {
			programs = append(programs, program)
		}
		all = append(all, l)
	}
	return all, programs, nil
}

// Elsewhere makes learners that were trained elsewhere, and refuses others.
func Elsewhere(names []string) (all []greedy.Learner, programs []*Outside, err error) {
	all, programs, err = Learners(names, learners.Options{})
	if err == nil && len(programs) < len(all) {
		err = fmt.Errorf("name a learner that was trained elsewhere, %sCOMMAND or %sFOLDER", OutsidePrefix, ONNXPrefix)
	}
	return all, programs, err
}

// Learner makes the learner of that name.
func Learner(name string, o learners.Options) (greedy.Learner, error) {
	if command, is := strings.CutPrefix(name, OutsidePrefix); is {
		return NewOutside(command)
	}
	if folder, is := strings.CutPrefix(name, ONNXPrefix); is {
		return NewONNX(folder)
	}
	return learners.New(name, o)
}

// Classes are the hypothesis classes of the learners: one with all of them, or one for
// each.
func Classes(learners []greedy.Learner, together bool) [][]greedy.Learner {
	if together {
		return [][]greedy.Learner{learners}
	}
	out := make([][]greedy.Learner, len(learners))
	for i, l := range learners {
		out[i] = []greedy.Learner{l}
	}
	return out
}

// ClassName joins the names of a class with +, for the name of a result.
func ClassName(class []greedy.Learner) string {
	names := make([]string, len(class))
	for i, l := range class {
		names[i] = l.Name()
	}
	return strings.Join(names, "+")
}

// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/greedy/drift"
	"hide/internal/hospital"
	"hide/internal/lab"
	"hide/internal/option"
)

// TrainingOptions configure [Training].
type TrainingOptions struct {
	Notes    []int
	Policies []string
	Test     int
	Seed     uint64
}

// The policies that [Training] compares.
const (
	trainOnSample = "sample" // a bounded sample, a check after a tenth more notes
	trainOnAll    = "all"    // all notes, a check after each
)

// TrainingTable declares the options of [Training].
var TrainingTable = option.Table[TrainingOptions]{
	option.Wholes(option.About{Name: "notes", Default: "50,500,2000", Value: "NUMBERS", Help: "Numbers of finished notes.", In: option.Command},
		option.AtLeast(10), func(o *TrainingOptions) *[]int { return &o.Notes }),
	option.Some(option.About{Name: "policies", Default: "sample,all", Value: "POLICIES", Help: "What a finished note costs by sample (a bounded sample, a check after a tenth more notes) or all (all notes, a check after each).", In: option.Command},
		[]option.Choice{{Value: trainOnSample, Help: "a bounded sample, a check after a tenth more notes"}, {Value: trainOnAll, Help: "all notes, a check after each"}}, func(o *TrainingOptions) *[]string { return &o.Policies }),
	option.Whole(option.About{Name: "test", Default: "150", Value: "N", Help: "Score on notes of N other patients.", In: option.Command},
		option.AtLeast(1), func(o *TrainingOptions) *int { return &o.Test }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "N", Help: "N decides the notes.", In: option.Command}, func(o *TrainingOptions) *uint64 { return &o.Seed }),
}

// TrainingResult is what one more finished note costs, by number of notes and policy.
type TrainingResult struct {
	Processors int            `json:"processors"`
	Rows       []trainingCost `json:"rows"`
}

// trainingCost is the cost of one finished note. CPU seconds are of the whole process.
type trainingCost struct {
	Policy  string  `json:"policy"`
	Notes   int     `json:"notes"`   // finished, with the last one
	Trained int     `json:"trained"` // that the model is trained on
	Tokens  int     `json:"tokens"`
	First   float64 `json:"first_cpu_seconds"` // the first training, once after each start of the program
	Train   float64 `json:"train_cpu_seconds"` // the training after the last note
	Check   float64 `json:"check_cpu_seconds"` // a whole check
	Share   float64 `json:"checks_per_note"`   // by the policy
	Score   float64 `json:"score_cpu_seconds"` // of the open notes that a model scores
	CPU     float64 `json:"note_cpu_seconds"`  // of all these by one finished note
	Peak    float64 `json:"peak_mib"`          // of the process
	F1      float64 `json:"token_f1"`
	Recall  float64 `json:"recall"`
}

// checksPerGrowth over the number of notes is the number of checks a note: there is one
// after each tenth more notes.
const checksPerGrowth = 10

// checkIterations and checkFolds are those of the checks of a project.
const (
	checkIterations = 60
	checkFolds      = 3
)

// Training measures what one more finished note costs in a project of generated notes.
func Training(ctx context.Context, o TrainingOptions, progress lab.Progress) (*TrainingResult, error) {
	b := &TrainingResult{Processors: runtime.GOMAXPROCS(0)}
	test := generatedNotes(o.Test, -1, o.Seed+1)
	for _, n := range slices.Sorted(slices.Values(o.Notes)) {
		docs := generatedNotes(n, n, o.Seed)
		for _, policy := range o.Policies {
			bar := progress.Start(fmt.Sprintf("%d notes, policy %s", n, policy))
			row, err := finishedNote(ctx, policy, docs, test)
			bar.End()
			if err != nil {
				return nil, fmt.Errorf("%d notes, policy %s: %w", n, policy, err)
			}
			b.Rows = append(b.Rows, row)
		}
	}
	return b, nil
}

// generatedNotes are notes of so many patients, in random order, at most n of them unless n is
// negative.
func generatedNotes(patients, n int, seed uint64) []annotate.Note {
	var docs []annotate.Note
	for note := range hospital.Generate(hospital.Options{Patients: patients, Seed: seed}) {
		docs = append(docs, annotate.NewNote(note))
	}
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	if n >= 0 {
		docs = docs[:min(n, len(docs))]
	}
	return docs
}

func finishedNote(ctx context.Context, policy string, docs, test []annotate.Note) (trainingCost, error) {
	row := trainingCost{Policy: policy, Notes: len(docs), Share: 1}
	before, after := docs[:len(docs)-1], docs
	workers := runtime.GOMAXPROCS(0)
	if policy == trainOnSample {
		before = sampled(before)
		after = append(slices.Clone(before), docs[len(docs)-1])
		row.Share, workers = min(1, checksPerGrowth/float64(len(docs))), max(1, workers-1)
	}
	row.Trained = len(after)
	resetPeak()
	trainer, err := crf.NewTrainer(crf.Options{Features: crf.Default, Workers: workers})
	if err != nil {
		return row, err
	}
	start := readClocks()
	if _, _, err = trainer.Train(ctx, annotate.Views(before)); err != nil {
		return row, err
	}
	row.First, _ = readClocks().since(start)
	start = readClocks()
	model, stats, err := trainer.Train(ctx, annotate.Views(after))
	if err != nil {
		return row, err
	}
	row.Tokens = stats.Tokens
	row.Train, _ = readClocks().since(start)
	start = readClocks()
	for _, d := range test[:min(len(test), bootstrap.LookSample)] {
		bootstrap.LookAt(model, d.View())
	}
	row.Score, _ = readClocks().since(start)
	start = readClocks()
	groups := make([]string, len(after))
	for i, d := range after {
		groups[i] = d.Group
	}
	if _, err = crf.CrossValidate(ctx, annotate.Views(after), groups, checkFolds, 1, crf.Options{Features: crf.Default, MaxIterations: checkIterations, Workers: workers}); err != nil {
		return row, err
	}
	row.Check, _ = readClocks().since(start)
	row.Peak = PeakMiB()
	row.CPU = row.Train + row.Score + row.Share*row.Check
	var read []score.Prediction
	for i := range test {
		v := test[i].View()
		read = append(read, score.Prediction{Note: v.Note, Predicted: model.Tag(v), Probability: model.Sensitive(v)})
	}
	report := score.Of(read, score.Options{})
	row.F1, row.Recall = report.Token.Micro.F1, report.Binary.Recall
	return row, nil
}

// sampled are the notes that a project's model trains on.
func sampled(docs []annotate.Note) []annotate.Note {
	bound := bootstrap.Bound{Notes: bootstrap.SampleNotes, Tokens: bootstrap.SampleTokens}
	all, tokens := make([]bootstrap.Finished, len(docs)), 0
	for i, d := range docs {
		all[i] = bootstrap.Finished{Number: i + 1, Group: d.Group, Kind: drift.KindOf(d.Attributes), Tokens: len(d.Words)}
		for _, s := range d.Spans {
			all[i].Labels = append(all[i].Labels, s.Label)
		}
		slices.Sort(all[i].Labels)
		all[i].Labels = slices.Compact(all[i].Labels)
		tokens += len(d.Words)
	}
	if bound.Holds(len(docs), tokens) {
		return docs
	}
	at, _ := bootstrap.Sample(all, bound)
	chosen := make([]annotate.Note, len(at))
	for i, k := range at {
		chosen[i] = docs[k]
	}
	return chosen
}

// resetPeak makes [PeakMiB] start again, on Linux.
func resetPeak() {
	runtime.GC()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// Write prints the result as text.
func (b *TrainingResult) Write(w io.Writer) {
	fmt.Fprintf(w, "one more finished note; %d processors\n\n", b.Processors)
	t := lab.Table(w)
	fmt.Fprint(t, "policy\tnotes\ttrained on\tCPU s a note\ttraining\tscoring\tcheck\tchecks a note\tfirst training\tMiB\ttoken F1\trecall\t\n")
	for _, r := range b.Rows {
		fmt.Fprintf(t, "%s\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.3f\t%.1f\t%.0f\t%.4f\t%.4f\t\n",
			r.Policy, r.Notes, r.Trained, r.CPU, r.Train, r.Score, r.Check, r.Share, r.First, r.Peak, r.F1, r.Recall)
	}
	_ = t.Flush()
}

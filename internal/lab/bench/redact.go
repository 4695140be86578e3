// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"hide/internal/annotate"
	"hide/internal/hint"
	"hide/internal/hospital"
	"hide/internal/lab"
	"hide/internal/ndjson"
	"hide/internal/option"
	"hide/internal/parallel"
	"hide/internal/publish"
)

// RedactOptions configure [Redact].
type RedactOptions struct {
	Bundle  *publish.Bundle // nil trains one on generated notes
	File    string          // notes as hide redact reads them; "" generates some
	Tokens  int             // of generated notes
	Train   int             // generated notes that the bundle is trained on
	Workers []int
	Runs    int
	Seed    uint64
}

// RedactTable declares the options of [Redact].
var RedactTable = option.Table[RedactOptions]{
	option.Text(option.About{Name: "in", Value: "FILE", Help: "Notes as hide redact reads them, one JSON object a line, read anew for each run; without it notes are generated.", In: option.Command},
		func(o *RedactOptions) *string { return &o.File }),
	option.Whole(option.About{Name: "tokens", Default: "200000", Value: "N", Help: "Generate notes of N tokens.", In: option.Command, Needs: []option.Need{option.Without("in")}},
		option.AtLeast(1), func(o *RedactOptions) *int { return &o.Tokens }),
	option.Whole(option.About{Name: "train", Default: "200", Value: "N", Help: "Without --bundle: train the detector on N generated notes of other patients.", In: option.Command},
		option.AtLeast(10), func(o *RedactOptions) *int { return &o.Train }),
	option.Wholes(option.About{Name: "workers", Default: "1,2", Value: "NUMBERS", Help: "Redact N notes at a time on N processors.", In: option.Command},
		option.AtLeast(1), func(o *RedactOptions) *[]int { return &o.Workers }),
	option.Whole(option.About{Name: "runs", Default: "3", Value: "N", Help: "Run each number of workers N times, in turn, and take the median.", In: option.Command},
		option.AtLeast(1), func(o *RedactOptions) *int { return &o.Runs }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "N", Help: "N decides generated notes and training.", In: option.Command}, func(o *RedactOptions) *uint64 { return &o.Seed }),
}

// RedactResult is the speed of redaction by number of workers, and where the time goes.
type RedactResult struct {
	Bundle       string       `json:"bundle_sha256"`
	Output       string       `json:"output_sha256"` // of every run
	Notes        int          `json:"notes"`
	Tokens       int          `json:"tokens"`
	Bytes        int64        `json:"input_bytes"`
	Processors   int          `json:"processors"`
	Architecture string       `json:"architecture"`
	Workers      []redactRate `json:"workers"`
	Peak         float64      `json:"peak_mib"` // of all runs; 0 where the system does not report it
	Samples      int          `json:"samples"`  // of the run that Stages come from
	Stages       []stageShare `json:"stages"`
}

// redactRate is the median run of a number of workers.
type redactRate struct {
	Workers int       `json:"workers"`
	Tokens  float64   `json:"tokens_per_second"`
	Notes   float64   `json:"notes_per_second"`
	PerCPU  float64   `json:"tokens_per_cpu_second"` // by processor time, garbage collection included
	Wall    float64   `json:"wall_seconds"`
	Runs    []float64 `json:"runs_tokens_per_second"`
	Peak    float64   `json:"peak_mib"`
}

// redactRun is one run.
type redactRun struct{ wall, cpu, peak float64 }

// Redact measures hide redact on lines of notes: the whole work from a line to its answer,
// with the models as read from their file, so that their caches are empty. The runs of the
// numbers of workers take turns, because other work on the machine comes and goes.
func Redact(ctx context.Context, o RedactOptions, progress lab.Progress) (*RedactResult, error) {
	b, err := newRedactBench(ctx, o, progress)
	if err != nil {
		return nil, err
	}
	if err := b.measure(ctx, o, progress); err != nil {
		return nil, err
	}
	return &b.result, b.sampleStages(ctx, progress)
}

// redactBench is the work of [Redact].
type redactBench struct {
	bundle []byte // its file
	file   string // of notes, for errors
	open   func() (io.ReadCloser, error)
	result RedactResult
}

// newRedactBench reads the notes before it trains: a mistake in their file shows at once.
func newRedactBench(ctx context.Context, o RedactOptions, progress lab.Progress) (*redactBench, error) {
	b := &redactBench{result: RedactResult{Processors: runtime.NumCPU(), Architecture: runtime.GOARCH}}
	err := b.useNotes(o)
	if err == nil {
		err = b.count(ctx)
	}
	if err == nil && o.Bundle == nil {
		o.Bundle, err = trainedBundle(ctx, o, progress)
	}
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := o.Bundle.Encode(&file); err != nil {
		return nil, err
	}
	b.bundle = file.Bytes()
	sum := sha256.Sum256(b.bundle)
	b.result.Bundle = hex.EncodeToString(sum[:])
	return b, nil
}

func (b *redactBench) useNotes(o RedactOptions) error {
	if o.File != "" {
		b.useFile(o.File)
		return nil
	}
	lines, err := generatedLines(o.Tokens, o.Seed)
	b.file, b.open = "generated notes", func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(lines)), nil }
	return err
}

func (b *redactBench) useFile(name string) {
	b.file, b.open = name, func() (io.ReadCloser, error) { return os.Open(name) }
}

// generatedLines are generated notes with at least n tokens, as hide redact reads them.
func generatedLines(n int, seed uint64) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for note := range hospital.Generate(hospital.Options{Patients: n, Seed: seed}) {
		if err := enc.Encode(ndjson.Doc{ID: &note.Name, Text: &note.Text}); err != nil {
			return nil, err
		}
		if n -= len(annotate.Tokenize(note.Text)); n <= 0 {
			break
		}
	}
	return b.Bytes(), nil
}

// read opens the input for work.
func (b *redactBench) read(work func(in io.Reader) error) error {
	in, err := b.open()
	if err != nil {
		return err
	}
	err = work(in)
	return errors.Join(err, in.Close())
}

// count reads the input once: its notes, tokens and bytes.
func (b *redactBench) count(ctx context.Context) error {
	b.result.Notes, b.result.Tokens = 0, 0
	return b.read(func(in io.Reader) error {
		counted := &byteCounter{in: in}
		o := b.options(1)
		o.Refused = func(r *ndjson.Refusal) error {
			return hint.Add(fmt.Errorf("%s, %s: %s", b.file, r.Record, r.Reason), r.Hint)
		}
		err := ndjson.Filter(ctx, counted, io.Discard, o, func(d ndjson.Doc) any {
			b.result.Notes++
			b.result.Tokens += len(annotate.Tokenize(*d.Text))
			return nil
		})
		b.result.Bytes = counted.n
		if err == nil && b.result.Tokens == 0 {
			err = fmt.Errorf("%s: the notes have no words", b.file)
		}
		return err
	})
}

func (b *redactBench) options(workers int) ndjson.Options {
	return ndjson.Options{Bound: parallel.Bound{Workers: workers}, Place: func(line int, _ int64) string { return fmt.Sprintf("%s, line %d", b.file, line) }}
}

type byteCounter struct {
	in io.Reader
	n  int64
}

func (c *byteCounter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}

// measure runs the numbers of workers in turn.
func (b *redactBench) measure(ctx context.Context, o RedactOptions, progress lab.Progress) error {
	bar := progress.Start("redacting, run")
	defer bar.End()
	numbers := slices.Compact(slices.Sorted(slices.Values(o.Workers)))
	runs := make([][]redactRun, len(numbers))
	for n := range o.Runs {
		for i, workers := range numbers {
			bar.Step(n*len(numbers)+i, o.Runs*len(numbers), fmt.Sprintf("%d workers", workers))
			r, err := b.run(ctx, workers, workers, func() {})
			if err != nil {
				return err
			}
			runs[i] = append(runs[i], r)
		}
	}
	for i, workers := range numbers {
		b.result.Workers = append(b.result.Workers, b.rate(workers, runs[i]))
		b.result.Peak = max(b.result.Peak, b.result.Workers[i].Peak)
	}
	return nil
}

// run redacts the input once, with empty caches. It calls begin when the bundle is read.
func (b *redactBench) run(ctx context.Context, workers, processors int, begin func()) (r redactRun, err error) {
	bundle, err := publish.Decode(bytes.NewReader(b.bundle))
	if err != nil {
		return r, err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	sum := sha256.New()
	debug.FreeOSMemory() // of training and of the run before
	resetPeak()
	begin()
	began := readClocks()
	err = b.read(func(in io.Reader) error {
		_, err := bundle.Lines(ctx, in, sum, b.options(workers))
		return err
	})
	r.cpu, r.wall = readClocks().since(began)
	r.peak = PeakMiB()
	if err != nil {
		return r, err
	}
	output := hex.EncodeToString(sum.Sum(nil))
	if b.result.Output = cmp.Or(b.result.Output, output); b.result.Output != output {
		return r, fmt.Errorf("with %d workers the output differs from that of the first run", workers)
	}
	return r, nil
}

func (b *redactBench) rate(workers int, runs []redactRun) redactRate {
	tokens, notes := float64(b.result.Tokens), float64(b.result.Notes)
	rate := redactRate{Workers: workers}
	for _, r := range runs {
		rate.Runs = append(rate.Runs, tokens/r.wall)
		rate.Peak = max(rate.Peak, r.peak)
	}
	slices.SortFunc(runs, func(a, b redactRun) int { return cmp.Compare(a.wall, b.wall) })
	median := runs[len(runs)/2]
	rate.Wall, rate.Tokens, rate.Notes = median.wall, tokens/median.wall, notes/median.wall
	if median.cpu > 0 {
		rate.PerCPU = tokens / median.cpu
	}
	return rate
}

// Write prints the result as text.
func (r *RedactResult) Write(w io.Writer) {
	fmt.Fprintf(w, "%d notes, %d tokens, %.1f MB; %d processors\n\n", r.Notes, r.Tokens, float64(r.Bytes)/1e6, r.Processors)
	t := lab.Table(w)
	fmt.Fprint(t, "workers\ttokens/s\tnotes/s\ttokens/CPU s\tseconds\tMiB at most\t\n")
	for _, x := range r.Workers {
		fmt.Fprintf(t, "%d\t%.0f\t%.1f\t%.0f\t%.2f\t%.0f\t\n", x.Workers, x.Tokens, x.Notes, x.PerCPU, x.Wall, x.Peak)
	}
	_ = t.Flush()
	fmt.Fprintf(w, "\nwhere the time of one worker goes, by %d samples of its stack\n\n", r.Samples)
	t = lab.Table(w)
	fmt.Fprint(t, "stage\tshare\tus a token\t\n")
	for _, s := range r.Stages {
		fmt.Fprintf(t, "%s\t%.1f %%\t%.3f\t\n", s.Stage, 100*s.Share, s.Micros)
	}
	_ = t.Flush()
}

// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"cmp"
	"context"
	"runtime"
	"strings"
	"time"

	"hide/internal/lab"
)

// stageShare is the part of a stage in the time of one worker.
type stageShare struct {
	Stage  string  `json:"stage"`
	Share  float64 `json:"share"`
	Micros float64 `json:"microseconds_per_token"` // of processor time, garbage collection included
}

// The stages of redacting a note.
const (
	stageRead     = "read and write"
	stageTokenise = "tokenise"
	stageKnown    = "known identifiers"
	stageBase     = "base learners"
	stageSecond   = "second stage"
	stageLabels   = "labels"
	stageReplace  = "replace"
)

// redactStages is the order of the stages in a result.
var redactStages = []string{stageRead, stageTokenise, stageKnown, stageBase, stageSecond, stageLabels, stageReplace}

// stageFunctions say which functions belong to which stage, by the beginning of their
// names. The innermost function of a stack that is in the table decides.
var stageFunctions = []struct{ function, stage string }{
	{"hide/internal/ndjson.", stageRead},
	{"hide/internal/annotate.NewNote", stageTokenise},
	{"hide/internal/publish.FindKnown", stageKnown},
	{"hide/internal/greedy.Ensemble.RedactAll", stageBase},
	{"hide/internal/greedy/detect.newEvidence", stageSecond},
	{"hide/internal/greedy/detect.newBatch", stageSecond},
	{"hide/internal/greedy/detect.(*batch).", stageSecond},
	{"hide/internal/publish.(*Bundle).label", stageLabels},
	{"hide/internal/publish.", stageReplace},
}

// stageOf is the stage of a stack, "" for one that waits or does not redact.
func stageOf(stack []uintptr) string {
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		if f.Function == "runtime.gopark" {
			return ""
		}
		for _, row := range stageFunctions {
			if strings.HasPrefix(f.Function, row.function) {
				return row.stage
			}
		}
		if !more {
			return ""
		}
	}
}

// sampleEvery is the time between two samples. Stopping all goroutines for one takes about
// a fiftieth of it.
const sampleEvery = time.Millisecond

// sampleStages redacts once more with one worker, and looks at its stack every
// millisecond. That costs the packages that redact no clock and no hook. The samples are
// taken on a second processor; garbage collection beside the worker is in no stage.
func (b *redactBench) sampleStages(ctx context.Context, progress lab.Progress) error {
	bar := progress.Start("redacting, for the stages")
	defer bar.End()
	s := &sampler{make(chan struct{}), make(chan map[string]int, 1)}
	r, err := b.run(ctx, 1, 2, func() { go s.watch() })
	if err != nil {
		close(s.stop)
		return err
	}
	seen := s.end()
	for _, n := range seen {
		b.result.Samples += n
	}
	for _, stage := range redactStages {
		share := float64(seen[stage]) / float64(max(1, b.result.Samples))
		b.result.Stages = append(b.result.Stages, stageShare{stage, share, share * cmp.Or(r.cpu, r.wall) * 1e6 / float64(b.result.Tokens)})
	}
	return nil
}

// sampler counts the stages of the goroutines that redact.
type sampler struct {
	stop chan struct{}
	seen chan map[string]int
}

func (s *sampler) watch() {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	seen, stacks := map[string]int{}, make([]runtime.StackRecord, 64)
	for {
		select {
		case <-tick.C:
			n, whole := runtime.GoroutineProfile(stacks)
			if !whole {
				stacks = make([]runtime.StackRecord, 2*n)
				continue
			}
			for _, r := range stacks[:n] {
				if stage := stageOf(r.Stack()); stage != "" {
					seen[stage]++
				}
			}
		case <-s.stop:
			s.seen <- seen
			return
		}
	}
}

// end stops the sampler and returns the samples by stage.
func (s *sampler) end() map[string]int {
	close(s.stop)
	return <-s.seen
}

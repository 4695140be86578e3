// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/outside"
	"hide/internal/ndjson"
)

// OutsidePrefix starts the name of a learner that is an external command.
const OutsidePrefix = "outside:"

// Limits of an external tagger.
const (
	outsideWait  = 2 * time.Minute // for one answer, including the first, for which a tagger may load a model
	outsideEnd   = 5 * time.Second // to exit after its input is closed
	outsideKnown = 1 << 24         // scores cached
)

// Outside is an external command that tags: a fixed classifier behind [greedy.Learner]. It
// is started without a shell at the first query, reads one {"id","text"} a line and answers
// each with one line, which [ndjson.ParseAnswer] reads. hide tag is such a command.
//
// A classifier cannot return an error. The first failure therefore cancels the context of
// [Within], with the failure as its cause, and all later scores are 0.
type Outside struct {
	command []string
	wait    time.Duration
	fail    context.CancelCauseFunc
	ctx     context.Context // of the work it serves

	mu      sync.Mutex // guards the fields below; one query at a time
	process *exec.Cmd  // nil before the first query
	in      io.WriteCloser
	answers chan ndjson.Line
	asked   int
	known   map[[sha256.Size]byte][]float64 // by text
	room    int                             // for further cached scores
	failure error                           // the first
}

var (
	_ greedy.Learner    = (*Outside)(nil)
	_ greedy.Classifier = (*Outside)(nil)
)

// NewOutside splits a command at blanks. The program must exist.
func NewOutside(command string) (*Outside, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, errors.New("no command is given")
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("no program %q", words[0])
	}
	return &Outside{command: words, wait: outsideWait, known: map[[sha256.Size]byte][]float64{}, room: outsideKnown}, nil
}

// Within prepares the taggers for work under ctx. It returns the context to work with and
// a function that stops the taggers.
func Within(ctx context.Context, taggers []*Outside) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	for _, o := range taggers {
		o.ctx, o.fail = ctx, cancel
	}
	return ctx, func() {
		for _, o := range taggers {
			o.stop()
		}
		cancel(nil)
	}
}

// Name is the command.
func (o *Outside) Name() string { return OutsidePrefix + strings.Join(o.command, " ") }

// Train calibrates the scores, which come from a fixed classifier.
func (o *Outside) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	return outside.Calibrate(ctx, o, views)
}

// Scores implements [greedy.Classifier]. Redacted tokens score 0.
func (o *Outside) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	text, tokens := v.Published()
	scores, err := o.ask(text)
	if err != nil {
		o.fail(fmt.Errorf("outside tagger %q: %w", o.command[0], err))
		return out
	}
	starts := ndjson.TokenStarts(text)
	for x, t := range tokens {
		if k, is := starts[t.Start]; is && !v.Hidden(x) {
			out[x] = scores[k]
		}
	}
	return out
}

// Hard implements [greedy.Classifier]: scores of at least 0.5.
func (o *Outside) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for x, p := range o.Scores(v) {
		out[x] = p >= 0.5
	}
	return out
}

// ask returns the tagger's score of each token of a text.
func (o *Outside) ask(text string) ([]float64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := sha256.Sum256([]byte(text))
	if scores, known := o.known[key]; known {
		return scores, nil
	}
	if o.failure != nil {
		return nil, o.failure
	}
	scores, err := o.question(text)
	if err != nil {
		o.failure = err
		return nil, err
	}
	if o.room >= len(scores) {
		o.known[key], o.room = scores, o.room-len(scores)
	}
	return scores, nil
}

// question starts the tagger if needed, and waits for its answer.
func (o *Outside) question(text string) ([]float64, error) {
	if o.process == nil {
		if err := o.start(); err != nil {
			return nil, err
		}
	}
	o.asked++
	id := strconv.Itoa(o.asked)
	go writeQuestion(o.in, id, text) // ends with the process at the latest
	timer := time.NewTimer(o.wait)
	defer timer.Stop()
	select {
	case a := <-o.answers:
		return o.answered(a, id, text)
	case <-timer.C:
		return nil, fmt.Errorf("document %s: no answer for %v", id, o.wait)
	case <-o.ctx.Done():
		return nil, o.ctx.Err()
	}
}

func (o *Outside) answered(a ndjson.Line, id, text string) ([]float64, error) {
	if errors.Is(a.Err, io.EOF) {
		return nil, fmt.Errorf("document %s: it ended without an answer", id)
	}
	if a.Err != nil {
		return nil, fmt.Errorf("document %s: read its answer: %w", id, a.Err)
	}
	scores, err := ndjson.ParseAnswer(a.Text, id, text)
	if err != nil {
		return nil, fmt.Errorf("document %s: its answer: %w", id, err)
	}
	return scores, nil
}

// start runs the command. Its standard error is discarded, because it may contain text of
// notes.
func (o *Outside) start() error {
	process := exec.CommandContext(o.ctx, o.command[0], o.command[1:]...)
	process.WaitDelay = outsideEnd
	in, errIn := process.StdinPipe()
	out, errOut := process.StdoutPipe()
	if err := errors.Join(errIn, errOut); err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return fmt.Errorf("it does not start: %w", err)
	}
	o.process, o.in, o.answers = process, in, make(chan ndjson.Line, 16)
	go ndjson.ReadLines(o.ctx, out, o.answers) // ends with the process or ctx
	return nil
}

// stop closes the input, which tells a tagger that no document follows, and kills a tagger
// that does not exit.
func (o *Outside) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failure = errors.New("its work has ended")
	if o.process == nil {
		return
	}
	_ = o.in.Close() // it may be closed
	kill := time.AfterFunc(outsideEnd, func() { _ = o.process.Process.Kill() })
	_ = o.process.Wait() // all answers are read; the exit status does not matter
	kill.Stop()
}

// writeQuestion reports no error: a tagger that does not read does not answer either.
func writeQuestion(w io.Writer, id, text string) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(ndjson.Doc{ID: &id, Text: &text})
}

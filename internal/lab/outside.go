// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/outside"
	"hide/internal/ndjson"
	"hide/internal/onnx"
)

// Prefixes of the names of learners that were trained elsewhere.
const (
	OutsidePrefix = "outside:" // an external command follows
	ONNXPrefix    = "onnx:"    // the folder of an ONNX model follows
)

// outsideKnown is how many scores are cached.
const outsideKnown = 1 << 24

// source scores texts. Its methods are called one at a time.
type source interface {
	// answer returns the score of each token of a text. id names the text in errors.
	answer(ctx context.Context, id, text string) ([]float64, error)
	stop()
}

// Outside is a tagger that was trained elsewhere: a fixed classifier, whose scores are
// calibrated on the training notes.
//
// A classifier cannot return an error. The first failure therefore cancels the context of
// [Within], with the failure as its cause, and all later scores are 0.
type Outside struct {
	name   string
	title  string // in errors, without arguments
	source source
	fail   context.CancelCauseFunc
	ctx    context.Context // of the work it serves

	mu      sync.Mutex // guards the fields below and the source; one query at a time
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
	p, err := newProgram(command)
	if err != nil {
		return nil, err
	}
	return newOutside(OutsidePrefix+strings.Join(p.command, " "), fmt.Sprintf("outside tagger %q", p.command[0]), p), nil
}

// NewONNX reads the tokenizer of a model in a folder. The model is opened at the first query.
func NewONNX(folder string) (*Outside, error) {
	if err := onnx.Check(folder); err != nil {
		return nil, err
	}
	return newOutside(ONNXPrefix+folder, fmt.Sprintf("ONNX model %q", folder), &network{folder: folder}), nil
}

func newOutside(name, title string, s source) *Outside {
	return &Outside{name: name, title: title, source: s, known: map[[sha256.Size]byte][]float64{}, room: outsideKnown}
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

// Name is the prefix and the command or folder.
func (o *Outside) Name() string { return o.name }

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
		o.fail(fmt.Errorf("%s: %w", o.title, err))
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
func (o *Outside) Hard(v annotate.View) []bool { return greedy.Likely(o.Scores(v)) }

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
	o.asked++
	scores, err := o.source.answer(o.ctx, strconv.Itoa(o.asked), text)
	if err != nil {
		o.failure = err
		return nil, err
	}
	if o.room >= len(scores) {
		o.known[key], o.room = scores, o.room-len(scores)
	}
	return scores, nil
}

func (o *Outside) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failure = errors.New("its work has ended")
	o.source.stop()
}

// network is a model in the process.
type network struct {
	folder string
	model  *onnx.Tagger // nil before the first query
}

func (n *network) answer(ctx context.Context, id, text string) (scores []float64, err error) {
	if n.model == nil {
		if n.model, err = onnx.Open(n.folder); err != nil {
			return nil, err
		}
	}
	if scores, err = n.model.Scores(text); err != nil {
		return nil, fmt.Errorf("document %s: %w", id, err)
	}
	return scores, ctx.Err()
}

func (n *network) stop() {
	if n.model != nil {
		_ = n.model.Close() // nothing depends on it any more
		n.model = nil
	}
}

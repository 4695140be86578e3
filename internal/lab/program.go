// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"hide/internal/ndjson"
)

// Limits of a program that tags.
const (
	outsideWait = 2 * time.Minute // for one answer, including the first, for which it may load a model
	outsideEnd  = 5 * time.Second // to exit after its input is closed
)

// program is an external command that tags. It is started without a shell at the first
// query, reads one {"id","text"} a line and answers each with one line, which
// [ndjson.ParseAnswer] reads. hide tag is such a command.
type program struct {
	command []string
	wait    time.Duration
	process *exec.Cmd // nil before the first query
	in      io.WriteCloser
	answers chan ndjson.Line
}

func newProgram(command string) (*program, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, errors.New("no command is given")
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("no program %q", words[0])
	}
	return &program{command: words, wait: outsideWait}, nil
}

// answer starts the program if needed, and waits for its answer.
func (p *program) answer(ctx context.Context, id, text string) ([]float64, error) {
	if p.process == nil {
		if err := p.start(ctx); err != nil {
			return nil, err
		}
	}
	go writeQuestion(p.in, id, text) // ends with the process at the latest
	timer := time.NewTimer(p.wait)
	defer timer.Stop()
	select {
	case a := <-p.answers:
		return answered(a, id, text)
	case <-timer.C:
		return nil, fmt.Errorf("document %s: no answer for %v", id, p.wait)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func answered(a ndjson.Line, id, text string) ([]float64, error) {
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
func (p *program) start(ctx context.Context) error {
	process := exec.CommandContext(ctx, p.command[0], p.command[1:]...)
	process.WaitDelay = outsideEnd
	in, errIn := process.StdinPipe()
	out, errOut := process.StdoutPipe()
	if err := errors.Join(errIn, errOut); err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return fmt.Errorf("it does not start: %w", err)
	}
	p.process, p.in, p.answers = process, in, make(chan ndjson.Line, 16)
	go ndjson.ReadLines(ctx, out, p.answers) // ends with the process or ctx
	return nil
}

// stop closes the input, which tells a tagger that no document follows, and kills a tagger
// that does not exit.
func (p *program) stop() {
	if p.process == nil {
		return
	}
	_ = p.in.Close() // it may be closed
	kill := time.AfterFunc(outsideEnd, func() { _ = p.process.Process.Kill() })
	_ = p.process.Wait() // all answers are read; the exit status does not matter
	kill.Stop()
}

// writeQuestion reports no error: a tagger that does not read does not answer either.
func writeQuestion(w io.Writer, id, text string) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(ndjson.Doc{ID: &id, Text: &text})
}

// SPDX-License-Identifier: Apache-2.0

package ndjson

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hide/internal/parallel"
)

// Options say how [Filter] works.
type Options struct {
	// Bound limits the documents that are worked on at a time, and those that wait for an
	// earlier one.
	Bound parallel.Bound
	// Refused is told of each line that cannot be read, in order. Its error ends the work;
	// nil goes on with the next line. Without it the first such line ends the work.
	Refused func(*Refusal) error
	// Place names a line in an error of its answer, by its number and the byte of the input
	// where it begins; without it that is "line 3 of standard input". With Place, errors of
	// the input itself must say where they are.
	Place func(line int, offset int64) string
}

// Refusal says why a record of the input cannot be read. It quotes nothing of it.
type Refusal struct {
	Record string `json:"record"` // "line 3"
	Offset int64  `json:"offset"` // byte of the input where it begins
	Code   string `json:"code"`   // class, stable: "encoding", "json", "identities", "line-too-long"
	Reason string `json:"reason"`
	Hint   string `json:"hint"` // what to do next
}

func (r *Refusal) Error() string { return r.Record + " of standard input: " + r.Reason }

// Filter answers each line of in with one on w, in order, as soon as it has it. It works on
// several documents at a time: answer must be safe for concurrent use, and its result must
// depend on the document alone. Then the output is the same for any number of workers.
//
// All answers before a line that ends the work have been written. When ctx ends, documents
// that were begun are answered. When Filter returns, nothing is worked on any more.
func Filter(ctx context.Context, in io.Reader, w io.Writer, o Options, answer func(Doc) any) error {
	lines := make(chan Line) // no buffer: a line that waits in it would be outside of the bound
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // lets ReadLines end, unless it waits for input that never comes
	go ReadLines(ctx, in, lines)
	f := &filter{queue: parallel.NewQueue[[]byte](o.Bound), out: bufio.NewWriterSize(w, 1<<16), refused: o.Refused, place: o.Place, answer: answer}
	defer f.queue.Close()
	err := f.run(ctx, lines)
	if failed := f.flush(); failed != nil && !errors.Is(err, errors.Unwrap(failed)) {
		err = errors.Join(err, failed)
	}
	return err
}

// filter is one run of [Filter].
type filter struct {
	queue   *parallel.Queue[[]byte]
	out     *bufio.Writer
	refused func(*Refusal) error
	place   func(line int, offset int64) string
	answer  func(Doc) any
	read    int // lines so far, with the one that could not be read
	ended   bool
}

func (f *filter) run(ctx context.Context, lines <-chan Line) error {
	for !f.ended || f.queue.Len() > 0 {
		next := lines
		if f.ended || f.queue.Full() {
			next = nil
		}
		select {
		case l := <-next:
			f.put(l)
		case <-f.queue.Oldest():
			if err := f.write(); err != nil {
				return err
			}
		case <-ctx.Done():
			return f.interrupted(ctx)
		}
	}
	return nil
}

func (f *filter) put(l Line) {
	f.read++
	n := f.read
	switch {
	case errors.Is(l.Err, io.EOF):
		f.ended = true
	case errors.Is(l.Err, ErrTooLong):
		f.queue.Put(0, func() ([]byte, error) {
			return nil, (&Refusal{Code: "line-too-long", Reason: l.Err.Error(), Hint: "split the note"}).at(n, l.Offset)
		})
	case l.Err != nil:
		f.ended = true
		f.queue.Put(0, func() ([]byte, error) { return nil, f.inputError(n, l.Err) })
	default:
		f.queue.Put(len(l.Text), func() ([]byte, error) { return f.answered(n, l) })
	}
}

// answered is the answer to line n. An error names the line.
func (f *filter) answered(n int, l Line) (answer []byte, err error) {
	var bad *Refusal
	err = parallel.Guard(func() (err error) {
		var d Doc
		if d, bad = ParseDoc(l.Text); bad == nil {
			answer, err = encode(f.answer(d))
		}
		return err
	})
	switch {
	case err != nil:
		return nil, f.answerError(n, l.Offset, err)
	case bad != nil:
		return nil, bad.at(n, l.Offset)
	}
	return answer, nil
}

func (f *filter) answerError(line int, offset int64, err error) error {
	if f.place == nil {
		return f.inputError(line, err)
	}
	return fmt.Errorf("%s: %w", f.place(line, offset), err)
}

func (f *filter) inputError(line int, err error) error {
	if f.place != nil {
		return err
	}
	return fmt.Errorf("line %d of standard input: %w", line, err)
}

func (r *Refusal) at(line int, offset int64) *Refusal {
	r.Record, r.Offset = fmt.Sprintf("line %d", line), offset
	return r
}

func encode(answer any) ([]byte, error) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	err := enc.Encode(answer)
	return line.Bytes(), err
}

// write writes the oldest answer, or tells of its refusal. It leaves no answer in the buffer
// while the next one is not there yet: its reader may wait for it.
func (f *filter) write() error {
	if err := f.take(); err != nil || f.queue.Ready() {
		return err
	}
	return f.flush()
}

func (f *filter) take() error {
	answer, err := f.queue.Take()
	if bad, is := errors.AsType[*Refusal](err); is {
		if f.refused == nil {
			return bad
		}
		return f.refused(bad)
	}
	if err != nil {
		return err
	}
	if _, err := f.out.Write(answer); err != nil {
		return fmt.Errorf("write answers: %w", err)
	}
	return nil
}

func (f *filter) flush() error {
	if err := f.out.Flush(); err != nil {
		return fmt.Errorf("write answers: %w", err)
	}
	return nil
}

// interrupted writes the answers to the documents that were begun.
func (f *filter) interrupted(ctx context.Context) error {
	f.queue.Close()
	for f.queue.Len() > 0 {
		if err := f.write(); err != nil {
			return errors.Join(ctx.Err(), err)
		}
	}
	return ctx.Err()
}

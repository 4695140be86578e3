// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync"

	"hide/internal/ndjson"
)

// lines answers each line of the pieces.
func (r *redaction) lines(ctx context.Context, w io.Writer) error {
	pieces := slices.Clone(r.pieces)
	if r.Format == Text {
		for i, p := range pieces {
			pieces[i] = p.asLine(r.Encoding)
		}
	}
	in := &joined{pieces: pieces}
	o := ndjson.Options{Bound: r.bound(), Refused: func(bad *ndjson.Refusal) error {
		return r.refuse(in.place(*bad), false)
	}, Place: func(line int, offset int64) string {
		return in.place(ndjson.Refusal{Record: fmt.Sprintf("line %d", line), Offset: offset}).place
	}}
	counts, err := r.bundle.Lines(ctx, in, w, o)
	r.counts.Notes, r.counts.Redactions = counts.Notes, counts.Redactions
	return err
}

// joined reads pieces as one stream. The last line of each one ends with a line feed, so that
// it does not run into the first line of the next one.
type joined struct {
	pieces []Piece
	open   io.ReadCloser // the piece that is being read; nil between two
	next   int           // the piece after it
	ended  bool          // the last byte was a line feed, or there was none in this piece
	at     int64         // bytes read

	lock   sync.Mutex // guards begins, which is also read while a reader waits
	begins []int64    // where pieces begin in the stream
}

func (j *joined) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		if j.open == nil {
			if err := j.begin(); err != nil {
				return 0, err
			}
		}
		n, err := j.open.Read(p)
		if n > 0 {
			j.at, j.ended = j.at+int64(n), p[n-1] == '\n'
			return n, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("read %s: %w", j.pieces[j.next-1].Name, err)
		}
		if err != nil {
			if n, err := j.end(p); n > 0 || err != nil {
				return n, err
			}
		}
	}
}

// begin opens the next piece.
func (j *joined) begin() (err error) {
	if j.next == len(j.pieces) {
		return io.EOF
	}
	j.open, err = j.pieces[j.next].Open()
	if err != nil {
		return err
	}
	j.next++
	j.ended = true
	j.lock.Lock()
	defer j.lock.Unlock()
	j.begins = append(j.begins, j.at)
	return nil
}

// end closes a piece, and ends its last line.
func (j *joined) end(p []byte) (n int, err error) {
	if !j.ended {
		p[0] = '\n'
		n, j.at = 1, j.at+1
	}
	err = j.open.Close()
	j.open = nil
	return n, err
}

// place names the line of a refusal by its file.
func (j *joined) place(bad ndjson.Refusal) Refusal {
	j.lock.Lock()
	defer j.lock.Unlock()
	// Of pieces that begin at the same byte all but the last are empty.
	i := sort.Search(len(j.begins), func(i int) bool { return j.begins[i] > bad.Offset }) - 1
	piece := j.pieces[i]
	bad.Offset += piece.From - j.begins[i]
	if piece.Name != StandardInput {
		bad.Record = fmt.Sprintf("byte %d", bad.Offset)
	}
	return Refusal{piece.file(), bad, bad.Record + " of " + piece.Name}
}

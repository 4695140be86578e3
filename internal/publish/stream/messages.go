// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"hide/internal/annotate/format"
	"hide/internal/annotate/message"
	"hide/internal/ndjson"
	"hide/internal/parallel"
	"hide/internal/publish"
)

// messages writes the messages of the pieces. Each piece is read on its own: the people of one
// file are not those of the next one, so that the files can be shared out in any way.
func (r *redaction) messages(ctx context.Context, w io.Writer) error {
	kept := map[string]bool{}
	for _, name := range r.Keep {
		kept[name] = true
	}
	o := publish.MessageOptions{Keep: kept, Bound: r.bound(), Refused: r.refuseMessage, EndLines: r.Format == CCDA && r.inFiles()}
	counts, err := r.bundle.Messages(ctx, w, r.items(ctx), o)
	r.counts.Notes, r.counts.Redactions, r.counts.Messages = counts.Notes, counts.Labels, &counts
	return err
}

// inFiles reports whether the input is files. Then documents of C-CDA follow each other in the
// output, each on lines of its own.
func (r *redaction) inFiles() bool {
	return slices.ContainsFunc(r.pieces, func(p Piece) bool { return p.Name != StandardInput })
}

// pieceError is an error in a piece.
type pieceError struct {
	Piece
	error
}

// items are the messages of all pieces.
func (r *redaction) items(ctx context.Context) iter.Seq2[*message.Item, error] {
	return func(yield func(*message.Item, error) bool) {
		for _, p := range r.pieces {
			goOn := true
			err := r.itemsOf(ctx, p, func(item *message.Item, err error) bool {
				if err != nil {
					m, known := errors.AsType[*message.Error](err)
					goOn = yield(nil, pieceError{p, err}) && known && !m.Fatal
					return goOn
				}
				if p.Name != StandardInput {
					item.Record += " of " + p.Name
				}
				goOn = yield(item, nil)
				return goOn
			})
			if err != nil {
				yield(nil, pieceError{p, err})
				return
			}
			if !goOn {
				return
			}
		}
	}
}

// itemsOf reads one piece to its end, unless yield stops it.
func (r *redaction) itemsOf(ctx context.Context, p Piece, yield func(*message.Item, error) bool) (err error) {
	file, err := p.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the reading ahead
	ahead := parallel.Reader(ctx, file)
	decoded, err := format.Decode(ahead, r.Encoding)
	if err != nil {
		return err
	}
	for item, err := range r.read(decoded) {
		if !yield(item, err) {
			return nil
		}
	}
	_, err = io.Copy(io.Discard, ahead)
	return err
}

func (r *redaction) read(in io.Reader) iter.Seq2[*message.Item, error] {
	switch {
	case r.Format == HL7:
		return message.HL7(in)
	case r.Format == CCDA:
		return message.CDA(in)
	case r.People == nil && r.Key != nil:
		return message.FHIRKeyed(in, r.Key)
	}
	return message.FHIR(in, r.People)
}

// refuseMessage is told of messages that cannot be read, and of a piece that cannot.
func (r *redaction) refuseMessage(err error) error {
	piece := err.(pieceError) // items yields no other error
	m, known := errors.AsType[*message.Error](piece.error)
	if !known {
		return fmt.Errorf("read %s: %w", piece.Name, piece.error)
	}
	bad := ndjson.Refusal{Record: m.Record, Offset: m.Offset + piece.From, Code: m.Code, Reason: m.Reason, Hint: m.Hint}
	place := fmt.Sprintf("%s, byte %d of %s", bad.Record, bad.Offset, piece.Name)
	return r.refuse(Refusal{piece.file(), bad, place}, m.Fatal)
}

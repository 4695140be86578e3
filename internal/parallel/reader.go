// SPDX-License-Identifier: Apache-2.0

package parallel

import (
	"context"
	"io"
)

// Reader reads ahead from in on another goroutine. When ctx ends, its reads return the
// error of ctx, even while in waits for input that never comes.
func Reader(ctx context.Context, in io.Reader) io.Reader {
	r := &reader{ctx: ctx, pieces: make(chan portion)}
	go r.fill(in)
	return r
}

const portionSize = 64 << 10

// portion is what one read returned.
type portion struct {
	bytes []byte
	err   error
}

type reader struct {
	ctx    context.Context
	pieces chan portion
	portion
}

func (r *reader) fill(in io.Reader) {
	for {
		p := portion{bytes: make([]byte, portionSize)}
		var n int
		n, p.err = in.Read(p.bytes)
		p.bytes = p.bytes[:n]
		select {
		case r.pieces <- p:
		case <-r.ctx.Done():
			return
		}
		if p.err != nil {
			return
		}
	}
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.bytes) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		select {
		case r.portion = <-r.pieces:
		case <-r.ctx.Done():
			r.err = r.ctx.Err()
		}
	}
	n := copy(p, r.bytes)
	r.bytes = r.bytes[n:]
	return n, nil
}

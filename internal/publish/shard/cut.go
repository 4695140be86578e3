// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"regexp"
	"strconv"

	"hide/internal/hint"
	"hide/internal/outfile"
)

// MostShards is the largest number of shards.
const MostShards = 1_000_000

// Number is the number of a shard and how many there are.
type Number struct{ Shard, Of int }

var number = regexp.MustCompile(`^(0|[1-9][0-9]{0,6})/([1-9][0-9]{0,6})$`)

// ParseNumber reads "3/16", the fourth of 16 shards.
func ParseNumber(s string) (Number, error) {
	parts := number.FindStringSubmatch(s)
	if parts == nil {
		return Number{}, fmt.Errorf("%.20q is not a shard: write 3/16 for the fourth of 16 shards", s)
	}
	shard, _ := strconv.Atoi(parts[1]) // at most seven digits
	of, _ := strconv.Atoi(parts[2])
	if of > MostShards {
		return Number{}, fmt.Errorf("%d shards are more than %d", of, MostShards)
	}
	if shard >= of {
		return Number{}, fmt.Errorf("there is no shard %s: shards are counted from 0, so the last one is %d/%d", s, of-1, of)
	}
	return Number{shard, of}, nil
}

// Identify is the identity of an input: the SHA-256 of a line for each file, its size, a space
// and its quoted name.
func Identify(files []File) Input {
	list := newInputList()
	for _, f := range files {
		list.add(f.Path, f.Bytes)
	}
	return list.input()
}

// start is byte i·T/n, where shard i begins.
func start(total int64, i, n int) int64 {
	high, low := bits.Mul64(uint64(total), uint64(i))
	quotient, _ := bits.Div64(high, low, uint64(n))
	return int64(quotient)
}

// Cut is the part of the files that a shard reads, as ranges. snap moves a byte of a file to
// the start of the next line, see [Snap]; with nil, files are cut between files only.
func Cut(files []File, number Number, snap func(name string, at int64) (int64, error)) ([]Range, error) {
	total := Identify(files).Bytes
	from, to := start(total, number.Shard, number.Of), start(total, number.Shard+1, number.Of)
	ranges := []Range{}
	before := int64(0) // bytes of the files before
	for _, f := range files {
		a, b := max(from-before, 0), min(to-before, f.Bytes)
		before += f.Bytes
		if a >= b {
			continue
		}
		r := Range{File: f.Path, Bytes: f.Bytes}
		var err1, err2 error
		r.From, err1 = snapped(f, a, snap)
		r.To, err2 = snapped(f, b, snap)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		if r.From < r.To {
			ranges = append(ranges, r)
		}
	}
	return ranges, nil
}

// snapped is the first place at or after a byte at which the file may be cut.
func snapped(f File, at int64, snap func(string, int64) (int64, error)) (int64, error) {
	if at == 0 || at == f.Bytes {
		return at, nil
	}
	if snap == nil {
		return f.Bytes, nil
	}
	next, err := snap(f.Path, at)
	if errors.Is(err, errors.ErrUnsupported) {
		return f.Bytes, nil
	}
	if err == nil && (next < at || next > f.Bytes) {
		err = changed(f.Path)
	}
	return next, err
}

// Snap is the first byte at or after a byte of a file at which a line begins, or the end of
// the file. It reads from the byte before.
func Snap(name string, at int64) (int64, error) {
	return snapIn(context.Background(), System{}, name, at)
}

func snapIn(ctx context.Context, s Storage, name string, at int64) (int64, error) {
	if at == 0 {
		return 0, nil
	}
	f, err := s.Open(ctx, name, at-1)
	if err != nil {
		return 0, err
	}
	defer f.Close() // only read
	in := bufio.NewReaderSize(f, 1<<16)
	for next := at - 1; ; {
		piece, err := in.ReadSlice('\n')
		next += int64(len(piece))
		switch {
		case err == nil, errors.Is(err, io.EOF):
			return next, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return 0, fmt.Errorf("read %s: %w", name, outfile.Cause(err))
		}
	}
}

func changed(name string) error {
	return hint.Add(fmt.Errorf("%s changed while it was read", name), "redact files that nobody writes any more")
}

// inputList makes the identity of an input, file by file.
type inputList struct {
	Input
	hash io.Writer
	sum  func() string
}

func newInputList() *inputList {
	h := sha256.New()
	return &inputList{hash: h, sum: func() string { return hex.EncodeToString(h.Sum(nil)) }}
}

func (l *inputList) add(name string, bytes int64) {
	fmt.Fprintf(l.hash, "%d %q\n", bytes, name)
	l.Files++
	l.Bytes += bytes
}

func (l *inputList) input() Input {
	l.SHA256 = l.sum()
	return l.Input
}

// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
)

// ReleasedSequences is what a page shows of a release of sequences. All of it is
// part of the release.
type ReleasedSequences struct {
	Frequent []CountedSequence // whole sequences, the most frequent first
	Invented [][]string        // the first synthetic sequences, in random order; none unless requested
}

// CountedSequence is a sequence with its noisy count, which is not cut off at 0.
type CountedSequence struct {
	Symbols []string // empty if the sequence has no symbols
	Count   float64
}

// How many sequences are shown.
const (
	mostFrequent = 12
	mostInvented = 8
)

// ReleasedSequences reads a release of sequences. It returns none for other kinds
// of release.
func (s *Service) ReleasedSequences(ctx context.Context, by account.User, id project.ID, number int) (out ReleasedSequences, err error) {
	r, err := s.release.Release(ctx, by, id, number)
	if err != nil || r.Kind != release.KindSequences || r.Gone {
		return out, err
	}
	dir := s.release.Dir(id, r.Name)
	if out.Frequent, err = frequentSequences(ctx, filepath.Join(dir, "tree.csv"), r.Strong.Height); err != nil {
		return out, release.GoneError(r, err)
	}
	out.Invented, err = inventedSequences(filepath.Join(dir, "synthetic.txt"))
	return out, err
}

// endOf is the symbol that a tree uses for the end of a sequence shorter than its
// height.
const endOf = "(end)"

// frequentSequences reads the branches that are whole sequences: those that end,
// and those as long as the height of the tree.
func frequentSequences(ctx context.Context, file string, height int) ([]CountedSequence, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	rows := csv.NewReader(bufio.NewReader(f))
	rows.ReuseRecord = true
	var all []CountedSequence
	for n := 0; ; n++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil || len(row) < 3 {
			return nil, errors.Join(err, errors.New("tree.csv is damaged or was changed"))
		}
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		symbols := strings.Split(row[1], separator)
		ended := symbols[len(symbols)-1] == endOf
		if count, err := strconv.ParseFloat(row[2], 64); err == nil && (ended || row[0] == strconv.Itoa(height)) {
			if ended {
				symbols = symbols[:len(symbols)-1]
			}
			all = keepFrequent(all, CountedSequence{symbols, count})
		}
	}
}

// keepFrequent inserts a sequence if it is among the most frequent.
func keepFrequent(all []CountedSequence, one CountedSequence) []CountedSequence {
	at, _ := slices.BinarySearchFunc(all, one, func(a, b CountedSequence) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), -1) // after equally frequent ones
	})
	if at == mostFrequent {
		return all
	}
	one.Symbols = slices.Clone(one.Symbols)
	for i, symbol := range one.Symbols {
		one.Symbols[i] = strings.Clone(symbol) // does not retain the whole row
	}
	all = slices.Insert(all, at, one)
	return all[:min(len(all), mostFrequent)]
}

// inventedSequences reads the first synthetic sequences, none if there is no file.
func inventedSequences(file string) ([][]string, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	var out [][]string
	lines := bufio.NewReader(io.LimitReader(f, 1<<20))
	for len(out) < mostInvented {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // the end, or a line that cannot be shown
		}
		var symbols []string
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			symbols = strings.Split(line, separator)
		}
		out = append(out, symbols)
	}
	return out, nil
}

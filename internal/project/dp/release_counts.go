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
	"hide/internal/publish/cube"
	"hide/internal/publish/dp"
	envelope "hide/internal/publish/release"
)

// CountedTable is the counts of a release by one or two attributes.
type CountedTable struct {
	Names []string
	Rows  []CountedGroup // by the first attribute, in the order of its categories
	All   int            // number of groups
}

// CountedGroup is a noisy count, not cut off at 0, and its mean error.
type CountedGroup struct {
	Labels     []string
	Count, Off float64
}

// How much of a release of counts is shown.
const (
	mostGroups  = 40
	mostTables  = 4
	mostCrossed = 1_000_000 // largest number of summed groups of two attributes
)

// ReleasedCounts reads tables from a release of counts: by the named attributes,
// or, if none is named, by each of the first ones and by both of them. It reads
// only the release, so it costs no epsilon. It returns none for other kinds of
// release.
func (s *Service) ReleasedCounts(ctx context.Context, by account.User, id project.ID, number int, names []string) ([]CountedTable, error) {
	r, err := s.release.Release(ctx, by, id, number)
	if err != nil || r.Kind != release.KindCube {
		return nil, err
	}
	counts, err := dp.ReadCube(os.DirFS(s.release.Dir(id, r.Name)), r.SHA256)
	if errors.Is(err, envelope.ErrTooLarge) {
		return nil, project.Invalidf("download the release and open the file there", "%v, which is too much for a page", err)
	}
	if err != nil {
		return nil, &project.Error{Kind: project.NotFound, Message: "cannot show the counts: " + err.Error(), Hint: "restore a backup into another folder and copy the folder of " + r.Name + " from its folder releases", Err: err}
	}
	if len(names) > 0 {
		t, err := countedBy(counts, r, names)
		return []CountedTable{t}, err
	}
	return firstCounted(counts, r)
}

// firstCounted returns the default tables, without attributes that were not
// measured.
func firstCounted(counts *cube.Release, r release.Release) (all []CountedTable, _ error) {
	asked := make([][]string, 0, mostTables+1)
	for _, name := range r.Strong.Dimensions[:min(mostTables, len(r.Strong.Dimensions))] {
		asked = append(asked, []string{name})
	}
	if len(r.Strong.Dimensions) == 2 {
		asked = append(asked, r.Strong.Dimensions)
	}
	for _, names := range asked {
		t, err := countedBy(counts, r, names)
		if err == nil {
			all = append(all, t)
		} else if project.KindOf(err) != project.Invalid {
			return nil, err
		}
	}
	return all, nil
}

// countedBy sums the groups of one or two attributes.
func countedBy(counts *cube.Release, r release.Release, names []string) (CountedTable, error) {
	t, dims := CountedTable{Names: names, All: 1}, make([]int, len(names))
	for i, name := range names {
		dims[i] = counts.Domain.Find(name)
		if dims[i] < 0 {
			return t, project.Invalidf("choose another attribute", "the release has no counts by %q", name)
		}
		t.All *= counts.Domain[dims[i]].Size()
	}
	if t.All > mostCrossed {
		return t, project.Invalidf("choose one of them", "together these attributes have %d groups, too many for a page", t.All)
	}
	answers, err := counts.Slice(dims)
	if err != nil {
		return t, project.Invalidf("choose one of them, or other attributes", "the release has no joint counts by %q", names)
	}
	off := offBy(counts, r, names)
	for at, a := range answers[:min(mostGroups, len(answers))] {
		t.Rows = append(t.Rows, CountedGroup{labelsAt(counts.Domain, dims, at), a.Count, off(a)})
	}
	return t, nil
}

// offBy is the mean error of a group. A cell with one draw of Laplace noise has the
// scale as its mean error. Sums are treated as normal.
func offBy(counts *cube.Release, r release.Release, names []string) func(cube.Answer) float64 {
	if counts.Cells != nil && len(names) > 1 && len(names) == len(counts.Domain) {
		return func(cube.Answer) float64 { return counts.Phases[0].Scale }
	}
	least := leastOff(counts, r, names)
	return func(a cube.Answer) float64 { return max(a.Error, least) }
}

// leastOff is the mean error in the manifest for counts of blocks by one attribute.
// It includes the error of cells that were wrongly merged into one block, which the
// blocks alone do not show.
func leastOff(counts *cube.Release, r release.Release, names []string) float64 {
	if counts.Params.Method == cube.DPCube && len(names) == 1 {
		for _, e := range r.Strong.Errors {
			if e.Question == dp.SliceOf(names[0]) {
				return e.Release
			}
		}
	}
	return 0
}

// labelsAt returns the labels of a group of a slice, whose last dimension varies
// fastest.
func labelsAt(domain cube.Domain, dims []int, at int) []string {
	out := make([]string, len(dims))
	for i, d := range slices.Backward(dims) {
		out[i] = domain[d].Label(at % domain[d].Size())
		at /= domain[d].Size()
	}
	return out
}

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
	if out.Frequent, err = frequentSequences(ctx, dir, r); err != nil {
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
func frequentSequences(ctx context.Context, dir string, r release.Release) ([]CountedSequence, error) {
	manifest, err := envelope.Open(os.DirFS(dir), r.SHA256)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, "tree.csv"))
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
		manifest.Restore(row)
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		symbols := strings.Split(row[1], separator)
		ended := symbols[len(symbols)-1] == endOf
		if count, err := strconv.ParseFloat(row[2], 64); err == nil && (ended || row[0] == strconv.Itoa(r.Strong.Height)) {
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

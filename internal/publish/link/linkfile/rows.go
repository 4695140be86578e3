// SPDX-License-Identifier: Apache-2.0

package linkfile

import (
	"context"
	"io"
	"slices"
	"strconv"

	"hide/internal/tabular"
)

// WriteRows writes the rows of all files with the number of their cluster before them, and
// for two files the number of the file. Rows with the same number are of one person. Cells
// that a spreadsheet program could run are made safe; see [tabular.Rule].
func (l *Linked) WriteRows(ctx context.Context, w io.Writer) error {
	out := tabular.NewWriter(w)
	header, into := l.layout()
	_ = out.Write(header) // errors stay with the writer
	numbers := l.numbers()
	for k, f := range l.files {
		n := 0
		err := f.read(ctx, func(names []string) error {
			if !slices.Equal(names, l.headers[k]) {
				return errChanged
			}
			return nil
		}, func(i int, cells []string) error {
			n++
			if n > l.counts[k] {
				return errChanged
			}
			row := make([]string, len(header))
			row[len(l.files)-1] = strconv.Itoa(k + 1) // the cluster takes its place if there is one file
			row[0] = strconv.Itoa(numbers[i])
			for at, cell := range cells {
				row[into[k][at]] = cell
			}
			return out.Write(row)
		})
		if err == nil && n < l.counts[k] {
			err = f.named(errChanged)
		}
		if err != nil {
			return err
		}
		numbers = numbers[n:]
	}
	l.Prefixed = out.Prefixed()
	return out.Flush()
}

var errChanged = wrong("run the command again, on a file that nobody writes to", "the file changed while its records were linked")

// numbers gives each record the number of its person, from 1 in the order of the first records.
func (l *Linked) numbers() []int {
	clusters := l.result.ClusterOf()
	number := map[int]int{}
	out := make([]int, len(clusters))
	last := 0
	for i, c := range clusters {
		if c >= 0 && number[c] > 0 {
			out[i] = number[c]
			continue
		}
		last++
		out[i] = last
		if c >= 0 {
			number[c] = last
		}
	}
	return out
}

// layout names the columns of the output, and says where the columns of each file stand in it.
// A column of the second file stands in the column of the first that it is compared with or
// that has its name, else behind.
func (l *Linked) layout() (header []string, into [][]int) {
	taken := slices.Concat(l.headers...)
	header = []string{unused("cluster", taken)}
	if len(l.files) > 1 {
		header = append(header, unused("file", taken))
	}
	added := len(header)
	header = append(header, l.headers[0]...)
	for k, names := range l.headers {
		places := make([]int, len(names))
		for i, name := range names {
			at, found := i, true
			if k > 0 {
				at, found = columnOf(l.headers[0], l.inFirst(name))
			}
			places[i] = added + at
			if !found {
				places[i] = len(header)
				header = append(header, name)
			}
		}
		into = append(into, places)
	}
	return header, into
}

// inFirst is the name in the first file of a column of the second. Full names that are compared
// with two columns keep their own.
func (l *Linked) inFirst(name string) string {
	var found []string
	for _, c := range l.Columns {
		if c.With != "" && tabular.Fold(c.With) == tabular.Fold(name) {
			found = append(found, c.Name)
		}
	}
	if len(found) != 1 {
		return name
	}
	return found[0]
}

// unused is a name that no column has.
func unused(name string, taken []string) string {
	for {
		if _, found := columnOf(taken, name); !found {
			return name
		}
		name = "linked_" + name
	}
}

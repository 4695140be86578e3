// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"hide/tools/rig"
)

// report is what a run prints.
type report struct {
	Binary     string    `json:"binary"`
	Version    string    `json:"version"`
	Notes      int       `json:"notes"`
	Annotators int       `json:"annotators"`
	Viewers    int       `json:"viewers"`
	Cells      []figures `json:"cells"`
}

// flatWithin is how much memory and descriptors may grow in a soak, as a share.
const flatWithin = 0.10

// held is false if an acknowledged edit was lost or a soak was not flat. Times depend on
// the machine: they are for the reader to compare.
func (r report) held() bool {
	for _, f := range r.Cells {
		if f.Lost > 0 || f.MemoryGrowth > flatWithin || f.OpenGrowth > flatWithin {
			return false
		}
	}
	return true
}

// row is a line of the table: what, its goal, and its value in a cell.
type row struct {
	what, goal string
	value      func(figures) string
}

func number(format string, of func(figures) float64) func(figures) string {
	return func(f figures) string { return fmt.Sprintf(format, of(f)) }
}

var rows = []row{
	{"edits a second, asked for", "", number("%.1f", func(f figures) float64 { return f.Asked })},
	{"edits a second, acknowledged", "as asked for", number("%.1f", func(f figures) float64 { return f.Came })},
	{"acknowledged p50, ms", "20", number("%.1f", func(f figures) float64 { return f.P50 })},
	{"acknowledged p95, ms", "100", number("%.1f", func(f figures) float64 { return f.P95 })},
	{"acknowledged p99, ms", "250; 500 while training", number("%.1f", func(f figures) float64 { return f.P99 })},
	{"acknowledged slowest, ms", "", number("%.1f", func(f figures) float64 { return f.Max })},
	{"broadcast p95, ms", "300", number("%.1f", func(f figures) float64 { return f.Shown95 })},
	{"edits that a viewer was never told of", "0", number("%.0f", func(f figures) float64 { return float64(f.NotShown) })},
	{"errors", "0", figures.failures},
	{"asked again after a conflict", "", number("%.0f", func(f figures) float64 { return float64(f.Conflicts) })},
	{"live connections lost", "0", number("%.0f", func(f figures) float64 { return float64(f.Dropped) })},
	{"lost edits", "0", number("%.0f", func(f figures) float64 { return float64(f.Lost) })},
	{"bytes per viewer of another note and edit", "1,000", number("%.0f", func(f figures) float64 { return f.ElsewhereBytes })},
	{"bytes per viewer of the note and edit", "1,000", number("%.0f", func(f figures) float64 { return f.NoteBytes })},
	{"bytes that such a viewer fetched, per edit", "", number("%.0f", func(f figures) float64 { return f.FetchedBytes })},
	{"bytes per answer to an edit", "", number("%.0f", func(f figures) float64 { return f.AnswerBytes })},
	{"server, processor seconds", "", number("%.1f", func(f figures) float64 { return f.CPU })},
	{"server, peak memory, MiB", "", number("%.0f", func(f figures) float64 { return float64(f.Peak) / (1 << 20) })},
	{"server, most open descriptors", "", number("%.0f", func(f figures) float64 { return float64(f.Open) })},
}

var soakRows = []row{
	{"growth of memory, percent", "10", number("%+.1f", func(f figures) float64 { return 100 * f.MemoryGrowth })},
	{"growth of open descriptors, percent", "10", number("%+.1f", func(f figures) float64 { return 100 * f.OpenGrowth })},
}

// write prints the table, and writes the figures to a file if one is named.
func (r report) write(out io.Writer, file string) error {
	fmt.Fprintf(out, "%d notes, %d annotators, %d viewers, %d cores; %s\n\n", r.Notes, r.Annotators, r.Viewers, runtime.NumCPU(), r.Version)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := []string{"", "goal"}
	shown := rows
	for _, f := range r.Cells {
		line = append(line, fmt.Sprintf("%s, %.0f s", f.Cell, f.Seconds))
		if kinds[f.Cell].soak {
			shown = append(rows[:len(rows):len(rows)], soakRows...)
		}
	}
	fmt.Fprintln(t, strings.Join(line, "\t"))
	for _, row := range shown {
		line = []string{row.what, row.goal}
		for _, f := range r.Cells {
			line = append(line, row.value(f))
		}
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	if err := t.Flush(); err != nil || file == "" {
		return err
	}
	return rig.WriteJSON(file, r)
}

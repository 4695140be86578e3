// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// times are percentiles in milliseconds.
type times struct {
	P50 float64 `json:"p50_ms"`
	P95 float64 `json:"p95_ms"`
}

// figures are what was measured with one number of notes. Sizes and memory are in bytes.
type figures struct {
	Notes     int   `json:"notes"`
	TextBytes int64 `json:"text_bytes"`
	FileBytes int64 `json:"file_bytes"` // of hide.db, after the import

	ImportSeconds float64 `json:"import_seconds"`
	ImportPeak    int64   `json:"import_peak_bytes"`

	SettleSeconds float64 `json:"settle_seconds"`     // from the first start until the server rests
	SettlePeak    int64   `json:"settle_peak_bytes"`  // of the server meanwhile
	IndexedBytes  int64   `json:"indexed_file_bytes"` // of hide.db, then

	StartMS float64 `json:"start_ms"`      // until the server says its address
	FirstMS float64 `json:"first_page_ms"` // a sign-in, and the list of projects that it leads to
	OpenMS  float64 `json:"open_ms"`       // the list of notes, which opens the project

	ListFirst times `json:"list_first"`
	ListLast  times `json:"list_last"`
	Name      times `json:"search_name"`
	Text      times `json:"search_text"`
	Note      times `json:"note"`
	Finish    times `json:"done_and_next"`

	Resident  int64 `json:"resident_bytes"`
	Anonymous int64 `json:"anonymous_bytes"` // without the pages of the data file

	BackupSeconds float64 `json:"backup_seconds"`
	BackupPeak    int64   `json:"backup_peak_bytes"`
	BackupBytes   int64   `json:"backup_bytes"`
	VerifySeconds float64 `json:"verify_seconds"`
	VerifyPeak    int64   `json:"verify_peak_bytes"`
}

type report struct {
	Binary string    `json:"binary"`
	Sizes  []figures `json:"sizes"`
}

const mega = 1e6

// rows are the lines of the table: what, its format, and its value.
var rows = []struct {
	what, format string
	value        func(figures) float64
}{
	{"notes", "%.0f", func(f figures) float64 { return float64(f.Notes) }},
	{"text, MB", "%.0f", func(f figures) float64 { return float64(f.TextBytes) / mega }},
	{"import, s", "%.1f", func(f figures) float64 { return f.ImportSeconds }},
	{"import, peak MB", "%.0f", func(f figures) float64 { return float64(f.ImportPeak) / mega }},
	{"hide.db / text", "%.2f", func(f figures) float64 { return float64(f.FileBytes) / float64(f.TextBytes) }},
	{"indexing and first training, s", "%.0f", func(f figures) float64 { return f.SettleSeconds }},
	{"the server meanwhile, peak MB", "%.0f", func(f figures) float64 { return float64(f.SettlePeak) / mega }},
	{"hide.db with the index / text", "%.2f", func(f figures) float64 { return float64(f.IndexedBytes) / float64(f.TextBytes) }},
	{"start of the server, ms", "%.0f", func(f figures) float64 { return f.StartMS }},
	{"first sign-in and page, ms", "%.0f", func(f figures) float64 { return f.FirstMS }},
	{"first list of notes, ms", "%.0f", func(f figures) float64 { return f.OpenMS }},
	{"list, first page, p50 ms", "%.1f", func(f figures) float64 { return f.ListFirst.P50 }},
	{"list, first page, p95 ms", "%.1f", func(f figures) float64 { return f.ListFirst.P95 }},
	{"list, last page, p50 ms", "%.1f", func(f figures) float64 { return f.ListLast.P50 }},
	{"list, last page, p95 ms", "%.1f", func(f figures) float64 { return f.ListLast.P95 }},
	{"search of a note's name, p50 ms", "%.1f", func(f figures) float64 { return f.Name.P50 }},
	{"search of a note's name, p95 ms", "%.1f", func(f figures) float64 { return f.Name.P95 }},
	{"search of a person's name, p50 ms", "%.1f", func(f figures) float64 { return f.Text.P50 }},
	{"search of a person's name, p95 ms", "%.1f", func(f figures) float64 { return f.Text.P95 }},
	{"open a note, p50 ms", "%.1f", func(f figures) float64 { return f.Note.P50 }},
	{"open a note, p95 ms", "%.1f", func(f figures) float64 { return f.Note.P95 }},
	{"done and next, p50 ms", "%.1f", func(f figures) float64 { return f.Finish.P50 }},
	{"done and next, p95 ms", "%.1f", func(f figures) float64 { return f.Finish.P95 }},
	{"server, resident MB", "%.0f", func(f figures) float64 { return float64(f.Resident) / mega }},
	{"server, without the file's pages, MB", "%.0f", func(f figures) float64 { return float64(f.Anonymous) / mega }},
	{"backup, s", "%.1f", func(f figures) float64 { return f.BackupSeconds }},
	{"backup, peak MB", "%.0f", func(f figures) float64 { return float64(f.BackupPeak) / mega }},
	{"backup / text", "%.2f", func(f figures) float64 { return float64(f.BackupBytes) / float64(f.TextBytes) }},
	{"audit verify, s", "%.1f", func(f figures) float64 { return f.VerifySeconds }},
	{"audit verify, peak MB", "%.0f", func(f figures) float64 { return float64(f.VerifyPeak) / mega }},
}

// write prints the table. The last column is the growth from the first number of notes to
// the last.
func (r report) write(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintf(t, "%s\t", row.what)
		for _, f := range r.Sizes {
			fmt.Fprintf(t, row.format+"\t", row.value(f))
		}
		if first, last := row.value(r.Sizes[0]), row.value(r.Sizes[len(r.Sizes)-1]); first > 0 {
			fmt.Fprintf(t, "× %.1f\t", last/first)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

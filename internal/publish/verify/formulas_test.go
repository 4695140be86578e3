// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"

	"hide/internal/tabular"
)

func TestTheRuleIsTheWriters(t *testing.T) {
	if formulaRule != tabular.Rule {
		t.Error("the writer has another rule")
	}
}

// FuzzFormulas compares with the writer, which shares no code: both find the same cells
// dangerous, write the same bytes, and read the same values.
func FuzzFormulas(f *testing.F) {
	for _, cell := range []string{"=1", "'=1", "-3.5", "-3.5-1", "\t=", "＝1", ";=1", " \"+x", "x\r\ny", "", "'", "\ufeff@", `\.`, "+.5e-3", "-.", "\xff=", "'\n", "\u00a0-x"} {
		f.Add(cell, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		record := []string{a, b}
		for _, cell := range record {
			if runs(cell) != tabular.IsFormula(cell) || plainCell(cell) != tabular.Restore(cell) {
				t.Errorf("%q: one says it runs, the other does not", cell)
			}
		}
		var writers, own bytes.Buffer
		w := tabular.NewWriter(&writers)
		if w.Write(record) != nil || w.Flush() != nil {
			t.Fatal("cannot be written")
		}
		(&tableWriter{w: &own, safe: true}).record(record)
		if own.String() != writers.String() {
			t.Fatalf("%q is written as %q and %q", record, own.String(), writers.String())
		}
		in := tableReader{bufio.NewReader(strings.NewReader(own.String()))}
		cells, err := in.record()
		if err != nil || len(cells) != 2 {
			t.Fatalf("%q: %v", own.String(), err)
		}
		for i, cell := range cells {
			if plainCell(cell.text) != record[i] {
				t.Errorf("%q comes back as %q", record[i], cell.text)
			}
		}
		if _, err := in.record(); err != io.EOF {
			t.Errorf("%q has more than one record: %v", own.String(), err)
		}
	})
}

func TestTablesInOtherFormsAreRefused(t *testing.T) {
	for _, text := range []string{"a", `"a`, "\"a\"b\n", "a\"b\n", "\"a\"\"\n", "\"a\" \n", "\"\"\"\n"} {
		in := tableReader{bufio.NewReader(strings.NewReader(text))}
		if cells, err := in.record(); err == nil {
			t.Errorf("%q is %v", text, cells)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package tabular

import (
	"bytes"
	"encoding/csv"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestFormulasGetAPrefix(t *testing.T) {
	for _, cell := range []string{
		"=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\tx", "\rx", "＝1", "＋1+1", "－1+1", "＠x", "=", "-", "+", "@",
		";=1", ",=1", "|=1", `"=1`, `";=1`, "'=1", "''=1", " =1", "\u00a0=1", "\ufeff=1", "'\n=1", "-3,5", "+49 30 1", "-1-2", "- item", "=cmd|' /C calc'!A0", "-3.5x", "--3", "'-3", "-0x1F", "+1e",
	} {
		if !IsFormula(cell) {
			t.Errorf("%q is written as it is", cell)
		}
		if got := Restore("'" + cell); got != cell {
			t.Errorf("%q comes back as %q", cell, got)
		}
	}
	for _, cell := range []string{"", "x", "-3.5", "+7", "-3", "-.5", "+1e-9", "3", "a=b", "[18, 25)", "*", "2019-01", "'", "''", "'tis", "\"quoted\"", "'5", "x\n=1", "#"} {
		if IsFormula(cell) {
			t.Errorf("%q gets a prefix", cell)
		}
		if got := Restore(cell); got != cell {
			t.Errorf("%q comes back as %q", cell, got)
		}
	}
}

func TestWriterCountsPrefixesByColumn(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, record := range [][]string{{"name", "=x", "n"}, {"=a", "b", "-1"}, {"+a", "c", "-1-1"}, {"d", "", "2"}} {
		if err := w.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "name,\"'=x\",n\n\"'=a\",b,-1\n\"'+a\",c,\"'-1-1\"\nd,,2\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	if got := w.Prefixed(); !reflect.DeepEqual(got, Prefixed{4, []string{"name", "=x", "n"}}) {
		t.Errorf("got %+v", got)
	}
}

// FuzzWriter compares with package csv: a record without formulas has the same bytes, and
// everything comes back.
func FuzzWriter(f *testing.F) {
	f.Add("=1", "'=1", "x")
	f.Add("", "-3.5", " '\t")
	f.Add("a\nb", `"`, `\.`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		record := []string{a, b, c}
		var got, plain bytes.Buffer
		w, p := NewWriter(&got), csv.NewWriter(&plain)
		if w.Write(record) != nil || w.Flush() != nil || p.Write(record) != nil {
			t.Fatal("a record cannot be written")
		}
		p.Flush()
		if !slices.ContainsFunc(record, IsFormula) && got.String() != plain.String() {
			t.Errorf("%q is written as %q, not %q", record, got.String(), plain.String())
		}
		if strings.Contains(a+b+c, "\r") {
			return // package csv changes line ends when it reads
		}
		back, err := csv.NewReader(&got).Read()
		if err != nil {
			t.Fatalf("%q: %v", record, err)
		}
		for i := range back {
			if Restore(back[i]) != record[i] {
				t.Errorf("%q comes back as %q", record[i], Restore(back[i]))
			}
			if IsFormula(back[i]) && !strings.HasPrefix(back[i], "'") {
				t.Errorf("%q stands in the file", back[i])
			}
		}
	})
}

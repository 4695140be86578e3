// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestRecordsCountAsTheirFileDoes: the ledger has to recognize the same data, and every
// count has to be the same.
func TestRecordsCountAsTheirFileDoes(t *testing.T) {
	columns := []string{"sex", "age", "ward", "id"}
	rows := [][]string{{"F", "31", "a", "p1"}, {"M", "7", "b", `p "2", x`}, {"F", " 31 ", "a", "p1"}, {"M", "99", "b", ""}}
	file := CSV("sex,age,ward,id\nF,31,a,p1\nM,7,b,\"p \"\"2\"\", x\"\nF,\" 31 \",a,p1\nM,99,b,\n")
	records := Records{columns, slices.Values(rows)}
	var written bytes.Buffer
	if _, err := records.WriteTo(&written); err != nil || !bytes.Equal(written.Bytes(), file) {
		t.Errorf("%v, %q", err, written.Bytes())
	}
	c := cubeOf(t, with(cubeConfig, `"leave_out_nameless":true`))
	a, err := c.Count(file)
	must(t, err)
	b, err := c.Count(records)
	must(t, err)
	all := func([]int32) bool { return true }
	if !slices.Equal(a.Groups([]int{0, 1, 2}, all), b.Groups([]int{0, 1, 2}, all)) || a.Rows() != 2 || b.Rows() != 2 || !slices.Equal(slices.Sorted(a.Units()), slices.Sorted(b.Units())) {
		t.Errorf("%d rows and %d", a.Rows(), b.Rows())
	}
}

func TestRecordsAreRefusedByTheirRow(t *testing.T) {
	c := cubeOf(t, cubeConfig)
	columns := []string{"sex", "age", "ward", "id"}
	for _, test := range []struct {
		columns []string
		rows    [][]string
		want    string
	}{
		{columns, nil, "the table has no rows"},
		{columns, [][]string{{"F", "1", "a", "p"}, {"X", "1", "a", "q"}}, `row 2: its value of "sex" is not in the domain`},
		{columns, [][]string{{"F", "1", "a", ""}}, "row 1: it has no key"},
		{columns[1:], nil, `the table has no column "sex"`},
	} {
		_, err := c.Count(Records{test.columns, slices.Values(test.rows)})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

func TestSequenceRecordsCountAsTheirFileDoes(t *testing.T) {
	c := sequencesOf(t, with(sequencesConfig, `"separator":"\t","leave_out_nameless":true`))
	file := Lines("p1\ta\tb\n\ta\np2\np1\tb\n")
	records := SequenceRecords{[]string{"p1", "", "p2", "p1"}, [][]string{{"a", "b"}, {"a"}, nil, {"b"}}}
	var written bytes.Buffer
	if _, err := records.WriteTo(&written); err != nil || !bytes.Equal(written.Bytes(), file) {
		t.Errorf("%v, %q", err, written.Bytes())
	}
	a, who, err := c.read(file)
	must(t, err)
	b, same, err := c.read(records)
	must(t, err)
	if !slices.EqualFunc(a, b, slices.Equal) || len(a) != 2 || len(who) != 2 || len(same) != 2 {
		t.Errorf("%v and %v", a, b)
	}
	records.Symbols[0][1] = "zz"
	if _, _, err := c.read(records); err == nil || !strings.Contains(err.Error(), "row 1: symbol 2 is not in the alphabet") {
		t.Error(err)
	}
}

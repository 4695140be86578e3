// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"strings"
	"testing"

	"hide/internal/publish/cube"
	"hide/internal/publish/prefixtree"
)

// TestInventedRowsEndWhereTheirBytesDo has more rows than may be written: whole rows
// are, up to the bound, and it is said.
func TestInventedRowsEndWhereTheirBytesDo(t *testing.T) {
	long := strings.Repeat("x", 100)
	r := &cube.Release{Domain: cube.Domain{{Name: "a", Values: []string{long, long + "y"}}}, Cells: []int64{500, 500}}
	all, cut, err := syntheticCSV(r, 1<<20)
	if err != nil || cut || bytes.Count(all, []byte("\n")) != 1001 {
		t.Errorf("%d lines, cut %v, %v", bytes.Count(all, []byte("\n")), cut, err)
	}
	some, cut, err := syntheticCSV(r, 1000)
	if err != nil || !cut || len(some) > 1100 || !bytes.HasSuffix(some, []byte("\n")) || bytes.Count(some, []byte("\n")) < 8 {
		t.Errorf("%d bytes, cut %v, %v", len(some), cut, err)
	}
	c := SequencesConfig{Alphabet: []string{long}}
	leaf := &prefixtree.Node{Depth: 1, Count: 300}
	tree := &prefixtree.Tree{Root: &prefixtree.Node{Count: 300, Children: []*prefixtree.Node{leaf, {Depth: 1}}}, Params: prefixtree.Params{Alphabet: 1, Height: 1}}
	text, cut := c.syntheticText(tree, 1<<20)
	if cut || bytes.Count(text, []byte("\n")) != 300 {
		t.Errorf("%d lines, cut %v", bytes.Count(text, []byte("\n")), cut)
	}
	if text, cut = c.syntheticText(tree, 1000); !cut || len(text) > 1000 || !bytes.HasSuffix(text, []byte("x\n")) {
		t.Errorf("%d bytes, cut %v", len(text), cut)
	}
	var m Manifest
	m.warnCutOff("synthetic.csv", true)
	m.warnCutOff("synthetic.txt", false)
	if len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0], "synthetic.csv was cut off at 64 MiB") {
		t.Error(m.Warnings)
	}
}

// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"hide/internal/publish/incognito"
	tables "hide/internal/publish/table"
)

// incognitoSearch is one search of a lattice.
type incognitoSearch struct {
	Attributes []string `json:"attributes"`
	K          int      `json:"k"`
	Nodes      int      `json:"nodes"`
	Evaluated  int      `json:"evaluated"`
	Holding    int      `json:"holding"`
	Minimal    int      `json:"minimal"`
	Vectors    []string `json:"minimal_nodes"` // a digit for each attribute: its level, 0 for values as they are
	Best       []int    `json:"best"`
	NCP        float64  `json:"ncp"`
	Wall       float64  `json:"wall_seconds"`
	CPU        float64  `json:"cpu_seconds"`
}

// adultNine are the attributes for which ARX has hierarchies.
var adultNine = strings.Fields("sex age race marital-status education native-country workclass occupation salary-class")

// incognitoK is the k with which the lattice is searched.
const incognitoK = 5

// benchFullDomain searches the lattice of some attributes.
func benchFullDomain(ctx context.Context, v TablesOptions, names []string, k int) (*incognitoSearch, error) {
	c := adultConfig()
	for _, name := range names {
		file := name
		h, err := v.Hierarchy(name)
		if err != nil {
			return nil, err
		}
		c.Hierarchies[file] = h
		c.Attributes = append(c.Attributes, tables.AttributeConfig{Name: name, Role: tables.Quasi, Hierarchy: file})
	}
	t, err := readWhole(v.Adult, c)
	if err != nil {
		return nil, err
	}
	runtime.GC()
	began := readClocks()
	r, err := incognito.Search(ctx, t, incognito.Options{K: k})
	if err != nil {
		return nil, err
	}
	b := &incognitoSearch{Attributes: names, K: k, Nodes: r.Nodes, Evaluated: r.Evaluated, Holding: r.Holding, Minimal: len(r.Minimal), Best: r.Best, NCP: 100 * r.NCP}
	b.CPU, b.Wall = readClocks().since(began)
	b.Vectors = vectors(t, names, r.Minimal)
	return b, nil
}

// vectors writes nodes with a digit for each of the names, in their order and not in
// that of the file.
func vectors(t *tables.Table, names []string, nodes [][]int) []string {
	at := map[string]int{}
	for i, c := range t.With(tables.Quasi) {
		at[c.Name] = i
	}
	var out []string
	for _, levels := range nodes {
		digits := ""
		for _, name := range names {
			digits += strconv.Itoa(levels[at[name]])
		}
		out = append(out, digits)
	}
	slices.Sort(out)
	return out
}

// benchLattices searches the lattice of the attributes of --lattice with each k.
func benchLattices(ctx context.Context, v TablesOptions, ks []int) ([]incognitoSearch, error) {
	var all []incognitoSearch
	if v.Lattice == nil {
		return nil, nil
	}
	for _, k := range ks {
		b, err := benchFullDomain(ctx, v, v.Lattice, k)
		if err != nil {
			return nil, err
		}
		all = append(all, *b)
	}
	return all, nil
}

// writeLattices prints minimal nodes, of which nine attributes have more than are read.
func writeLattices(w io.Writer, all []incognitoSearch) {
	for _, b := range all {
		b.write(w)
		fmt.Fprintf(w, "minimal nodes of %s: %s\n", strings.Join(b.Attributes, ", "), strings.Join(b.Vectors, " "))
	}
}

func (b *incognitoSearch) write(w io.Writer) {
	fmt.Fprintf(w, "\nfull-domain, %d attributes, k = %d: %d nodes, %d counted, %d hold, %d minimal; the best loses %.2f %%; %.1f s, %.1f s of processor\n",
		len(b.Attributes), b.K, b.Nodes, b.Evaluated, b.Holding, b.Minimal, b.NCP, b.Wall, b.CPU)
}

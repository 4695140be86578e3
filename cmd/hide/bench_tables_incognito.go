// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"hide/internal/publish/incognito"
	tables "hide/internal/publish/table"
)

// benchIncognito is one search of a lattice.
type benchIncognito struct {
	Attributes []string `json:"attributes"`
	K          int      `json:"k"`
	Nodes      int      `json:"nodes"`
	Evaluated  int      `json:"evaluated"`
	Holding    int      `json:"holding"`
	Minimal    int      `json:"minimal"`
	Best       []int    `json:"best"`
	NCP        float64  `json:"ncp"`
	Wall       float64  `json:"wall_seconds"`
	CPU        float64  `json:"cpu_seconds"`
}

// adultNine are the attributes for which ARX has hierarchies.
var adultNine = strings.Fields("sex age race marital-status education native-country workclass occupation salary-class")

// incognitoK is the k with which the lattice is searched.
const incognitoK = 5

func benchFullDomain(ctx context.Context, v benchTablesFlags) (*benchIncognito, error) {
	c := adultConfig()
	for _, name := range adultNine {
		file := "adult_hierarchy_" + name + ".csv"
		h, err := readHierarchy(filepath.Join(v.hierarchies, file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, withHint(err, "--hierarchies needs a file for each of nine attributes, adult_hierarchy_NAME.csv, here of "+name)
		}
		if err != nil {
			return nil, err
		}
		c.Hierarchies[file] = h
		c.Attributes = append(c.Attributes, tables.AttributeConfig{Name: name, Role: tables.Quasi, Hierarchy: file})
	}
	t, err := readWhole(v.in, c)
	if err != nil {
		return nil, err
	}
	runtime.GC()
	began := readClocks()
	r, err := incognito.Search(ctx, t, incognito.Options{K: incognitoK})
	if err != nil {
		return nil, err
	}
	b := &benchIncognito{Attributes: adultNine, K: incognitoK, Nodes: r.Nodes, Evaluated: r.Evaluated, Holding: r.Holding, Minimal: len(r.Minimal), Best: r.Best, NCP: 100 * r.NCP}
	b.CPU, b.Wall = readClocks().since(began)
	return b, nil
}

func (b *benchIncognito) write(w io.Writer) {
	fmt.Fprintf(w, "\nfull-domain, %d attributes, k = %d: %d nodes, %d counted, %d hold, %d minimal; the best loses %.2f %%; %.1f s, %.1f s of processor\n",
		len(b.Attributes), b.K, b.Nodes, b.Evaluated, b.Holding, b.Minimal, b.NCP, b.Wall, b.CPU)
}

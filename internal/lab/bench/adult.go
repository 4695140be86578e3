// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strings"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/mondrian"
	tables "hide/internal/publish/table"
)

// adultColumns are those of the file of the UCI repository. The names are those of
// the hierarchies that go with it.
var adultColumns = strings.Fields("age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain capital-loss hours-per-week native-country salary-class")

// adultQuasi are the eight with which partitioning programs are compared.
var adultQuasi = strings.Fields("age workclass education-num marital-status occupation race sex native-country")

// readAdult reads the rows without missing values, categories as this kind.
func readAdult(text string, kind tables.Kind) (*tables.Table, error) {
	c := adultConfig()
	for _, attribute := range adultQuasi {
		a := tables.AttributeConfig{Name: attribute, Role: tables.Quasi, Kind: kind}
		if attribute == "age" || attribute == "education-num" {
			a.Kind = tables.Number
		}
		c.Attributes = append(c.Attributes, a)
	}
	return readWhole(text, c)
}

func adultConfig() tables.Config {
	return tables.Config{Separator: ",", Columns: adultColumns, Others: tables.Direct, Hierarchies: map[string]*hierarchy.Hierarchy{}}
}

// readWhole reads a table without the lines in which a value is missing.
func readWhole(text string, c tables.Config) (*tables.Table, error) {
	return tables.ReadCSV(strings.NewReader(wholeLines(text)), c)
}

// wholeLines are the lines of a table in which no value is missing.
func wholeLines(text string) string {
	var whole strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" && !strings.Contains(line, "?") {
			whole.WriteString(line)
		}
	}
	return whole.String()
}

// growthK is the k with which growth is measured.
const growthK = 10

func benchGrow(ctx context.Context, t *tables.Table, rows int, cut mondrian.Cut) (growth, error) {
	grown := growTable(t, rows)
	runtime.GC()
	began := readClocks()
	classes, err := mondrian.Partition(ctx, grown, mondrian.Options{K: growthK, Cut: cut})
	if err != nil {
		return growth{}, err
	}
	g := growth{Rows: rows, K: growthK, Classes: len(classes), Peak: peakMiB()}
	g.CPU, g.Wall = readClocks().since(began)
	return g, nil
}

// growTable makes rows out of those of a table: each is one of them, with every
// value one time in ten that of another.
func growTable(t *tables.Table, rows int) *tables.Table {
	rng := rand.New(rand.NewPCG(1, uint64(rows)))
	grown, columns := &tables.Table{Rows: rows}, t.With(tables.Quasi)
	for _, c := range columns {
		column := *c
		column.Codes = make([]int32, rows)
		grown.Columns = append(grown.Columns, &column)
	}
	for row := range rows {
		from := rng.IntN(t.Rows)
		for i, c := range columns {
			at := from
			if rng.IntN(10) == 0 {
				at = rng.IntN(t.Rows)
			}
			grown.Columns[i].Codes[row] = c.Codes[at]
		}
	}
	return grown
}

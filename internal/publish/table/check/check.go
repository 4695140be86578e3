// SPDX-License-Identifier: Apache-2.0

package check

import (
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Release checks a release. What is wrong is in the report; an error means that
// something could not be read, or that this is no such release.
func Release(fsys fs.FS) (Report, error) {
	c := &checker{fsys: fsys}
	if err := c.readManifest(); err != nil {
		return Report{}, err
	}
	for _, step := range []func() error{c.checkFiles, c.readTable, c.checkClasses, c.checkSensitive} {
		if err := step(); err != nil {
			return Report{}, err
		}
	}
	c.report.OK = c.report.Found == 0
	return c.report, nil
}

// checker is the state of one verification.
type checker struct {
	fsys     fs.FS
	report   Report
	manifest manifest
	classes  map[string]int // by quasi-identifiers
	sizes    []int          // [class]
	// values of the sensitive attributes of all rows, by number
	sensitive []sensitive
}

// sensitive is one attribute about which something is claimed.
type sensitive struct {
	attribute
	place  int // of its column
	number map[string]int
	words  []string
	counts []map[int]int // [class] rows by value
}

// readTable reads table.csv once and counts.
func (c *checker) readTable() error {
	f, err := c.fsys.Open(tableName)
	if err != nil {
		return fmt.Errorf("%w: there is no %s", ErrNoRelease, tableName)
	}
	defer f.Close() // only read
	in := csv.NewReader(f)
	in.ReuseRecord = true
	quasi, ok := c.header(in)
	if !ok {
		return nil
	}
	c.classes = map[string]int{}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			c.report.add(tableName, "record %d cannot be read", c.report.Rows+2)
			return nil
		}
		c.count(row, quasi)
	}
}

// header compares the columns with what the manifest says is released, and gives
// the places of the quasi-identifiers.
func (c *checker) header(in *csv.Reader) (quasi []int, ok bool) {
	var want []string
	for _, a := range c.manifest.Attributes {
		if !a.Released {
			continue
		}
		switch a.Role {
		case "quasi":
			quasi = append(quasi, len(want))
		case "sensitive":
			c.sensitive = append(c.sensitive, sensitive{attribute: a, place: len(want), number: map[string]int{}})
		case "insensitive":
		default:
			c.report.add(manifestName, "releases attribute %q, which is %s", a.Name, a.Role)
		}
		want = append(want, a.Name)
	}
	got, err := in.Read()
	if err != nil || !slices.Equal(got, want) {
		c.report.add(tableName, "has other columns than %s releases", manifestName)
		return nil, false
	}
	return quasi, true
}

func (c *checker) count(row []string, quasi []int) {
	var key strings.Builder
	for _, i := range quasi {
		fmt.Fprintf(&key, "%d:%s,", len(row[i]), row[i])
	}
	class, known := c.classes[key.String()]
	if !known {
		class = len(c.sizes)
		c.classes[key.String()] = class
		c.sizes = append(c.sizes, 0)
	}
	c.sizes[class]++
	c.report.Rows++
	for i := range c.sensitive {
		s := &c.sensitive[i]
		for len(s.counts) <= class {
			s.counts = append(s.counts, map[int]int{})
		}
		value, known := s.number[row[s.place]]
		if !known {
			value = len(s.words)
			word := strings.Clone(row[s.place])
			s.number[word], s.words = value, append(s.words, word)
		}
		s.counts[class][value]++
	}
}

// checkClasses compares the classes with what is claimed.
func (c *checker) checkClasses() error {
	r, claimed := &c.report, c.manifest.Counts
	r.Classes = len(c.sizes)
	if len(c.sizes) > 0 {
		r.Smallest = slices.Min(c.sizes)
	}
	if r.K < 2 {
		r.add(manifestName, "claims k = %d, which says nothing", r.K)
	}
	small, rows := 0, 0
	for _, n := range c.sizes {
		if n < r.K && !r.Map {
			small, rows = small+1, rows+n
		}
	}
	if small > 0 {
		r.add(tableName, "has %d classes, %d rows together, of less than k = %d rows", small, rows, r.K)
	}
	if claimed.Rows != r.Rows {
		r.add(manifestName, "claims %d rows, there are %d", claimed.Rows, r.Rows)
	}
	if claimed.Classes != r.Classes || claimed.Smallest != r.Smallest {
		r.add(manifestName, "claims %d classes of at least %d rows, there are %d of at least %d", claimed.Classes, claimed.Smallest, r.Classes, r.Smallest)
	}
	return nil
}

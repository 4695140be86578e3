// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
)

const tableName = "table.csv"

// tableClaims are the claims of a release of a table, in the order of the file.
type tableClaims struct {
	Parameters tableParameters `json:"parameters"`
	Attributes []attribute     `json:"attributes"`
	Counts     tableCounts     `json:"counts"`
}

type tableParameters struct {
	K           int     `json:"k"`
	Map         bool    `json:"k_map,omitempty"`
	Method      string  `json:"method"`
	Cut         string  `json:"cut,omitempty"`
	Relaxed     bool    `json:"relaxed,omitempty"`
	Suppression float64 `json:"suppression_percent,omitempty"`
	Levels      []int   `json:"levels,omitempty"`
}

type attribute struct {
	Name      string   `json:"name"`
	Role      string   `json:"role"`
	Kind      string   `json:"kind"`
	Released  bool     `json:"released"`
	Order     []string `json:"order,omitempty"`
	L         float64  `json:"l,omitempty"`
	Diversity string   `json:"diversity,omitempty"`
	C         float64  `json:"c,omitempty"`
	T         float64  `json:"t,omitempty"`
	Distance  string   `json:"distance,omitempty"`
	Hierarchy string   `json:"hierarchy,omitempty"`
}

type tableCounts struct {
	Rows       int `json:"rows"`
	Suppressed int `json:"suppressed"`
	Classes    int `json:"equivalence_classes"`
	Smallest   int `json:"smallest_class"`
}

// tableChecker is the state of the verification of a table.
type tableChecker struct {
	*release
	report    *Table
	claims    tableClaims
	classes   map[string]int // by quasi-identifiers
	sizes     []int          // [class]
	sensitive []sensitive
}

// sensitive is an attribute with claims. Its values in all rows are numbered.
type sensitive struct {
	attribute
	place  int // index of its column
	number map[string]int
	words  []string
	counts []map[int]int // [class] rows by value
}

func checkTable(r *release) (Result, error) {
	c := &tableChecker{release: r, report: &Table{Report: *r.Report, Conditions: []Condition{}}}
	r.Report = &c.report.Report
	if err := r.claims(&c.claims); err != nil {
		return c.report, err
	}
	c.report.K, c.report.Map = c.claims.Parameters.K, c.claims.Parameters.Map
	if err := c.readTable(); err != nil {
		return c.report, err
	}
	c.checkClasses()
	c.checkLinkage(linkable{patients: c.report.Rows + c.claims.Counts.Suppressed, exactly: true, k: c.report.K, smallest: c.report.Smallest})
	return c.report, c.checkSensitive()
}

// readTable reads table.csv once and counts.
func (c *tableChecker) readTable() error {
	f, err := c.fsys.Open(tableName)
	if err != nil {
		return fmt.Errorf("%w: there is no %s", ErrNotRelease, tableName)
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
			c.Add(tableName, "record %d cannot be read", c.report.Rows+2)
			return nil
		}
		c.restore(row)
		c.count(row, quasi)
	}
}

// header compares the columns with those in the manifest, and returns the indices of the
// quasi-identifiers.
func (c *tableChecker) header(in *csv.Reader) (quasi []int, ok bool) {
	var want []string
	for _, a := range c.claims.Attributes {
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
			c.Add(manifestName, "says that attribute %q is released, which is %s", a.Name, a.Role)
		}
		want = append(want, a.Name)
	}
	got, err := in.Read()
	c.restore(got)
	if err != nil || !slices.Equal(got, want) {
		c.Add(tableName, "does not have the columns that %s says are released", manifestName)
		return nil, false
	}
	return quasi, true
}

func (c *tableChecker) count(row []string, quasi []int) {
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

// checkClasses compares the classes with the claims.
func (c *tableChecker) checkClasses() {
	r, claimed := c.report, c.claims.Counts
	r.Classes = len(c.sizes)
	if len(c.sizes) > 0 {
		r.Smallest = slices.Min(c.sizes)
	}
	if r.K < 2 {
		r.Add(manifestName, "claims k = %d; k must be at least 2", r.K)
	}
	small, rows := 0, 0
	for _, n := range c.sizes {
		if n < r.K && !r.Map {
			small, rows = small+1, rows+n
		}
	}
	if small > 0 {
		r.Add(tableName, "has %d equivalence classes, %d rows together, of fewer than k = %d rows", small, rows, r.K)
	}
	if claimed.Rows != r.Rows {
		r.Add(manifestName, "claims %d rows, there are %d", claimed.Rows, r.Rows)
	}
	if claimed.Classes != r.Classes || claimed.Smallest != r.Smallest {
		r.Add(manifestName, "claims %d equivalence classes of at least %d rows, there are %d of at least %d", claimed.Classes, claimed.Smallest, r.Classes, r.Smallest)
	}
}

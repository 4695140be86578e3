// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// countsClaims are the claims of a release of differentially private counts, in the order
// of the file. Claims that cannot be recomputed are copied.
type countsClaims struct {
	Promise    string          `json:"promise"`
	Conditions []string        `json:"conditions"`
	Source     string          `json:"source"`
	Neighbours string          `json:"neighbours"`
	Epsilon    int64           `json:"micro_epsilon"`
	Receipt    json.RawMessage `json:"receipt"`
	Phases     []phase         `json:"phases"`
	Errors     json.RawMessage `json:"expected_errors"`
	Trends     []trend         `json:"trends,omitempty"`
	Settings   json.RawMessage `json:"settings"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Query      string          `json:"query,omitempty"`
}

// countsSettings are the checked settings.
type countsSettings struct {
	Bound      int64       `json:"bound"`    // rows of one key; 0 is 1
	Unjoined   int64       `json:"unjoined"` // keys of one unit; 0 is 1
	Dimensions []dimension `json:"dimensions"`
	Alphabet   []string    `json:"alphabet"`
	Ordered    bool        `json:"ordered"` // the alphabet is
	Fixed      bool        `json:"fixed"`
	Separator  string      `json:"separator"`
}

// phase is a share of epsilon and the counts that it pays for.
type phase struct {
	Name        string  `json:"name"`
	Epsilon     int64   `json:"micro_epsilon"`
	Sensitivity int64   `json:"sensitivity"`
	Scale       float64 `json:"scale"`
	Counts      int     `json:"counts"`
}

type receipt struct {
	Epsilon int64 `json:"micro_epsilon"`
	Part    struct {
		Partition string `json:"partition"`
	} `json:"part"`
	Before int64 `json:"spent_before_micro_epsilon"`
	After  int64 `json:"spent_after_micro_epsilon"`
	Limit  int64 `json:"limit_micro_epsilon"`
}

const (
	mostEpsilon = 1 << 40 // in millionths: sums of phases cannot overflow
	mostDrawn   = 4 << 30
)

// countsChecker is the state of the verification of counts.
type countsChecker struct {
	*release
	report   *Counts
	claims   countsClaims
	settings countsSettings
}

func checkCounts(r *release) (Result, error) {
	c := &countsChecker{release: r, report: &Counts{Report: *r.Report}}
	r.Report = &c.report.Report
	if err := r.claims(&c.claims); err != nil {
		return c.report, err
	}
	if json.Unmarshal(c.claims.Settings, &c.settings) != nil {
		return c.report, fmt.Errorf("%w: the settings in %s are not as expected", ErrNotRelease, manifestName)
	}
	c.report.Epsilon, c.report.Promise, c.report.Receipt = c.claims.Epsilon, c.claims.Promise, c.claims.Receipt
	c.checkArithmetic()
	c.checkReceipt()
	c.checkDrawn()
	c.checkTrends()
	c.checkLinkage(linkable{})
	return c.report, nil
}

// checkArithmetic checks the spending and the required scale of noise.
func (c *countsChecker) checkArithmetic() {
	var sum int64
	most := max(1, c.settings.Bound) * max(1, c.settings.Unjoined)
	for _, p := range c.claims.Phases {
		sum += p.Epsilon
		switch {
		case p.Epsilon < 1 || p.Sensitivity < 1 || p.Counts < 0:
			c.Add(manifestName, "phase %q has an epsilon or a sensitivity of 0", p.Name)
		case p.Epsilon > mostEpsilon:
			c.Add(manifestName, "phase %q spends more than any budget has", p.Name)
		case p.Sensitivity != most:
			c.Add(manifestName, "phase %q has a sensitivity of %d; %d rows of each unit may count", p.Name, p.Sensitivity, most)
		case math.Abs(p.Scale*float64(p.Epsilon)/1e6/float64(p.Sensitivity)-1) > 1e-9:
			c.Add(manifestName, "phase %q has noise of scale %v; sensitivity %d and epsilon %v require %v", p.Name, p.Scale, p.Sensitivity, float64(p.Epsilon)/1e6, float64(p.Sensitivity)*1e6/float64(p.Epsilon))
		}
		c.report.Counts += p.Counts
	}
	if sum != c.claims.Epsilon {
		c.Add(manifestName, "the phases spend %d millionths of epsilon, and %d are claimed", sum, c.claims.Epsilon)
	}
}

func (c *countsChecker) checkReceipt() {
	var r receipt
	if err := json.Unmarshal(c.claims.Receipt, &r); err != nil {
		c.Add(manifestName, "there is no receipt of a debit")
		return
	}
	spent := r.After - r.Before
	switch {
	case r.Epsilon != c.claims.Epsilon:
		c.Add(manifestName, "the receipt is about %d millionths of epsilon, and %d are claimed", r.Epsilon, c.claims.Epsilon)
	case spent < 0 || spent > r.Epsilon || r.Part.Partition == "" && spent != r.Epsilon:
		c.Add(manifestName, "the receipt does not add up")
	case r.After > r.Limit:
		c.Add(manifestName, "the receipt spends %d of %d", r.After, r.Limit)
	}
}

// checkDrawn checks that each draw of noise has one count.
func (c *countsChecker) checkDrawn() {
	want := map[string]int{}
	for i, p := range c.claims.Phases {
		if name := c.fileOf(i); name != "" {
			want[name] += p.Counts
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		rows, err := c.readCSV(name)
		if err != nil || drawn(rows) != want[name] {
			c.Add(name, "does not have the %d counts that noise was drawn for", want[name])
			continue
		}
		if name == blocksName && len(c.claims.Phases) == 2 {
			c.checkCovered(rows, c.claims.Phases[0].Counts)
		}
	}
}

const blocksName = "blocks.csv"

// fileOf is the file with the counts of a phase; "" if they are not released.
func (c *countsChecker) fileOf(i int) string {
	switch p := c.claims.Phases[i]; {
	case c.Kind == "cube" && p.Name == "cells" && len(c.claims.Phases) == 1:
		return "cells.csv"
	case p.Name == "blocks" || p.Name == "total":
		return blocksName
	case c.Kind == "cube" && strings.HasPrefix(p.Name, "marginal "):
		return fmt.Sprintf("marginal-%d.csv", i+1)
	case c.Kind == "sequences":
		return "tree.csv"
	case c.Kind == "query":
		return "answer.csv"
	}
	return ""
}

// drawn is the number of noisy counts in a file: one per row, except for blocks, which
// say how many were merged.
func drawn(rows [][]string) int {
	at := slices.Index(rows[0], "noisy counts")
	if at < 0 {
		return len(rows) - 1
	}
	sum := 0
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[at])
		if err != nil || n < 1 || n > mostDrawn {
			return -1
		}
		sum += n
	}
	return sum
}

// checkCovered checks that the blocks together cover all cells.
func (c *countsChecker) checkCovered(rows [][]string, cells int) {
	at, sum := slices.Index(rows[0], "cells"), 0
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[max(0, at)])
		if err != nil || n < 1 {
			sum = -1
			break
		}
		sum += n
	}
	if sum != cells {
		c.Add(blocksName, "the blocks do not cover the %d cells of the domain", cells)
	}
}

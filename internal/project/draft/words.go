// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"hide/internal/project"
	"hide/internal/words"
)

// Serves reports whether a draft is what preparing with these settings would give: it is
// neither stale nor published, and was made with the same settings.
func (d Draft) Serves(s Settings) bool {
	mine, err1 := json.Marshal(d.Settings)
	other, err2 := json.Marshal(s)
	return d.Stale == "" && d.Published == "" && errors.Join(err1, err2) == nil && bytes.Equal(mine, other)
}

// Write prints a draft: its counts by label and action, and what the attacker links.
func (d Draft) Write(w io.Writer) {
	fmt.Fprintf(w, "draft %s, policy %s (%s)\n", d.Version, d.Policy.ID(), d.Policy.Basis.Words())
	fmt.Fprintf(w, "%s: %s of %s, %s\n", d.Subset.Words(), words.Count(d.Notes, "note", "notes"), words.Count(d.Patients, "patient", "patients"), words.Count(d.Places, "place", "places"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "label\taction\tplaces\tto decide")
	for _, c := range d.ByLabel {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\n", c.Label, c.Action.Words(), c.N, c.Problems)
	}
	_ = t.Flush() // an error of w comes back at the next write
	if d.Attack != nil {
		for _, line := range d.Attack.Words() {
			fmt.Fprintln(w, line)
		}
	}
	if d.Stale != "" {
		fmt.Fprintln(w, "out of date:", d.Stale)
	}
	if d.Problems > 0 {
		fmt.Fprintf(w, "%s a decision before the release.\n", words.Count(d.Problems, "place needs", "places need"))
	}
}

// mostCohort limits the lines of a cohort.
const mostCohort = 1_000_000

// ReadCohort reads names of notes and patients, one on each line. Blank lines are skipped.
func ReadCohort(r io.Reader) ([]string, error) {
	out := []string{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if name := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff")); name != "" {
			out = append(out, name)
		}
		if n > mostCohort {
			return nil, project.Invalidf("split the cohort", "the cohort has more than %d lines", mostCohort)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, project.Invalidf("write one name on each line, as UTF-8 text", "the cohort cannot be read: %v", err)
	}
	return out, nil
}

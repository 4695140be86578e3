// SPDX-License-Identifier: Apache-2.0

package splitkeys

import (
	"fmt"
	"io"
	"strconv"

	"hide/internal/lab"
)

// Write prints the result as text.
func (r *Result) Write(w io.Writer) {
	fmt.Fprintf(w, "%d notes in %d records of %d people, %d of whom have several keys; model trained on %d notes\n\n", r.Notes, r.Records, r.People, r.Split, r.Trained)
	rows := [][]string{{"links", "patients", "pairs", "precision", "recall", "estimated", "F1", "known identifiers found"}}
	for _, s := range r.Stages {
		rows = append(rows, []string{s.Name, strconv.Itoa(s.Patients), strconv.FormatInt(s.Links, 10), share(s.Precision), share(s.Recall), share(s.Estimated), share(s.F1), strconv.Itoa(s.Known)})
	}
	lab.WriteRows(w, rows)
	fmt.Fprint(w, "\nMissed tokens of identifiers in notes without annotations, by what is redacted\n\n")
	rows = [][]string{{"links", "notes of", "tokens", "known", "and rules", "and the model", "of these, names of patients"}}
	for _, s := range r.Stages {
		rows = append(rows, s.All.row(s.Name, "all"), s.Split.row("", "people with several keys"))
	}
	lab.WriteRows(w, rows)
	r.writeTables(w)
}

func (m Missed) row(stage, of string) []string {
	cell := func(n int) string { return fmt.Sprintf("%d (%.2f %%)", n, 100*float64(n)/float64(max(1, m.Tokens))) }
	return []string{stage, of, strconv.Itoa(m.Tokens), cell(m.Known), cell(m.KnownRules), cell(m.WithAModel), strconv.Itoa(m.PatientOnly)}
}

func (r *Result) writeTables(w io.Writer) {
	if len(r.Classes) == 0 {
		fmt.Fprintf(w, "\nNo table: the notes have no fields for one, or too few patients for k = %d.\n", r.K)
		return
	}
	fmt.Fprintf(w, "\nTable of birth date, sex and ZIP code with k = %d\n\n", r.K)
	rows := [][]string{{"rows are", "rows", "rows too many", "expected", "classes", "k claimed", "true k", "expected k", "classes below k", "people in them", "probability of one"}}
	for _, c := range r.Classes {
		name, expected, least, below := "records", "-", "-", "-"
		if c.Linked {
			name, expected, least, below = "linked patients", fmt.Sprintf("%.1f", c.Expected), fmt.Sprintf("%.1f", c.Least), share(c.Probability)
		}
		rows = append(rows, []string{name, strconv.Itoa(c.Rows), strconv.Itoa(c.Duplicates), expected, strconv.Itoa(c.Classes), strconv.Itoa(c.Claimed), strconv.Itoa(c.True), least,
			strconv.Itoa(c.Below), strconv.Itoa(c.Exposed), below})
	}
	lab.WriteRows(w, rows)
}

func share(x float64) string { return fmt.Sprintf("%.3f", x) }

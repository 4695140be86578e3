// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"hide/internal/annotate"
	"hide/internal/words"
)

// Write writes the state of a linkage in words, without a value of a record.
func (st State) Write(w io.Writer) {
	f := st.Figures
	if !st.Linked {
		fmt.Fprintln(w, "not linked: records are counted as patients")
		return
	}
	fmt.Fprintf(w, "%s are %s: %s with a probability of at least %g, %s to review from %g on, %s\n",
		words.Count(f.Records, "record", "records"), words.Count(f.Patients, "patient", "patients"), words.Count(f.Links, "link", "links"), f.Link,
		words.Count(f.Review, "pair", "pairs"), f.Floor, words.Count(f.Decided, "decision", "decisions"))
	fmt.Fprintf(w, "expected: %.1f links are missing, %.1f are false; precision %.3f, recall %.3f\n", f.Missed, f.False, f.Precision, f.Recall)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PASS\tLINKS\tPATIENTS\tKNOWN IDENTIFIERS FOUND\tVALUES")
	for i, p := range st.Run.Passes {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%d\n", i, p.Links, p.Patients, p.Found, p.Values)
	}
	t.Flush() // like the other lines, an error of w is that of the caller
	if st.ImportedSince > 0 {
		fmt.Fprintf(w, "%s imported or restored since: link again\n", words.Count(st.ImportedSince, "note was", "notes were"))
	}
}

// Write writes a decision in words.
func (d Decision) Write(w io.Writer) {
	same, gone := "different people", ""
	if d.Same {
		same = "the same person"
	}
	if d.Gone {
		gone = ", not in the project now"
	}
	fmt.Fprintf(w, "decision %d: record %d (%s) and record %d (%s) are %s, by %s on %s%s\n", d.Number,
		d.Pair.A, notesWords(d.Notes[0]), d.Pair.B, notesWords(d.Notes[1]), same, d.By, d.At.Format("2006-01-02 15:04"), gone)
}

// Write writes a pair that waits for a decision in words, without a value of its records.
func (p Pair) Write(w io.Writer) {
	fmt.Fprintf(w, "record %d (%s) and record %d (%s): %s, probability %.3f\n", p.Left.Number, notesWords(p.Left.Notes), p.Right.Number, notesWords(p.Right.Notes), p.Status, p.Probability)
}

// mostNamed is how many notes of a record are named.
const mostNamed = 3

// notesWords name the first notes of a record by their numbers. Keys and names of notes are
// identifiers.
func notesWords(docs []annotate.DocumentID) string {
	if len(docs) == 0 {
		return "no note"
	}
	var all []string
	for _, doc := range docs[:min(len(docs), mostNamed)] {
		all = append(all, fmt.Sprint(doc))
	}
	out := "note " + all[0]
	if len(docs) > 1 {
		out = "notes " + strings.Join(all, ", ")
	}
	if more := len(docs) - len(all); more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

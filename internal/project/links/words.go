// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"io"
	"text/tabwriter"

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
	fmt.Fprintf(w, "decision %d: records %d and %d are %s, by %s on %s%s\n", d.Number, d.Pair.A, d.Pair.B, same, d.By, d.At.Format("2006-01-02 15:04"), gone)
}

// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Write prints a result for people: the problems, or what the release is. name stands for a
// release that does not say its own.
func Write(w io.Writer, name string, found Result) {
	r := found.Common()
	for _, p := range r.Problems {
		fmt.Fprintf(w, "  %s\n", p)
	}
	if more := r.Found - len(r.Problems); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	if !r.OK {
		return
	}
	if r.Name != "" {
		name = r.Name
	}
	fmt.Fprintf(w, "%s is what it claims: ", name)
	if kind, ok := found.(interface{ write(w io.Writer) }); ok {
		kind.write(w)
	}
	for _, line := range r.Linkage.Lines() {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintf(w, "manifest.json %s\n", r.SHA256)
	r.writeSigned(w)
}

func (r *Text) write(w io.Writer) {
	fmt.Fprintf(w, "%d notes, %d published tokens, %d files, %d bytes\n", r.Documents, r.Tokens, r.Files, r.Bytes)
	for _, label := range slices.Sorted(maps.Keys(r.Redactions)) {
		fmt.Fprintf(w, "  %-16s %d redactions\n", label, r.Redactions[label])
	}
	lines := r.Lines()
	if r.Policy != nil {
		lines = append(lines, append(r.Policy.Lines(), r.Statement)...)
	}
	for _, line := range slices.Concat(lines, r.Figures, r.Target, r.Attack) {
		fmt.Fprintln(w, line)
	}
}

func (r *Table) write(w io.Writer) {
	fmt.Fprintf(w, "%d rows in %d equivalence classes, the smallest of %d; k = %d\n", r.Rows, r.Classes, r.Smallest, r.K)
	if r.Map {
		fmt.Fprintf(w, "  k counts people of a population that is not in the release: it cannot be checked here\n")
	}
	for _, c := range r.Conditions {
		fmt.Fprintf(w, "  %-16s %s %g, worst class %.4g\n", c.Attribute, c.Model, c.Claimed, c.Worst)
	}
}

func (r *Joint) write(w io.Writer) {
	fmt.Fprintf(w, "%d persons with %d rows, in equivalence classes of at least %d (k = %d)\n", r.Persons, r.Rows, r.Least, r.K)
	fmt.Fprintf(w, "  %d sensitive terms kept by their whole class, %d recoded, %d suppressed\n", r.Kept, r.Recoded, r.Suppressed)
	if r.Cells > 0 {
		fmt.Fprintf(w, "  %d released values compared with the originals: each covers its original\n", r.Cells)
	}
	if r.Compared > 0 {
		fmt.Fprintf(w, "  %d terms compared with the originals: %d leaks; the words of %d suppressed terms stand elsewhere in notes of the same person\n", r.Compared, r.Leaks, r.Elsewhere)
	}
	for _, line := range r.Attack {
		fmt.Fprintln(w, line)
	}
}

func (r *Counts) write(w io.Writer) {
	fmt.Fprintf(w, "%s, epsilon %s, %d noisy counts, %d files\n", r.Kind, epsilonWords(r.Epsilon), r.Counts, r.Files)
	if r.Ledger != "" {
		fmt.Fprintln(w, "the ledger agrees:", r.Ledger)
	}
}

// epsilonWords is the shortest decimal number of millionths.
func epsilonWords(micro int64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%06d", micro/1e6, micro%1e6), "0"), ".")
}

// writeSigned says what the signed files show.
func (r *Report) writeSigned(w io.Writer) {
	if p := r.Evidence; p != nil {
		draws := "1 draw"
		if p.Draws != 1 {
			draws = fmt.Sprintf("%d draws", p.Draws)
		}
		fmt.Fprintf(w, "evidence: review %d approved these files; %s of the project, %d abandoned\n", p.Review, draws, p.Abandoned)
		switch b := p.Bounds; {
		case p.Left != nil:
			fmt.Fprintf(w, "  recomputed: at most %d of %d passages may still hold an identifier, with %.0f %% confidence, after %d were read\n", *p.Left, b.Passages, 100*b.Confidence, b.Read)
		default:
			fmt.Fprintln(w, "  there is no certificate")
		}
	}
	if s := r.Status; s != nil {
		fmt.Fprintf(w, "status: %s, as of %s\n", s.Status, s.Issued)
		if s.Newer != "" {
			fmt.Fprintf(w, "  use %s instead: %s\n", s.Newer, s.Reason)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/detect"
	"hide/internal/project/sanitize"
)

const shareUsage = "`SHARE` of what would be published that attackers label, from .1 to .5; taken as the nearest 1/k"

// checkShare refuses a --share that cannot be; 0 too, which elsewhere stands for the
// usual one.
func (e *env) checkShare(share float64) error {
	if share == 0 {
		return e.usage("--share: nobody who labels nothing attacks: it must be from %g to %g", greedy.MinShare, greedy.MaxShare)
	}
	if err := greedy.CheckShare(share); err != nil {
		return e.usage("--share: %v", err)
	}
	return nil
}

const ceilingUsage = "`SHARE` of the sensitive words that the ranked attacker may find within the largest budget, such as .01: where she finds more, mode default redacts as for a larger L/C; 0 asks for nothing beyond what pays"

// withoutUsage says what --without-part takes.
func withoutUsage() string {
	var rows []string
	for _, part := range detect.PartTable() {
		if detect.Default&part.Parts != 0 {
			rows = append(rows, part.Name+" ("+part.About+")")
		}
	}
	return "comma-separated `parts` that the detector does without: " + strings.Join(rows, "; ")
}

// withoutParts reads a --without-part.
func (e *env) withoutParts(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	names, err := e.list("without-part", list)
	if err != nil {
		return nil, err
	}
	if _, err := detect.Without(names); err != nil {
		return nil, e.usage("--without-part: %v", err)
	}
	return names, nil
}

// attackers reads a --attackers.
func (e *env) attackers(list string) ([]attack.Kind, error) {
	names, err := e.list("attackers", list)
	var out []attack.Kind
	for _, name := range names {
		k := attack.Kind(name)
		if !slices.Contains(attack.Kinds(), k) {
			return nil, e.usage("--attackers: unknown attacker %q: there are %s", name, attackerNames())
		}
		out = append(out, k)
	}
	return out, err
}

// writeRunAttackers prints what the attackers of a run find.
func writeRunAttackers(w io.Writer, r *sanitize.Run) {
	if !slices.ContainsFunc(r.Choices, func(c sanitize.Result) bool { return len(c.Attackers) > 0 }) {
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := false
	for _, c := range r.Choices {
		for _, a := range c.Attackers {
			if !head {
				fmt.Fprint(t, "L/C\tattacker\twith\tTP_A\tFP_A\tdocuments\t")
				for _, p := range a.Points {
					fmt.Fprintf(t, "B=%d\t", p.Budget)
				}
				fmt.Fprintln(t)
				head = true
			}
			fmt.Fprintf(t, "%g\t%s\t%s\t%d\t%d\t%d\t", c.LC, a.Kind, a.Learner, a.Marked.TP, a.Marked.FP, a.Documents)
			for _, p := range a.Points {
				fmt.Fprintf(t, "%.1f\t", p.Found)
			}
			fmt.Fprintln(t)
		}
	}
	t.Flush() // cannot fail but as w does
	fmt.Fprintln(w, "TP_A, FP_A, documents: what each calls sensitive, rightly and wrongly; B: sensitive words among the B that each would look at first")
}

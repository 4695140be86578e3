// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteText writes the report in words and tables, without the warnings. It ignores errors
// of w.
func (r Report) WriteText(w io.Writer) {
	how := fmt.Sprintf("Mondrian, lambda %g, cut by %s", r.Lambda, r.Cut)
	if r.Strategy == GDF {
		how = "GDF"
	}
	fmt.Fprintf(w, "%d persons with %d rows in %d classes of %d to %d (k = %d; %s)\n", r.Persons, r.Rows, r.Classes.Count, r.Classes.Least, r.Classes.Most, r.K, how)
	fmt.Fprintf(w, "%d sensitive terms stand in %d places: %d kept, %d recoded, %d suppressed\n", r.Mentions.Terms, r.Mentions.Places, r.Mentions.Kept, r.Mentions.Recoded, r.Mentions.Suppressed)
	fmt.Fprintf(w, "loss (NCP): %.4f of the attributes, %.4f of the texts, %.4f together\n\n", r.Loss.Relational, r.Loss.Textual, r.Loss.Total)
	r.Loss.writeTable(w)
	fmt.Fprintf(w, "\nrisk of a person: %.4f at most, %.4f on average (table %.4f, text %.4f); %d above %g\n", r.Risk.Max, r.Risk.Mean, r.Risk.MeanTable, r.Risk.MeanText, r.Risk.OverLimits, r.Risk.Threshold)
}

func (l Loss) writeTable(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "attribute\tNCP\t\n")
	for _, a := range l.Attributes {
		fmt.Fprintf(t, "%s\t%.4f\t\n", a.Name, a.Loss)
	}
	fmt.Fprint(t, "\t\t\n")
	fmt.Fprint(t, "terms of type\tpersons\tterms\tsuppressed\tloss\t\n")
	for _, one := range l.Types {
		name := string(one.Type)
		if l.Types[0].Text != l.Types[len(l.Types)-1].Text { // they are by text
			name = one.Text + " " + name
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.4f\t\n", name, one.Persons, one.Terms, one.Suppressed, one.Loss)
	}
	_ = t.Flush() // a table that cannot be written shows in the next write
}

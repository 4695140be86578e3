// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"io"

	"hide/internal/annotate"
	"hide/internal/crf/score"
	"hide/internal/lab"
)

// Errors are what was missed and wrongly found.
type Errors struct {
	Reasons []score.ReasonCount `json:"reasons"` // most frequent first
	Groups  []errorGroup        `json:"groups"`  // largest first
}

// errorGroup is errors of one kind and label on one text, in folded case.
type errorGroup struct {
	Kind      score.Kind           `json:"kind"`
	Label     annotate.Label       `json:"label"`
	Text      string               `json:"text,omitempty"` // only with --show-text
	Count     int                  `json:"count"`
	Documents int                  `json:"documents"`
	Leaks     int                  `json:"leaks"` // tokens that no prediction covers
	Reasons   map[score.Reason]int `json:"reasons"`
	Places    []errorPlace         `json:"places"` // the first few
}

// errorPlace is where an error is: the number of the document in its file, from 1,
// and code points.
type errorPlace struct {
	Document int              `json:"document"`
	Start    annotate.RuneOff `json:"start"`
	End      annotate.RuneOff `json:"end"`
}

// How many places of a group are named, and how many groups a table shows.
const (
	errorPlaces = 5
	errorRows   = 20
)

func (found *Predictions) listErrors(showText bool) *Errors {
	all := found.errors()
	groups := score.Groups(all, func(e score.Error) string { return e.Span.Surface(found.docs[e.Document].Text) })
	out := &Errors{Reasons: score.ByReason(all), Groups: make([]errorGroup, len(groups))}
	for i, g := range groups {
		out.Groups[i] = errorGroup{Kind: g.Kind, Label: g.Label, Count: g.Count, Documents: g.Documents, Leaks: g.Leaks, Reasons: map[score.Reason]int{}}
		for _, r := range g.Reasons {
			out.Groups[i].Reasons[r.Reason] = r.Count
		}
		if showText {
			out.Groups[i].Text = g.Text
		}
		for _, e := range g.Errors[:min(len(g.Errors), errorPlaces)] {
			start, end := annotate.NewOffsets(found.docs[e.Document].Text).Range(e.Span)
			out.Groups[i].Places = append(out.Groups[i].Places, errorPlace{e.Document + 1, start, end})
		}
	}
	return out
}

func writeErrors(w io.Writer, v *Errors) {
	t := lab.Table(w)
	fmt.Fprint(t, "\nwhat was wrong\tspans\tdocuments\ttokens left\twhy\t\n")
	for _, r := range v.Reasons {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t\n", r.Kind, r.Count, r.Documents, r.Leaks, r.Reason.Words(r.Kind))
	}
	_ = t.Flush() // a table that cannot be written shows in the next write
	t = lab.Table(w)
	fmt.Fprint(t, "\nwhat was wrong\tlabel\tspans\tdocuments\ttokens left\tfirst place\ttext\t\n")
	for _, g := range v.Groups[:min(len(v.Groups), errorRows)] {
		p := g.Places[0]
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\tdocument %d, %d-%d\t%s\t\n", g.Kind, g.Label, g.Count, g.Documents, g.Leaks, p.Document, p.Start, p.End, g.Text)
	}
	_ = t.Flush() // as above
	if more := len(v.Groups) - errorRows; more > 0 {
		fmt.Fprintf(w, "and %d more; --json has them all\n", more)
	}
	fmt.Fprintln(w)
}

// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/lab"
)

// Evaluation holds the scores of predictions.
type Evaluation struct {
	Learner string `json:"learner,omitempty"` // "" for a model read from a file
	score.Report
	Train       training          `json:"train"`
	Tag         tagging           `json:"tag"`
	ModelSHA256 string            `json:"model_sha256"`       // of the model without its card; with folds, of their models' hashes in order
	Entities    *score.Protection `json:"entities,omitempty"` // nil without an entities file
	Errors      *Errors           `json:"errors,omitempty"`

	withTags bool
}

// Options configure an [Evaluation].
type Options struct {
	Resamples int // for 95 % intervals; 0 computes none
	Seed      uint64
	Learner   string
	Tags      bool // print the tags of tokens; JSON always has them
	Errors    bool // list missed PHI and false positives
	ShowText  bool // with their texts, which are words from notes
}

// Evaluate scores predictions.
func (found *Predictions) Evaluate(o Options) Evaluation {
	v := Evaluation{
		Learner: o.Learner, withTags: o.Tags,
		Report: score.Of(found.docs, score.Options{Resamples: o.Resamples, Seed: o.Seed}),
		Train:  found.train, Tag: found.tag, ModelSHA256: found.sha256,
	}
	if found.entities != nil {
		v.Entities = protection(found.docs, found.entities)
	}
	if o.Errors {
		v.Errors = found.listErrors(o.ShowText)
	}
	return v
}

// CardScore summarizes an evaluation for the card of a model.
func (found *Predictions) CardScore(how string) crf.CardScore {
	r := score.Of(found.docs, score.Options{})
	return crf.CardScore{
		How: how, Documents: r.Documents, DocumentsWithLeak: r.DocumentsWithLeak,
		Entity: cardRatios(r.Entity.Micro), Token: cardRatios(r.Token.Micro),
	}
}

func cardRatios(t score.Tally) crf.CardRatios {
	return crf.CardRatios{Precision: t.Precision, Recall: t.Recall, F1: t.F1}
}

// Write prints an evaluation as text.
func (v Evaluation) Write(w io.Writer) {
	v.writeFigures(w)
	writeMasking(w, v.Masking)
	if v.withTags {
		writeLevel(w, "tags of tokens", v.Tags.Level)
		fmt.Fprintln(w)
	}
	a := v.Tags.Accuracy
	fmt.Fprintf(w, "overall accuracy %.4f: %d of %d tokens have the right tag, O included%s\n", a.Share, a.Count, a.Of, percents(a))
	writeLeaks(w, v.Leaks)
	writeCalibration(w, v.Calibration)
	if v.Bootstrap.Resamples > 0 {
		fmt.Fprintf(w, "95 %% intervals by %d draws of %d groups (patients, and notes without one) with %d notes\n",
			v.Bootstrap.Resamples, v.Bootstrap.Groups, v.Bootstrap.Documents)
	}
	if v.Entities != nil {
		writeProtection(w, v.Entities)
	}
	if v.Errors != nil {
		writeErrors(w, v.Errors)
	}
	fmt.Fprintf(w, "%stagged %.0f tokens/s\n", trainedWords(v), v.Tag.TokensPerSecond)
}

// writeFigures prints the figures of spans and tokens, by label where the learner has labels.
func (v Evaluation) writeFigures(w io.Writer) {
	if v.Unlabelled {
		fmt.Fprintf(w, "%s marks PHI and predicts no labels. A run is a maximal sequence of neighbouring tokens, marked or PHI.\n", v.Learner)
		if lab.IsOutside(v.Learner) {
			fmt.Fprintf(w, "It %s.\n", elsewhereWarning)
		}
		fmt.Fprintln(w)
		t := lab.Table(w)
		fmt.Fprint(t, "whatever the label\tprecision\trecall\tF1\tright\tfalse alarms\tmissed\t95 % of precision\tof recall\tof F1\t\n")
		writeTally(t, "runs", v.Entity.Micro)
		writeTally(t, "runs that overlap", v.Overlap.Micro)
		writeTally(t, "tokens", v.Binary)
		_ = t.Flush() // a write error shows in the next write
		fmt.Fprintln(w)
		return
	}
	writeLevel(w, "spans", v.Entity)
	fmt.Fprintln(w)
	writeLevel(w, "tokens", v.Token)
	fmt.Fprintln(w)
	writeWays(w, v.Report)
	fmt.Fprintln(w)
}

// writeMasking prints how many spans of each label are masked.
func writeMasking(w io.Writer, m score.Masking) {
	t := lab.Table(w)
	fmt.Fprint(t, "masked, whatever the label\tspans\twholly masked\tshare\t95 % interval\ttouched\tshare\t95 % interval\t\n")
	shares := map[annotate.Label]score.Share{}
	for label, s := range m.Labels {
		shares[label] = s.Covered
	}
	for _, label := range byNumber(shares) {
		writeMasked(t, string(label), m.Labels[label])
	}
	writeMasked(t, "all", m.Spans)
	_ = t.Flush() // a write error shows in the next write
	fmt.Fprintf(w, "%d of %d masked runs hold nothing but PHI%s, %d hold no PHI%s\n\n",
		m.Inside.Count, m.Inside.Of, percents(m.Inside), m.Alarms.Count, percents(m.Alarms))
}

func writeMasked(w io.Writer, name string, s score.SpanMasking) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%.4f\t%s\t%d\t%.4f\t%s\t\n", name, s.Covered.Of,
		s.Covered.Count, s.Covered.Share, interval(s.Covered.Interval), s.Touched.Count, s.Touched.Share, interval(s.Touched.Interval))
}

// trainedWords describe the training. They are "" for a model read from a file, and have
// no objective for naive Bayes, which is not iterative.
func trainedWords(v Evaluation) string {
	switch {
	case v.Train.Seconds == 0:
		return ""
	case v.Train.Iterations == 0:
		return fmt.Sprintf("trained in %.1f s, ", v.Train.Seconds)
	}
	return fmt.Sprintf("trained in %.1f s (%d iterations, objective %.1f), ", v.Train.Seconds, v.Train.Iterations, v.Train.Objective)
}

// writeLevel prints a table with one row per label, the most frequent first.
func writeLevel(w io.Writer, name string, level score.Level) {
	labels := slices.SortedFunc(maps.Keys(level.Labels), func(a, b annotate.Label) int {
		x, y := level.Labels[a], level.Labels[b]
		return cmp.Or(cmp.Compare(y.TP+y.FN, x.TP+x.FN), cmp.Compare(a, b))
	})
	t := lab.Table(w)
	fmt.Fprintf(t, "%s\tprecision\trecall\tF1\tright\tfalse alarms\tmissed\t95 %% of precision\tof recall\tof F1\t\n", name)
	for _, l := range labels {
		writeTally(t, string(l), level.Labels[l])
	}
	writeTally(t, "all", level.Micro)
	m := level.Macro
	fmt.Fprintf(t, "mean of labels\t%.4f\t%.4f\t%.4f\t\t\t\t%s\n", m.Precision, m.Recall, m.F1, intervals(m.Interval))
	_ = t.Flush() // a write error shows in the next write
}

func writeTally(w io.Writer, name string, t score.Tally) {
	fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%.4f\t%d\t%d\t%d\t%s\n", name, t.Precision, t.Recall, t.F1, t.TP, t.FP, t.FN, intervals(t.Interval))
}

func intervals(i *score.Intervals) string {
	if i == nil {
		return "\t\t\t"
	}
	return interval(&i.Precision) + "\t" + interval(&i.Recall) + "\t" + interval(&i.F1) + "\t"
}

func interval(i *score.Interval) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf("%.4f-%.4f", i.Low, i.High)
}

// writeWays prints a row for each other matching criterion.
func writeWays(w io.Writer, r score.Report) {
	t := lab.Table(w)
	fmt.Fprint(t, "counted otherwise\tprecision\trecall\tF1\tright\tfalse alarms\tmissed\t95 % of precision\tof recall\tof F1\t\n")
	writeTally(t, "spans that overlap", r.Overlap.Micro)
	writeTally(t, "tokens, any label", r.Binary)
	writeTally(t, "runs, any label", r.Masking.Runs)
	writeI2B2(t, "i2b2-2014", r.I2B2.I2B2Figures)
	if r.I2B2.HIPAA != nil {
		writeI2B2(t, "i2b2-2014 HIPAA", *r.I2B2.HIPAA)
	}
	_ = t.Flush() // as above
}

func writeI2B2(w io.Writer, name string, f score.I2B2Figures) {
	for _, row := range []struct {
		name string
		score.I2B2Score
	}{{"strict", f.Strict}, {"relaxed", f.Relaxed}, {"token", f.Token}, {"binary strict", f.BinaryStrict}, {"binary token", f.BinaryToken}} {
		writeTally(w, name+" "+row.name, row.Micro)
		m := row.Macro
		fmt.Fprintf(w, "mean of documents\t%.4f\t%.4f\t%.4f\t\t\t\t%s\n", m.Precision, m.Recall, m.F1, intervals(m.Interval))
	}
}

func writeLeaks(w io.Writer, l score.Leaks) {
	fmt.Fprintf(w, "%d of %d documents have a missed PHI token%s\n", l.Documents.Count, l.Documents.Of, percents(l.Documents))
	if l.Patients != nil {
		fmt.Fprintf(w, "%d of %d patients have such a document%s\n", l.Patients.Count, l.Patients.Of, percents(*l.Patients))
	}
	fmt.Fprintf(w, "%d of %d PHI tokens were missed%s\n", l.Tokens.Count, l.Tokens.Of, percents(l.Tokens))
	for _, label := range slices.Sorted(maps.Keys(l.Labels)) {
		if s := l.Labels[label]; s.Count > 0 {
			fmt.Fprintf(w, "  %s: %d of %d%s\n", label, s.Count, s.Of, percents(s))
		}
	}
}

func percents(s score.Share) string {
	if s.Interval == nil {
		return ""
	}
	return fmt.Sprintf(" (%.2f %%, 95 %%: %.2f-%.2f)", 100*s.Share, 100*s.Interval.Low, 100*s.Interval.High)
}

func writeCalibration(w io.Writer, r score.Reliability) {
	for _, c := range []struct {
		name string
		*score.Calibration
	}{{"tokens to be sensitive", r.Tokens}, {"spans to be right", r.Spans}} {
		if c.Calibration != nil {
			fmt.Fprintf(w, "calibration of %s: mean score %.4f, observed %.4f, ECE %.4f, worst bin %.4f, Brier score %.4f (%d)\n",
				c.name, c.Predicted, c.Observed, c.ECE, c.MCE, c.Brier, c.Count)
		}
	}
}

// Errors are missed PHI and false positives.
type Errors struct {
	Reasons []score.ReasonCount `json:"reasons"` // most frequent first
	Groups  []errorGroup        `json:"groups"`  // largest first
}

// errorGroup has the errors of one kind and label that share a text, case folded.
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

// errorPlace locates an error: the document's number in its file, from 1, and offsets in
// code points.
type errorPlace struct {
	Document int              `json:"document"`
	Start    annotate.RuneOff `json:"start"`
	End      annotate.RuneOff `json:"end"`
}

// The number of places listed per group, and of groups shown in a table.
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
	_ = t.Flush() // a write error shows in the next write
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

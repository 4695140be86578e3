// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"text/tabwriter"
	"time"

	"hide/internal/publish"
	"hide/internal/publish/joint"
	"hide/internal/publish/joint/check"
	"hide/web"
)

// publishedJoint is what hide publish joint says.
type publishedJoint struct {
	Out      string       `json:"out"`
	Manifest string       `json:"manifest_sha256"`
	Warnings []string     `json:"warnings"`
	Report   joint.Report `json:"report"`
	Verified check.Report `json:"verified"` // against the originals, before the folder appeared
}

func (e *env) publishJoint(ctx context.Context, v jointFlags, view *joint.View) error {
	s := v.settings(view.Config)
	p, err := view.Partition(ctx, s)
	if err != nil {
		return jointHint(err)
	}
	r := view.Recode(p)
	report, err := r.Report(s, p, v.exposure)
	if err != nil {
		return jointHint(err)
	}
	said := publishedJoint{Out: v.out, Report: report, Warnings: report.Warnings()}
	if err := e.writeJoint(ctx, v, view, r.Release(publish.Unforeseen()), &said); err != nil {
		return err
	}
	for _, warning := range said.Warnings {
		fmt.Fprintln(e.stderr, "warning:", warning)
	}
	return e.result(said, func(w io.Writer) {
		writeJointReport(w, said.Report, view)
		fmt.Fprintf(w, "checked against the originals: %d sensitive terms, %d leaks; words of %d that went stand elsewhere in notes of the same person\n", said.Verified.Compared, said.Verified.Leaks, said.Verified.Elsewhere)
	})
}

// writeJoint writes the folder, verified before it appears, and what the broker
// keeps of it.
func (e *env) writeJoint(ctx context.Context, v jointFlags, view *joint.View, release *joint.Release, said *publishedJoint) error {
	var mapping, originals bytes.Buffer
	if err := errors.Join(release.WriteMapping(&mapping), view.WriteOriginals(&originals)); err != nil {
		return err
	}
	verified := func(fsys fs.FS) (err error) {
		said.Verified, err = check.Against(fsys, bytes.NewReader(mapping.Bytes()), bytes.NewReader(originals.Bytes()))
		if err == nil && !said.Verified.OK {
			err = fmt.Errorf("the release is not what it should be, in %d places: %s", said.Verified.Found, said.Verified.Problems[0])
		}
		return err
	}
	manifest := func(files []publish.FileSum) any { return view.Manifest(said.Report, toolVersion(), time.Now(), files) }
	sum, err := publish.WriteFiles(ctx, v.out, jointFiles(view, release, said.Report), manifest, verified)
	if err != nil {
		return fmt.Errorf("publish joint: %w", err)
	}
	said.Manifest = sum
	for name, content := range map[string]*bytes.Buffer{v.mapping: &mapping, v.originals: &originals} {
		if name == "" {
			continue
		}
		if err := e.writeTo(name, func(w io.Writer) error { _, err := content.WriteTo(w); return err }); err != nil {
			return withHint(err, "the release in "+v.out+" stands")
		}
	}
	return nil
}

// jointFiles are the files of a release.
func jointFiles(view *joint.View, release *joint.Release, report joint.Report) []publish.File {
	return []publish.File{
		{Name: "rows.jsonl", Write: release.WriteRows},
		{Name: "data.csv", Write: release.WriteCSV},
		{Name: "report.json", Write: publish.JSON(report)},
		{Name: "report.txt", Write: func(w io.Writer) error { writeJointReport(w, report, view); return nil }},
		{Name: "risk.svg", Write: func(w io.Writer) error { return drawRisk(w, report.Risk) }},
	}
}

// riskPoints is how many persons are drawn at most.
const riskPoints = 41

// drawRisk draws the risk of persons from the greatest to the least.
func drawRisk(w io.Writer, r joint.Risk) error {
	lines := []web.Line{{Name: "table and text"}, {Name: "table alone"}, {Name: "text alone"}}
	last := len(r.Persons) - 1
	points := min(riskPoints, len(r.Persons))
	for i := range points {
		at := r.Persons[i*last/max(1, points-1)]
		x := float64(i) / float64(max(1, points-1))
		for n, y := range []float64{at.Joint, at.Table, at.Text} {
			lines[n].Points = append(lines[n].Points, web.LinePoint{X: x, Y: y})
		}
	}
	title := fmt.Sprintf("Risk of a person to be found: %d persons", len(r.Persons))
	return web.WriteLines(w, title, []web.LinesPanel{{Title: title, XLabel: "persons, the greatest joint risk first, %", YLabel: "risk, %", Lines: lines}})
}

// writeJointReport says in words what was published.
func writeJointReport(w io.Writer, r joint.Report, view *joint.View) {
	how := fmt.Sprintf("Mondrian, lambda %g, cut by %s", r.Lambda, r.Cut)
	if r.Strategy == joint.GDF {
		how = "GDF"
	}
	fmt.Fprintf(w, "%d persons with %d rows in %d classes of %d to %d (k = %d; %s)\n", r.Persons, r.Rows, r.Classes.Count, r.Classes.Least, r.Classes.Most, r.K, how)
	fmt.Fprintf(w, "%d sensitive terms stand in %d places: %d kept, %d recoded, %d suppressed\n", r.Mentions.Terms, r.Mentions.Places, r.Mentions.Kept, r.Mentions.Recoded, r.Mentions.Suppressed)
	fmt.Fprintf(w, "loss (NCP): %.4f of the attributes, %.4f of the texts, %.4f together\n\n", r.Loss.Relational, r.Loss.Textual, r.Loss.Total)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "attribute\tNCP\t\n")
	for _, a := range r.Loss.Attributes {
		fmt.Fprintf(t, "%s\t%.4f\t\n", a.Name, a.Loss)
	}
	fmt.Fprint(t, "\t\t\n")
	fmt.Fprint(t, "terms of type\tpersons\tterms\tsuppressed\tloss\t\n")
	for _, one := range r.Loss.Types {
		name := string(one.Type)
		if len(view.Config.TextAttributes()) > 1 {
			name = one.Text + " " + name
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.4f\t\n", name, one.Persons, one.Terms, one.Suppressed, one.Loss)
	}
	_ = t.Flush() // a table that cannot be written shows in the next write
	fmt.Fprintf(w, "\nrisk of a person: %.4f at most, %.4f on average (table %.4f, text %.4f); %d above %g\n", r.Risk.Max, r.Risk.Mean, r.Risk.MeanTable, r.Risk.MeanText, r.Risk.OverLimits, r.Risk.Threshold)
	for _, warning := range r.Warnings() {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
}

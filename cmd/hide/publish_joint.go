// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/corpus"
	"hide/internal/lab/evaluate"
	"hide/internal/lab/sweep"
	"hide/internal/option"
	"hide/internal/outfile"
	"hide/internal/publish/joint"
	"hide/internal/publish/joint/jointfile"
	"hide/internal/publish/release"
	"hide/internal/publish/settings"
	"hide/internal/publish/verify"
)

// jointFlags are the flags of hide publish joint.
type jointFlags struct {
	project            string
	bundle, open       int // of a project; open: known number of findings of audits
	in, config, out    string
	spans, model       string
	mapping, originals string
	k                  int
	lambda             float64
	gdf, known, own    bool
	unlinked           bool
	ending             ending
	cut                joint.Cut
	sweep              bool
	ks                 []int
	lambdas            []float64
	exposure           joint.Exposure
	given              map[string]bool // flags on the command line
	weak               *weakFlags
}

// swept are the requirements of one release, and of a comparison of several settings.
var (
	oneRelease = option.Without("sweep")
	swept      = option.With("sweep")
)

var jointOptions = slices.Concat(option.Table[jointFlags]{
	option.Text(option.About{Name: "project", Value: "PROJECT", Help: "The project, by id or name, whose finished notes are published with their fields; --out is then a zip file of the release on record."}, func(v *jointFlags) *string { return &v.project }),
	option.Whole(option.About{Name: "bundle", Help: "The redaction model whose expected missed PHI counts in the risk. Without it the newest.", Needs: inProject}, option.AtLeast(1), func(v *jointFlags) *int { return &v.bundle }),
	option.Switch(option.About{Name: "freeze", Help: freezeHelp, Needs: append(inProject, oneRelease)}, func(v *jointFlags) *bool { return (*bool)(&v.ending) }),
	settings.Unlinked(func(v *jointFlags) *bool { return &v.unlinked }).Needing(append(inProject, oneRelease)...),
	option.Whole(option.About{Name: "open", Help: "Confirms that this number of identifiers found in audits stays readable.", Needs: append(inProject, oneRelease)}, option.AtLeast(0), func(v *jointFlags) *int { return &v.open }),
	option.Text(option.About{Name: "in", Value: "FILE", Help: "File with one note per row: CSV, or JSONL with patient, attributes and spans.", Needs: ofFile}, func(v *jointFlags) *string { return &v.in }),
	option.Text(option.About{Name: "config", Value: "FILE", Help: "YAML file with the roles of the columns, or a configuration of rx-anon; see docs/joint.md.", Needs: ofFile}, func(v *jointFlags) *string { return &v.config }),
	option.Text(option.About{Name: "out", Value: "FOLDER", Help: "Folder to write, which must not exist."}, func(v *jointFlags) *string { return &v.out }),
	option.Text(option.About{Name: "spans", Value: "FILE", Help: "Annotated JSONL file with the sensitive terms of each row of a CSV file: id is the row, from 1, or row/text if there are several texts.", Needs: ofFile}, func(v *jointFlags) *string { return &v.spans }),
	option.Text(option.About{Name: "model", Value: "FILE", Help: "Model of hide train that finds the sensitive terms.", Needs: append(ofFile, option.Without("spans"))}, func(v *jointFlags) *string { return &v.model }),
	option.Text(option.About{Name: "mapping", Value: "FILE", Help: "Also write the re-identification map, which links the release to the patients, to this file.", Needs: []option.Need{oneRelease}}, func(v *jointFlags) *string { return &v.mapping }),
	option.Text(option.About{Name: "originals", Value: "FILE", Help: "Also write the original texts with the sensitive terms to this file, to verify against.", Needs: []option.Need{oneRelease}}, func(v *jointFlags) *string { return &v.originals }),
	settings.K("", func(v *jointFlags) *int { return &v.k }).Also("By default the k of the configuration, or 5 for a project.").Needing(oneRelease),
	settings.Lambda("0.5", func(v *jointFlags) *float64 { return &v.lambda }).Also("By default that of the configuration.").Needing(oneRelease, option.Without("gdf")),
	settings.Known(func(v *jointFlags) *bool { return &v.known }),
	settings.Own(func(v *jointFlags) *bool { return &v.own }),
	option.Switch(option.About{Name: "gdf", Help: "Split by the terms that most patients share, whatever the weight is.", Needs: []option.Need{oneRelease}}, func(v *jointFlags) *bool { return &v.gdf }),
	settings.TextCut(func(v *jointFlags) *joint.Cut { return &v.cut }).Also("By default median for a file and ncp for a project.").Needing(oneRelease),
	option.Switch(option.About{Name: "sweep", Help: "Publish nothing: measure and draw the information loss of every k with every weight."}, func(v *jointFlags) *bool { return &v.sweep }),
	settings.Ks("2,3,4,5,10,20,50", func(v *jointFlags) *[]int { return &v.ks }).Needing(swept),
	settings.Lambdas("0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1", func(v *jointFlags) *[]float64 { return &v.lambdas }).Needing(swept),
}, settings.Exposure(func(v *jointFlags) *joint.Exposure { return &v.exposure }))

func runPublishJoint(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := jointFlags{weak: e.weakFlags(f)}
	jointOptions.Bind(f, &v)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	v.given = given(f)
	if err := e.refused(jointOptions.Unused(f, &v)); err != nil {
		return err
	}
	if err := e.checkJoint(v); err != nil {
		return err
	}
	if v.project != "" {
		return e.publishJointProject(ctx, v)
	}
	return e.publishJointFile(ctx, f, v)
}

// publishJointFile publishes a file, or compares settings for it.
func (e *env) publishJointFile(ctx context.Context, f *flag.FlagSet, v jointFlags) error {
	if err := e.required(f, "in", "config", "out"); err != nil {
		return err
	}
	if err := e.refuseOverwrite(f); err != nil {
		return err
	}
	for _, name := range []string{v.out, v.mapping, v.originals} {
		if err := outfile.CheckNew(name); err != nil {
			return err
		}
	}
	view, err := e.readJoint(ctx, v)
	if err != nil {
		return err
	}
	if v.sweep {
		return e.sweepJoint(ctx, v, view)
	}
	return e.publishJoint(ctx, v, view)
}

// checkJoint refuses invalid combinations of flags.
func (e *env) checkJoint(v jointFlags) error {
	switch {
	case v.project != "" && v.given["leak"]:
		return e.usage("--project takes no --leak: the run of GreedySanitize estimates it")
	case v.project != "" && v.sweep && v.out != "":
		return e.usage("--sweep with --project prints what it measured: it takes no --out")
	case v.sweep && v.weak.lineage != "":
		return e.usage("--sweep publishes nothing: it takes no --lineage")
	}
	return v.weak.check(e, v.project)
}

// settings are those of the configuration, overridden by flags.
func (v jointFlags) settings(c joint.Config) joint.Settings {
	s := joint.Settings{Strategy: c.Strategy, K: c.K, Lambda: c.Lambda, Cut: cmp.Or(v.cut, joint.Median)}
	if v.k > 0 {
		s.K = v.k
	}
	if v.given["lambda"] {
		s.Strategy, s.Lambda = joint.Mondrian, v.lambda
	}
	if v.gdf {
		s.Strategy = joint.GDF
	}
	return s
}

func (v jointFlags) sweepOptions() joint.SweepOptions {
	return joint.SweepOptions{K: v.ks, Lambda: v.lambdas, Exposure: v.exposure, Workers: runtime.GOMAXPROCS(0)}
}

// jointHint adds a hint to an error about requirements that no table can satisfy.
func jointHint(err error) error {
	if errors.Is(err, joint.ErrTooFew) {
		return withHint(err, "lower --k, or publish more patients together")
	}
	return fmt.Errorf("publish joint: %w", err)
}

func (e *env) sweepJoint(ctx context.Context, v jointFlags, view *joint.View) error {
	line := e.progress("settings")
	points, err := view.Sweep(ctx, v.sweepOptions(), func(n, all int) { line.Step(n, all, "") })
	line.End()
	if err != nil {
		return jointHint(err)
	}
	result := sweep.New(v.out, view, points, v.exposure.Threshold)
	m := release.Manifest{Kind: "sweep", Version: toolVersion(), Created: time.Now(), Statement: "Measurements of settings for hide publish joint. This is not a release."}
	if _, err := release.Write(ctx, v.out, m, result.Files(), nil); err != nil {
		return fmt.Errorf("publish joint: %w", err)
	}
	return e.result(result, result.Write)
}

// readJoint reads configuration, rows and sensitive terms.
func (e *env) readJoint(ctx context.Context, v jointFlags) (*joint.View, error) {
	c, err := jointfile.ReadConfig(v.config)
	if err != nil {
		return nil, err
	}
	c.OwnValues = v.own || c.OwnValues && !v.given["own-values"]
	in := jointfile.Input{Rows: v.in, Config: v.config, Terms: v.spans, Known: v.known}
	if v.model != "" {
		m, err := corpus.Model(v.model)
		if err != nil {
			return nil, err
		}
		in.Tag = func(text string) []annotate.Span { return evaluate.Spans(m, text) }
	}
	line := e.progress("looking for sensitive terms, notes")
	defer line.End()
	return jointfile.Read(ctx, c, in, func(done, total int) { line.Step(done, total, "") })
}

// publishedJoint is the output of hide publish joint.
type publishedJoint struct {
	Out      string        `json:"out"`
	Manifest string        `json:"manifest_sha256"`
	Warnings []string      `json:"warnings"`
	Report   joint.Report  `json:"report"`
	Verified *verify.Joint `json:"verified"` // against the originals, before the folder appeared
}

func (e *env) publishJoint(ctx context.Context, v jointFlags, view *joint.View) error {
	s := v.settings(view.Config)
	p, err := view.Partition(ctx, s)
	if err != nil {
		return jointHint(err)
	}
	r, err := view.Recode(ctx, p)
	if err != nil {
		return jointHint(err)
	}
	report, err := r.Report(ctx, s, p, v.exposure)
	if err != nil {
		return jointHint(err)
	}
	risk := release.Content{Name: "risk.svg", Write: func(w io.Writer) error { return sweep.DrawRisk(w, report.Risk) }}
	var written joint.Written
	words := fmt.Sprintf("notes of %d patients with their attributes, k = %d, %s", report.Persons, report.K, filepath.Base(v.out))
	err = v.weak.release(ctx, words, func() (err error) {
		written, err = r.Release(release.Random()).Write(ctx, v.out, joint.Origin{Tool: toolVersion(), Created: time.Now()}, report, risk)
		return err
	})
	if err != nil {
		return fmt.Errorf("publish joint: %w", err)
	}
	if err := e.keepJoint(v, view, written); err != nil {
		return err
	}
	result := publishedJoint{Out: v.out, Manifest: written.SHA256, Report: report, Warnings: report.Warnings(), Verified: written.Verified}
	e.warn(result.Warnings)
	return e.result(result, result.write)
}

func (p publishedJoint) write(w io.Writer) {
	p.Report.WriteText(w)
	fmt.Fprintf(w, "verified against the originals: %d sensitive terms, %d leaks; the words of %d suppressed terms stand elsewhere in notes of the same person\n", p.Verified.Compared, p.Verified.Leaks, p.Verified.Elsewhere)
}

// keepJoint writes the broker's files of a release.
func (e *env) keepJoint(v jointFlags, view *joint.View, written joint.Written) error {
	for name, write := range map[string]func(io.Writer) error{
		v.mapping:   func(w io.Writer) error { _, err := w.Write(written.Mapping); return err },
		v.originals: view.WriteOriginals,
	} {
		if name == "" {
			continue
		}
		if err := e.writeTo(name, write); err != nil {
			return withHint(err, "the release in "+v.out+" stands")
		}
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"hide/internal/project"
	"hide/internal/publish/joint"
)

// jointProject releases the finished notes of a project with their fields, or tries
// every setting on them.
type jointProject struct {
	name   string
	bundle int
	open   int // known findings of audits
	jointFlags
}

func (e *env) checkJointProject(p jointProject) error {
	for _, name := range []string{"in", "config", "spans", "model", "leak"} {
		if p.given[name] {
			return e.usage("--project takes no --%s: fields, what is marked and what notes leak are the project's", name)
		}
	}
	for _, name := range []string{"lineage", "ledger", "head"} {
		if p.given[name] {
			return e.usage("--project takes no --%s: the project has its own budget, in which the release is put on record", name)
		}
	}
	if p.open < 0 {
		return e.usage("--open is not negative")
	}
	if p.sweep && p.out != "" {
		return e.usage("--sweep with --project prints what it measured: it takes no --out")
	}
	return e.checkJoint(p.jointFlags)
}

// cutAsked is the way to cut, "" when nobody says.
func (v jointFlags) cutAsked() joint.Cut {
	if !v.given["cut"] {
		return ""
	}
	return joint.Cut(v.cut)
}

func (p jointProject) choice() project.JointChoice {
	c := project.JointChoice{Bundle: p.bundle, K: p.k, Lambda: p.lambda, Cut: p.cutAsked(), Known: p.known, Own: p.own, Found: p.exposure.Found, Threshold: p.exposure.Threshold}
	if c.K == 0 {
		c.K = defaultK
	}
	if p.gdf {
		c.Strategy, c.Lambda = joint.GDF, 0
	}
	return c
}

func (e *env) publishJointProject(ctx context.Context, p jointProject) error {
	for _, name := range []string{p.out, p.mapping, p.originals} {
		if err := free(name); err != nil {
			return err
		}
	}
	return p.weak.data.withFolder(false, func(f *folder) error {
		found, err := f.projects.Find(ctx, operator(), p.name)
		if err != nil {
			return err
		}
		if p.sweep {
			return e.sweepJointProject(ctx, f, found.ID, p)
		}
		about, err := f.projects.Project(ctx, operator(), found.ID)
		if err != nil {
			return err
		}
		if err := f.projects.StartPublishJoint(ctx, operator(), found.ID, p.choice(), about.Done, p.open); err != nil {
			return err
		}
		r, err := e.followPublish(ctx, f, found.ID)
		if err != nil {
			return err
		}
		e.warn(r.Joint.Warnings)
		return errors.Join(e.handOutJoint(ctx, f, found.ID, r, p), e.result(r, func(w io.Writer) { writeProjectJoint(w, r) }))
	})
}

// handOutJoint writes the release, who is who and the originals, where that was asked
// for.
func (e *env) handOutJoint(ctx context.Context, f *folder, id project.ID, r project.Release, p jointProject) error {
	err := e.handOut(ctx, f, id, r, p.out)
	if p.mapping != "" {
		err = errors.Join(err, e.writeTo(p.mapping, func(w io.Writer) error { return f.projects.WriteMapping(ctx, operator(), id, r.Number, w) }))
	}
	if p.originals != "" {
		err = errors.Join(err, e.writeTo(p.originals, func(w io.Writer) error { return f.projects.WriteOriginals(ctx, operator(), id, r.Number, w) }))
	}
	return err
}

func writeProjectJoint(w io.Writer, r project.Release) {
	j := r.Joint
	fmt.Fprintf(w, "%s: %d notes of %d patients in %d classes of at least %d; %d unfinished notes left out\n",
		r.Name, r.Documents, j.Report.Persons, j.Report.Classes.Count, j.Choice.K, j.Left)
	j.Report.WriteText(w)
	fmt.Fprintf(w, "checked against the originals: %d sensitive terms; words of %d that went stand elsewhere in notes of the same person\n", j.Compared, j.Else)
	fmt.Fprintf(w, "manifest.json %s\n", r.SHA256)
}

// sweepJointProject prints what every setting loses of a project.
func (e *env) sweepJointProject(ctx context.Context, f *folder, id project.ID, p jointProject) error {
	o, err := e.sweepOptions(p.jointFlags)
	if err != nil {
		return err
	}
	set := project.JointSettings{Ks: o.K, Lambdas: o.Lambda, Cut: p.cutAsked(), Known: p.known, Own: p.own}
	if err := f.projects.StartJointPreview(ctx, operator(), id, set); err != nil {
		return err
	}
	var tried project.JointPreview
	err = e.follow(ctx, "settings", func() (done, total int, running bool, err error) {
		tried, err = f.projects.JointPreview(ctx, operator(), id, p.bundle)
		return tried.Done, tried.All, tried.Running, err
	})
	if err != nil {
		return err
	}
	if tried.Error != "" {
		return errors.New(tried.Error)
	}
	return e.sayTried(tried, p)
}

func (e *env) sayTried(tried project.JointPreview, p jointProject) error {
	exposure := p.exposure
	if tried.Leak != nil {
		exposure.Leak = tried.Leak.Leak
	} else {
		fmt.Fprintln(e.stderr, "warning: no run of GreedySanitize estimates what notes leak: risks are those of the table alone")
	}
	for i := range tried.Points {
		risk := exposure.Of(tried.Points[i].Alike)
		tried.Points[i].MaxRisk, tried.Points[i].MeanRisk = risk.Max, risk.Mean
	}
	said := sweptJoint{Persons: tried.People, Rows: tried.Notes, Terms: tried.Terms, Points: tried.Points}
	if best, ok := joint.Best(tried.Points, exposure.Threshold); ok {
		said.Best = &best
	}
	return e.result(said, said.write)
}

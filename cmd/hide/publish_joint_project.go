// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"hide/internal/lab/sweep"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/joint"
)

// choice is the requested release of a project.
func (v jointFlags) choice() release.JointChoice {
	c := release.JointChoice{Bundle: v.bundle, K: cmp.Or(v.k, defaultK), Lambda: v.lambda, Cut: v.cut, Known: v.known, Own: v.own, Found: v.exposure.Found, Threshold: v.exposure.Threshold, Unlinked: v.unlinked}
	if v.gdf {
		c.Strategy, c.Lambda = joint.GDF, 0
	}
	return c
}

func (e *env) publishJointProject(ctx context.Context, v jointFlags) error {
	for _, name := range []string{v.out, v.mapping, v.originals} {
		if err := e.files().CheckNew(name); err != nil {
			return err
		}
	}
	return v.weak.data.withProject(ctx, v.project, func(f *folder, found project.Overview) error {
		if v.sweep {
			return e.sweepJointProject(ctx, f, found.ID, v)
		}
		about, err := f.projects.Project(ctx, operator(ctx), found.ID)
		if err != nil {
			return err
		}
		if err := f.projects.StartPublishJoint(ctx, operator(ctx), found.ID, v.ending.of(), v.choice(), about.Done, v.open); err != nil {
			return unlinkedHint(found.ID, err)
		}
		if v.ending {
			return e.frozen(ctx, f, found.ID)
		}
		r, err := e.followPublish(ctx, f, found.ID)
		if err != nil {
			return err
		}
		e.warn(r.Joint.Warnings)
		return errors.Join(e.handOutJoint(ctx, f, found.ID, r, v), e.result(r, func(w io.Writer) { writeProjectJoint(w, r) }))
	})
}

// handOutJoint writes the release, the re-identification map and the originals, as
// requested.
func (e *env) handOutJoint(ctx context.Context, f *folder, id project.ID, r release.Release, v jointFlags) error {
	err := e.handOut(ctx, f, id, r, v.out)
	if v.mapping != "" {
		err = errors.Join(err, e.writeTo(v.mapping, func(w io.Writer) error { return f.projects.WriteMapping(ctx, operator(ctx), id, r.Number, w) }))
	}
	if v.originals != "" {
		err = errors.Join(err, e.writeTo(v.originals, func(w io.Writer) error { return f.projects.WriteOriginals(ctx, operator(ctx), id, r.Number, w) }))
	}
	return err
}

func writeProjectJoint(w io.Writer, r release.Release) {
	j := r.Joint
	fmt.Fprintf(w, "%s: %d notes of %d patients in %d classes of at least %d; %d unfinished notes left out\n",
		r.Name, r.Documents, j.Report.Persons, j.Report.Classes.Count, j.Choice.K, j.Left)
	j.Report.WriteText(w)
	fmt.Fprintf(w, "checked against the originals: %d sensitive terms; words of %d redacted terms occur elsewhere in notes of the same person\n", j.Compared, j.Else)
	fmt.Fprintf(w, "manifest.json %s\n", r.SHA256)
	writeAttack(w, r)
	writeLinkage(w, r)
}

// sweepJointProject prints the information loss of every setting for a project.
func (e *env) sweepJointProject(ctx context.Context, f *folder, id project.ID, v jointFlags) error {
	set := release.JointSettings{Ks: v.ks, Lambdas: v.lambdas, Cut: v.cut, Known: v.known, Own: v.own}
	if err := f.projects.StartJointPreview(ctx, operator(ctx), id, set); err != nil {
		return err
	}
	var tried release.JointPreview
	err := e.follow(ctx, id, "settings", f.projects.CancelJointPreview, func(ctx context.Context) (done, total int, doing string, running bool, err error) {
		tried, err = f.projects.JointPreview(ctx, operator(ctx), id, v.bundle)
		return tried.Done, tried.All, "", tried.Running, err
	})
	if err != nil {
		return err
	}
	if tried.Error != "" {
		return errors.New(tried.Error)
	}
	return e.sayTried(tried, v)
}

func (e *env) sayTried(tried release.JointPreview, v jointFlags) error {
	exposure := v.exposure
	if tried.Leak != nil {
		exposure.Leak = tried.Leak.Leak
	} else {
		fmt.Fprintln(e.stderr, "warning: no run of GreedySanitize estimates the missed PHI in notes: the risks are those of the table alone")
	}
	for i := range tried.Points {
		risk := exposure.Of(tried.Points[i].Alike)
		tried.Points[i].MaxRisk, tried.Points[i].MeanRisk = risk.Max, risk.Mean
	}
	result := sweep.Result{Persons: tried.People, Rows: tried.Notes, Terms: tried.Terms, Points: tried.Points}
	if best, ok := joint.Best(tried.Points, exposure.Threshold); ok {
		result.Best = &best
	}
	return e.result(result, result.Write)
}

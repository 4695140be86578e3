// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"hide/internal/account"
	"io"
	"time"

	"hide/internal/project"
)

func runPublishText(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`project` to publish, by id or name")
	bundle := flags.Int("bundle", 0, "number of the `bundle` (default: the newest)")
	out := flags.String("out", "", "also write the release as this zip `file`, which must not exist")
	if _, err := e.parse(flags, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(flags, "project"); err != nil {
		return err
	}
	return d.withFolder(false, func(f *folder) error {
		p, err := f.projects.Find(ctx, account.Operator(), *name)
		if err != nil {
			return err
		}
		r, err := e.publishProject(ctx, f, p.ID, *bundle)
		if err != nil {
			return err
		}
		if *out != "" {
			err = e.writeTo(*out, func(w io.Writer) error { return f.projects.WriteRelease(ctx, account.Operator(), p.ID, r.Number, w) })
		}
		return errors.Join(err, e.result(r, func(w io.Writer) {
			fmt.Fprintf(w, "%s: %d notes, manifest %s\n", r.Name, r.Documents, r.SHA256)
		}))
	})
}

func (e *env) publishProject(ctx context.Context, f *folder, id project.ID, bundle int) (project.Release, error) {
	if bundle == 0 {
		all, err := f.projects.Bundles(ctx, account.Operator(), id)
		if err != nil {
			return project.Release{}, err
		}
		if len(all) == 0 {
			return project.Release{}, withHint(errors.New("the project has no bundle yet"), "run: hide sanitize --project "+string(id)+" --choose 10")
		}
		bundle = all[0].Number
	}
	if err := f.projects.StartPublish(ctx, account.Operator(), id, bundle); err != nil {
		return project.Release{}, err
	}
	return e.followPublish(ctx, f, id)
}

func (e *env) followPublish(ctx context.Context, f *folder, id project.ID) (project.Release, error) {
	bar := e.progress("publishing")
	defer bar.end()
	for {
		st, err := f.projects.Publishing(ctx, account.Operator(), id)
		if err != nil {
			return project.Release{}, err
		}
		if !st.Running {
			bar.end()
			return e.newestRelease(ctx, f, id, st)
		}
		bar.step(st.Done, st.Total, "")
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return project.Release{}, ctx.Err()
		}
	}
}

func (e *env) newestRelease(ctx context.Context, f *folder, id project.ID, st project.PublishStatus) (project.Release, error) {
	if st.Error != "" {
		return project.Release{}, errors.New(st.Error)
	}
	all, err := f.projects.Releases(ctx, account.Operator(), id)
	if err != nil || len(all) == 0 {
		return project.Release{}, errors.Join(err, errors.New("no release was recorded"))
	}
	return all[0], nil
}

func runPublishMapping(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`project` of the release, by id or name")
	release := flags.Int("release", 0, "number of the `release`")
	out := flags.String("out", "", "`file` to write, which must not exist; it leads back to the patients")
	if _, err := e.parse(flags, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(flags, "project", "out"); err != nil {
		return err
	}
	return d.withFolder(false, func(f *folder) error {
		p, err := f.projects.Find(ctx, account.Operator(), *name)
		if err != nil {
			return err
		}
		return e.writeTo(*out, func(w io.Writer) error {
			return f.projects.WriteMapping(ctx, account.Operator(), p.ID, *release, w)
		})
	})
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"hide/internal/project"
	"hide/internal/project/release"
)

func runPublishText(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`project` to publish, by id or name")
	bundle := flags.Int("bundle", 0, "number of the `bundle` (default: the newest)")
	unaudited := flags.String("unaudited", "", "`reason` to publish without a required audit; it goes into the audit trail")
	found := flags.Int("found", 0, "confirms that `N` identifiers found in audits stay readable")
	readable := flags.String("readable", "", "comma-separated annotated `labels` that stay readable with this bundle")
	out := flags.String("out", "", "also write the release as this zip `file`, which must not exist")
	if _, err := e.parse(flags, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(flags, "project"); err != nil {
		return err
	}
	if err := e.refuseZero(flags, "bundle", "for the newest"); err != nil {
		return err
	}
	if *found < 0 {
		return e.usage("--found is not negative")
	}
	if err := checkNew(*out); err != nil {
		return err
	}
	return d.withFolder(false, func(f *folder) error {
		p, err := f.projects.Find(ctx, operator(), *name)
		if err != nil {
			return err
		}
		return e.publishText(ctx, f, p.ID, *bundle, release.Despite{Unaudited: *unaudited, Found: *found, Readable: labelList(*readable)}, *out)
	})
}

// published is what publish text prints as JSON.
type published struct {
	release.Release
	Warnings []string `json:"warnings"`
}

func (e *env) publishText(ctx context.Context, f *folder, id project.ID, bundle int, despite release.Despite, out string) error {
	bundle, err := bundleOrNewest(ctx, f, id, bundle)
	if err != nil {
		return err
	}
	warnings, err := f.projects.PublishWarnings(ctx, operator(), id, bundle)
	if err != nil {
		return err
	}
	e.warn(warnings)
	if err := f.projects.StartPublish(ctx, operator(), id, bundle, despite); err != nil {
		return withFlags(ctx, f, id, bundle, err)
	}
	r, err := e.followPublish(ctx, f, id)
	if err != nil {
		return err
	}
	return errors.Join(e.handOut(ctx, f, id, r, out), e.result(published{r, warnings}, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d notes, manifest %s\n", r.Name, r.Documents, r.SHA256)
	}))
}

// bundleOrNewest is number, or the newest bundle's when that is 0.
func bundleOrNewest(ctx context.Context, f *folder, id project.ID, number int) (int, error) {
	if number != 0 {
		return number, nil
	}
	all, err := f.projects.Bundles(ctx, operator(), id)
	if err != nil {
		return 0, err
	}
	if len(all) == 0 {
		return 0, withHint(errors.New("the project has no redaction model yet"), "run: hide sanitize --project "+string(id)+" --choose 10")
	}
	return all[0].Number, nil
}

// warn says on standard error what a release does not promise.
func (e *env) warn(warnings []string) {
	for _, warning := range warnings {
		fmt.Fprintln(e.stderr, "warning:", warning)
	}
}

// handOut writes a release that is on record to a zip file, unless path is empty.
func (e *env) handOut(ctx context.Context, f *folder, id project.ID, r release.Release, path string) error {
	if path == "" {
		return nil
	}
	return e.writeTo(path, func(w io.Writer) error { return f.projects.WriteRelease(ctx, operator(), id, r.Number, w) })
}

func (e *env) followPublish(ctx context.Context, f *folder, id project.ID) (release.Release, error) {
	var st release.Status
	err := e.follow(ctx, "publishing", func() (done, total int, running bool, err error) {
		st, err = f.projects.Publishing(ctx, operator(), id)
		return st.Done, st.Total, st.Running, err
	})
	if err != nil {
		return release.Release{}, err
	}
	return e.newestRelease(ctx, f, id, st)
}

// follow looks at a job of a project until it has ended, and shows how far it is.
func (e *env) follow(ctx context.Context, what string, look func() (done, total int, running bool, err error)) error {
	bar := e.progress(what)
	defer bar.end()
	for {
		done, total, running, err := look()
		if err != nil || !running {
			return err
		}
		bar.step(done, total, "")
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (e *env) newestRelease(ctx context.Context, f *folder, id project.ID, st release.Status) (release.Release, error) {
	if st.Error != "" {
		return release.Release{}, errors.New(st.Error)
	}
	if st.Before > 0 {
		return f.projects.Release(ctx, operator(), id, st.Before)
	}
	all, err := f.projects.Releases(ctx, operator(), id)
	if err != nil || len(all) == 0 {
		return release.Release{}, errors.Join(err, errors.New("no release was recorded"))
	}
	return all[0], nil
}

func runPublishMapping(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`project` of the release, by id or name")
	release := flags.Int("release", 0, "number of the `release`")
	out := flags.String("out", "", "`file` to write, which must not exist; it identifies patients, keep it secret")
	if _, err := e.parse(flags, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(flags, "project", "out"); err != nil {
		return err
	}
	return d.withFolder(false, func(f *folder) error {
		p, err := f.projects.Find(ctx, operator(), *name)
		if err != nil {
			return err
		}
		return e.writeTo(*out, func(w io.Writer) error {
			return f.projects.WriteMapping(ctx, operator(), p.ID, *release, w)
		})
	})
}

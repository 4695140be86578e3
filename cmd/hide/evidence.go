// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"hide/internal/project"
	"hide/internal/project/release"
)

// runEvidenceGet writes the evidence pack of a review: as JSON, or as a page for a name that
// ends in .html.
func runEvidenceGet(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	out := f.String("out", "", "`file` to write, which must not exist: NAME.json, or NAME.html to read and print")
	return e.withReview(ctx, f, args, func(c *reviewCommand) error {
		page, file, err := c.projects.Evidence(ctx, operator(ctx), c.id, c.review.Number)
		if err != nil {
			return err
		}
		if strings.HasSuffix(*out, ".html") {
			file = page
		}
		if *out == "" {
			_, err = e.stdout.Write(file)
			return err
		}
		return errors.Join(e.files().CheckNew(*out), e.writeTo(*out, func(w io.Writer) error {
			_, err := w.Write(file)
			return err
		}))
	})
}

func runEvidenceKey(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	d := e.dataFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	return d.withFolder(false, func(f *folder) error {
		key, fingerprint, err := f.projects.SigningKey(ctx, operator(ctx))
		if err != nil {
			return err
		}
		return e.result(map[string]string{"public_key": key, "fingerprint": fingerprint}, func(w io.Writer) { fmt.Fprintln(w, key) })
	})
}

// releaseCommand is a command about one release of a project, with flags of its own.
func (e *env) releaseCommand(ctx context.Context, f *flag.FlagSet, args []string, required []string, fn func(f *folder, id project.ID, number int) error) error {
	d := e.dataFlags(f)
	of := f.String("project", "", "`project` of the release, by id or name")
	number := f.Int("release", 0, "`number` of the release")
	if _, err := e.parse(f, args, 0, 0, append(required, "project", "release")...); err != nil {
		return err
	}
	return d.withProject(ctx, *of, func(f *folder, p project.Overview) error {
		if err := fn(f, p.ID, *number); err != nil {
			return err
		}
		r, err := f.projects.Release(ctx, operator(ctx), p.ID, *number)
		if err != nil {
			return err
		}
		return e.result(r, func(w io.Writer) { writeReleaseState(w, r) })
	})
}

func writeReleaseState(w io.Writer, r release.Release) {
	s := r.State()
	fmt.Fprintf(w, "%s is %s", r.Name, s.Status)
	if s.Newer != "" {
		fmt.Fprintf(w, " by %s", s.Newer)
	}
	if s.Reason != "" {
		fmt.Fprintf(w, ": %s", s.Reason)
	}
	fmt.Fprintln(w)
	for _, one := range r.Given() {
		fmt.Fprintf(w, "recipient %s, since %s\n", one.Name, one.At.Format("2 January 2006"))
	}
	if !r.Valid() {
		fmt.Fprintln(w, "give the recipients a new status file: hide release status")
	}
}

func reasonFlag(f *flag.FlagSet) *string {
	return f.String("reason", "", "`why`; recipients read it in the status file")
}

func runReleaseWithdraw(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	reason := reasonFlag(flags)
	return e.releaseCommand(ctx, flags, args, []string{"reason"}, func(f *folder, id project.ID, number int) error {
		return f.projects.WithdrawRelease(ctx, operator(ctx), id, number, *reason)
	})
}

func runReleaseSupersede(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	reason, newer := reasonFlag(flags), flags.Int("by", 0, "`number` of the newer release")
	return e.releaseCommand(ctx, flags, args, []string{"reason", "by"}, func(f *folder, id project.ID, number int) error {
		return f.projects.SupersedeRelease(ctx, operator(ctx), id, number, *newer, *reason)
	})
}

func runReleaseRecipient(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	name := flags.String("name", "", "`name` of the recipient")
	return e.releaseCommand(ctx, flags, args, []string{"name"}, func(f *folder, id project.ID, number int) error {
		return f.projects.AddRecipient(ctx, operator(ctx), id, number, *name)
	})
}

// runReleaseStatus writes the signed status of all releases of a project.
func runReleaseStatus(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	d := e.dataFlags(f)
	name := f.String("project", "", "`project`, by id or name")
	out := f.String("out", "", "`file` to write, which must not exist")
	if _, err := e.parse(f, args, 0, 0, "project", "out"); err != nil {
		return err
	}
	return d.withProject(ctx, *name, func(f *folder, p project.Overview) error {
		return errors.Join(e.files().CheckNew(*out), e.writeTo(*out, func(w io.Writer) error { return f.projects.WriteStatus(ctx, operator(ctx), p.ID, w) }))
	})
}

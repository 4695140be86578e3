// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"hide/internal/outfile"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/verify"
	"hide/internal/words"
)

// runEvidenceGet writes the evidence pack of a review: as JSON, or as a page for a name that
// ends in .html.
func runEvidenceGet(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	out := f.String("out", "", "`file` to write, which must not exist: NAME.json, or NAME.html to read and print")
	return e.withReview(ctx, f, args, func(c *reviewCommand) error {
		page, file, err := c.projects.Evidence(ctx, operator(), c.id, c.review.Number)
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
		return errors.Join(outfile.CheckNew(*out), e.writeTo(*out, func(w io.Writer) error {
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
		key, fingerprint, err := f.projects.SigningKey(ctx, operator())
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
		r, err := f.projects.Release(ctx, operator(), p.ID, *number)
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
		return f.projects.WithdrawRelease(ctx, operator(), id, number, *reason)
	})
}

func runReleaseSupersede(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	reason, newer := reasonFlag(flags), flags.Int("by", 0, "`number` of the newer release")
	return e.releaseCommand(ctx, flags, args, []string{"reason", "by"}, func(f *folder, id project.ID, number int) error {
		return f.projects.SupersedeRelease(ctx, operator(), id, number, *newer, *reason)
	})
}

func runReleaseRecipient(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	name := flags.String("name", "", "`name` of the recipient")
	return e.releaseCommand(ctx, flags, args, []string{"name"}, func(f *folder, id project.ID, number int) error {
		return f.projects.AddRecipient(ctx, operator(), id, number, *name)
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
		return errors.Join(outfile.CheckNew(*out), e.writeTo(*out, func(w io.Writer) error { return f.projects.WriteStatus(ctx, operator(), p.ID, w) }))
	})
}

// signedFiles are the signed files that a release is compared with.
type signedFiles struct{ evidence, status, key string }

// check adds to a report what disagrees.
func (s signedFiles) check(r *verify.Report) error {
	if s.key == "" {
		return nil
	}
	text := s.key
	if raw, err := os.ReadFile(s.key); err == nil {
		text = string(raw)
	}
	key, err := verify.PublicKey(text)
	if err != nil {
		return withHint(fmt.Errorf("--key: %w", err), "name the file that holds it, or the key itself; hide evidence key prints it where the pack was made")
	}
	for name, check := range map[string]func([]byte){
		s.evidence: func(file []byte) { r.CheckEvidence(file, key) },
		s.status:   func(file []byte) { r.CheckStatus(file, key) },
	} {
		if name == "" {
			continue
		}
		file, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		check(file)
	}
	return nil
}

// writeSigned says what the signed files show.
func writeSigned(w io.Writer, r *verify.Report) {
	if p := r.Evidence; p != nil {
		fmt.Fprintf(w, "evidence: review %d approved these files; %s of the project, %d abandoned\n", p.Review, words.Count(p.Draws, "draw", "draws"), p.Abandoned)
		switch b := p.Bounds; {
		case p.Left != nil:
			fmt.Fprintf(w, "  recomputed: at most %d of %d passages may still hold an identifier, with %.0f %% confidence, after %d were read\n", *p.Left, b.Passages, 100*b.Confidence, b.Read)
		default:
			fmt.Fprintln(w, "  there is no certificate")
		}
	}
	if s := r.Status; s != nil {
		fmt.Fprintf(w, "status: %s, as of %s\n", s.Status, s.Issued)
		if s.Newer != "" {
			fmt.Fprintf(w, "  use %s instead: %s\n", s.Newer, s.Reason)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/option"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/settings"
)

// textFlags are the flags of publish text.
type textFlags struct {
	project, out string
	as           string
	bundle       int
	ending       ending
	known        bool
	despite      release.Despite
	draft        draftFlags
}

var textOptions = option.Table[textFlags]{
	option.Text(option.About{Name: "project", Value: "PROJECT", Help: "The project to publish, by id or name."}, func(v *textFlags) *string { return &v.project }),
	option.Whole(option.About{Name: "bundle", Help: "The number of the redaction model. Without it the newest."}, option.AtLeast(1), func(v *textFlags) *int { return &v.bundle }),
	option.Switch(option.About{Name: "freeze", Help: freezeHelp}, func(v *textFlags) *bool { return (*bool)(&v.ending) }),
	settings.Unlinked(func(v *textFlags) *bool { return &v.despite.Unlinked }),
	settings.KnownIdentifiers(func(v *textFlags) *bool { return &v.known }),
	option.Text(option.About{Name: "uncertified", Value: "REASON", Help: "Publish though the forecast does not hold and nobody has read a sample, for this reason, which goes into the audit trail."}, func(v *textFlags) *string { return &v.despite.Uncertified }),
	option.Whole(option.About{Name: "found", Help: "Confirms that this number of identifiers found in audits stays readable."}, option.AtLeast(0), func(v *textFlags) *int { return &v.despite.Found }),
	option.Some(option.About{Name: "readable", Value: "LABELS", Help: "Confirms that annotations with these labels stay readable with this redaction model."}, nil, func(v *textFlags) *[]annotate.Label { return &v.despite.Readable }),
	option.Text(option.About{Name: "out", Value: "FILE", Help: "Also write the release as this zip file, which must not exist."}, func(v *textFlags) *string { return &v.out }),
	option.Text(option.About{Name: "as", Value: "FORMAT", Needs: []option.Need{option.With("out")}, Help: asHelp}, func(v *textFlags) *string { return &v.as }),
}

func runPublishText(ctx context.Context, e *env, args []string) error {
	flags, v := e.flags(), textFlags{}
	d := e.dataFlags(flags)
	all := slices.Concat(textOptions, option.Of(draftOptions, func(v *textFlags) *draftFlags { return &v.draft }))
	all.Bind(flags, &v)
	if _, err := e.parse(flags, args, 0, 0, "project"); err != nil {
		return err
	}
	if err := e.refused(all.Unused(flags, &v)); err != nil {
		return err
	}
	if err := e.files().CheckNew(v.out); err != nil {
		return err
	}
	return d.withProject(ctx, v.project, func(f *folder, p project.Overview) error {
		if v.draft.policy != "" {
			return e.publishDraft(ctx, f, p.ID, v)
		}
		return e.publishText(ctx, f, p.ID, v)
	})
}

// published is the JSON output of publish text.
type published struct {
	release.Release
	Warnings []string        `json:"warnings"`
	Read     release.Sampled `json:"read"`
}

// write prints a release of text: the forecast beside what people know after reading.
func (p published) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d notes, manifest %s\n", p.Name, p.Documents, p.SHA256)
	if p.Known.Found > 0 {
		fmt.Fprintf(w, "%s.\n", p.Known.Words())
	}
	if p.Read.Forecast != "" {
		fmt.Fprintln(w, p.Read.Forecast)
	}
	fmt.Fprintln(w, cmp.Or(p.Read.Words(), "After reading: nobody has read a sample of these notes."))
	writeAttack(w, p.Release)
	writeLinkage(w, p.Release)
}

// writeLinkage says how a release counts patients.
func writeLinkage(w io.Writer, r release.Release) {
	for _, line := range r.LinkageWords() {
		fmt.Fprintln(w, line)
	}
}

// unlinkedHint names the commands that help when records look like the same people.
func unlinkedHint(id project.ID, err error) error {
	var refused *project.Error
	if errors.As(err, &refused) && refused.Obstacle == project.Unlinked {
		return withHint(err, fmt.Sprintf("run hide link --project %s, and publish again; or publish with --unlinked", id))
	}
	return err
}

// writeAttack prints what an attacker who goes for the patients links in a release.
func writeAttack(w io.Writer, r release.Release) {
	if r.Attack == nil {
		return
	}
	for _, line := range r.Attack.Words {
		fmt.Fprintln(w, line)
	}
}

func (e *env) publishText(ctx context.Context, f *folder, id project.ID, v textFlags) error {
	bundle, err := bundleOrNewest(ctx, f, id, v.bundle)
	if err != nil {
		return err
	}
	warnings, err := f.projects.PublishWarnings(ctx, operator(ctx), id, bundle)
	if err != nil {
		return err
	}
	e.warn(warnings)
	read, err := f.projects.SampleRead(ctx, operator(ctx), id, release.About{Bundle: bundle})
	if err != nil {
		return err
	}
	v.despite.KeepKnown = !v.known
	if err := f.projects.StartPublish(ctx, operator(ctx), id, v.ending.of(), bundle, v.despite); err != nil {
		return withFlags(ctx, f, id, bundle, err)
	}
	if v.ending {
		return e.frozen(ctx, f, id)
	}
	r, err := e.followPublish(ctx, f, id)
	if err != nil {
		return err
	}
	return errors.Join(e.handOutAs(ctx, f, id, r, v), e.result(published{r, warnings, read}, published{r, warnings, read}.write))
}

// bundleOrNewest is number, or the number of the newest bundle if that is 0.
func bundleOrNewest(ctx context.Context, f *folder, id project.ID, number int) (int, error) {
	if number != 0 {
		return number, nil
	}
	all, err := f.projects.Bundles(ctx, operator(ctx), id)
	if err != nil {
		return 0, err
	}
	if len(all) == 0 {
		return 0, withHint(errors.New("the project has no redaction model yet"), "run: hide sanitize --project "+string(id)+" --choose 10")
	}
	return all[0].Number, nil
}

// warn prints on standard error the limits of a release's guarantees.
func (e *env) warn(warnings []string) {
	for _, warning := range warnings {
		fmt.Fprintln(e.stderr, "warning:", warning)
	}
}

// handOut writes a recorded release to a zip file, unless path is empty.
func (e *env) handOut(ctx context.Context, f *folder, id project.ID, r release.Release, path string) error {
	if path == "" {
		return nil
	}
	return e.writeTo(path, func(w io.Writer) error { return f.projects.WriteRelease(ctx, operator(ctx), id, r.Number, w) })
}

// handOutAs writes the notes of a release of text in a format, or the release as a zip file
// without one.
func (e *env) handOutAs(ctx context.Context, f *folder, id project.ID, r release.Release, v textFlags) error {
	if v.as == "" || v.out == "" {
		return e.handOut(ctx, f, id, r, v.out)
	}
	lost, err := f.projects.ReleaseLosses(ctx, operator(ctx), id, r.Number, v.as)
	if err != nil {
		return err
	}
	e.sayLost(lost)
	return e.writeTo(v.out, func(w io.Writer) error { return f.projects.WriteReleaseAs(ctx, operator(ctx), id, r.Number, v.as, w) })
}

func (e *env) followPublish(ctx context.Context, f *folder, id project.ID) (release.Release, error) {
	st, err := e.followMaking(ctx, f, id, "publishing")
	if err != nil {
		return release.Release{}, err
	}
	return e.newestRelease(ctx, f, id, st)
}

// followMaking waits until a release is published or frozen.
func (e *env) followMaking(ctx context.Context, f *folder, id project.ID, what string) (st release.Status, err error) {
	err = e.follow(ctx, id, what, f.projects.CancelPublish, func(ctx context.Context) (done, total int, doing string, running bool, err error) {
		st, err = f.projects.Publishing(ctx, operator(ctx), id)
		return st.Done, st.Total, st.Doing, st.Running, err
	})
	if err == nil && st.Error != "" {
		err = errors.New(st.Error)
	}
	return st, err
}

// follow waits for a job of a project and shows its progress.
func (e *env) follow(ctx context.Context, id project.ID, what string, cancel func(context.Context, account.User, project.ID) error,
	look func(context.Context) (done, total int, doing string, running bool, err error)) error {
	defer cancelJob(ctx, id, cancel, func(ctx context.Context) bool {
		_, _, _, running, err := look(ctx)
		return running && err == nil
	})
	return e.bars().Follow(ctx, what, 100*time.Millisecond, func() (done, total int, doing string, running bool, err error) { return look(ctx) })
}

func (e *env) newestRelease(ctx context.Context, f *folder, id project.ID, st release.Status) (release.Release, error) {
	if st.Before > 0 {
		return f.projects.Release(ctx, operator(ctx), id, st.Before)
	}
	all, err := f.projects.Releases(ctx, operator(ctx), id)
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
	if _, err := e.parse(flags, args, 0, 0, "project", "out"); err != nil {
		return err
	}
	return d.withProject(ctx, *name, func(f *folder, p project.Overview) error {
		return e.writeTo(*out, func(w io.Writer) error {
			return f.projects.WriteMapping(ctx, operator(ctx), p.ID, *release, w)
		})
	})
}

// withFlags names the flags that answer an obstacle to a release of text.
func withFlags(ctx context.Context, f *folder, id project.ID, bundle int, err error) error {
	var refused *project.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Obstacle {
	case project.Unlinked:
		return unlinkedHint(id, err)
	case project.NotCertified:
		return withHint(err, fmt.Sprintf("run hide publish text --project %s --bundle %d --freeze, and let people read passages of the candidate in a review; or give a reason to publish without a certificate: --uncertified REASON", id, bundle))
	case project.StillOpen:
		open, missing := f.projects.OpenFindings(ctx, operator(ctx), id, bundle)
		return errors.Join(withHint(err, fmt.Sprintf("add the findings of audit %d to the notes, on its page; or confirm that you know of all of them: --found %d", open.Audit, open.Found)), missing)
	case project.StaysReadable:
		labels, missing := f.projects.Readable(ctx, operator(ctx), id, bundle)
		return errors.Join(withHint(err, "use a bundle of a run that counts them as sensitive; or confirm that they stay readable: --readable "+commas(labels)), missing)
	}
	return err
}

func commas(labels []annotate.Label) string {
	words := make([]string, len(labels))
	for i, l := range labels {
		words[i] = string(l)
	}
	return strings.Join(words, ",")
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"hide/internal/annotate/format"
	"hide/internal/option"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/project/release"
	"hide/internal/publish/surrogate"
)

// draftFlags are the flags of publish text for a release by a policy.
type draftFlags struct {
	policy, cohort, table, decide, statement, locale string
	since, like                                      int
	finished, noModel, agreed, dryRun                bool
}

var byPolicy = []option.Need{option.With("policy")}

var draftOptions = option.Table[draftFlags]{
	option.Text(option.About{Name: "policy", Value: "POLICY", Help: "What becomes of each label: a policy of the program, see hide policy list, or a policy file. Without it every identifier becomes a placeholder."}, func(v *draftFlags) *string { return &v.policy }),
	option.Switch(option.About{Name: "finished", Needs: byPolicy, Help: "Release finished notes only."}, func(v *draftFlags) *bool { return &v.finished }),
	option.Whole(option.About{Name: "since", Needs: byPolicy, Help: "Release only notes that were not in the release with this number."}, option.AtLeast(1), func(v *draftFlags) *int { return &v.since }),
	option.Text(option.About{Name: "cohort", Value: "FILE", Needs: byPolicy, Help: "Release only the notes and the notes of the patients that this file names, one on each line."}, func(v *draftFlags) *string { return &v.cohort }),
	option.Whole(option.About{Name: "like", Needs: byPolicy, Help: "Use the note numbers and invented values of the release with this number again."}, option.AtLeast(1), func(v *draftFlags) *int { return &v.like }),
	option.Text(option.About{Name: "locale", Value: "LOCALE", Needs: byPolicy, Help: "The language of invented values: en, es, fr or de. Without it en."}, func(v *draftFlags) *string { return &v.locale }),
	option.Switch(option.About{Name: "no-model", Needs: byPolicy, Help: "Replace what people marked and what is known, and use no redaction model."}, func(v *draftFlags) *bool { return &v.noModel }),
	option.Text(option.About{Name: "table", Value: "FILE", Needs: byPolicy, Help: "Write the release table as this CSV file, which must not exist. It holds words of the notes: keep it secret."}, func(v *draftFlags) *string { return &v.table }),
	option.Text(option.About{Name: "decide", Value: "FILE", Needs: byPolicy, Help: "Read decisions from an edited release table: the columns action, to, replacement and person, and yes in the column decided to confirm a row."}, func(v *draftFlags) *string { return &v.decide }),
	option.Text(option.About{Name: "statement", Value: "NAME", Needs: byPolicy, Help: "Sign the statement of the policy's basis with this name."}, func(v *draftFlags) *string { return &v.statement }),
	option.Switch(option.About{Name: "agreed", Needs: byPolicy, Help: "Confirm every item of the checklist of the policy's basis."}, func(v *draftFlags) *bool { return &v.agreed }),
	option.Switch(option.About{Name: "dry-run", Needs: byPolicy, Help: "Prepare the draft and print it, and publish nothing."}, func(v *draftFlags) *bool { return &v.dryRun }),
}

// settings are the settings of the draft.
func (e *env) draftSettings(ctx context.Context, f *folder, id project.ID, v textFlags) (s draft.Settings, err error) {
	d := v.draft
	if s.Policy, err = policyNamed(e.files(), d.policy); err != nil {
		return s, err
	}
	s.Subset = draft.Subset{Finished: d.finished, Since: d.since}
	s.KeepKnown, s.Like, s.Locale, s.Bundle = !v.known, d.like, surrogate.Locale(d.locale), v.bundle
	if d.cohort != "" {
		file, err := e.files().Open(d.cohort)
		if err != nil {
			return s, err
		}
		defer file.Close()
		if s.Subset.Cohort, err = draft.ReadCohort(file); err != nil {
			return s, err
		}
	}
	if all, err := f.projects.Bundles(ctx, operator(ctx), id); err != nil {
		return s, err
	} else if s.Bundle == 0 && len(all) > 0 && !d.noModel {
		s.Bundle = all[0].Number
	}
	return s, nil
}

// publishDraft prepares a draft, takes decisions from a table, and publishes it.
func (e *env) publishDraft(ctx context.Context, f *folder, id project.ID, v textFlags) error {
	if err := e.files().CheckNew(v.draft.table); err != nil {
		return err
	}
	s, err := e.draftSettings(ctx, f, id, v)
	if err != nil {
		return err
	}
	if !v.despite.Unlinked {
		// Decisions about the table may have to be made again after linking.
		counted, err := f.projects.Counted(ctx, operator(ctx), id)
		if err != nil {
			return err
		}
		if counted.Agreement.Records > 0 {
			e.warn([]string{counted.Agreement.Words() + " Link them before you decide about the table: hide link --project " + string(id)})
		}
	}
	d, err := e.prepareDraft(ctx, f, id, s, v.draft)
	if err != nil {
		return err
	}
	if v.draft.dryRun {
		return e.result(d, d.Write)
	}
	a := draft.Answers{Statement: v.draft.statement, Uncertified: v.despite.Uncertified, Found: v.despite.Found, Unlinked: v.despite.Unlinked}
	if v.draft.agreed {
		a.Agreed = s.Policy.Basis.Needs().Checklist
	}
	if err := f.projects.PublishDraft(ctx, operator(ctx), id, v.ending.of(), a); err != nil {
		if !e.json {
			d.Write(e.stdout)
		}
		return withFlags(ctx, f, id, s.Bundle, draftHint(err, d))
	}
	if v.ending {
		return e.frozen(ctx, f, id)
	}
	r, err := e.followPublish(ctx, f, id)
	if err != nil {
		return err
	}
	return errors.Join(e.handOutAs(ctx, f, id, r, v), e.result(r, func(w io.Writer) { writeDrafted(w, r) }))
}

// draftHint says which flags answer what a draft lacks.
func draftHint(err error, d draft.Draft) error {
	if d.Problems > 0 {
		return withHint(err, "write the release table with --table FILE.csv --dry-run, edit the columns action, to and replacement, and give it back with --decide FILE.csv")
	}
	var refused *project.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Obstacle {
	case project.NotSigned:
		return withHint(err, `if the statement is true, sign it: --statement "YOUR NAME"`)
	case project.NotConfirmed:
		return withHint(err, "if the agreement says all of this, add --agreed: "+strings.Join(d.Policy.Basis.Needs().Checklist, " "))
	}
	return err
}

// prepareDraft uses the draft of the project if it has these settings, and prepares one
// otherwise. Then it takes decisions from a table and writes the table.
func (e *env) prepareDraft(ctx context.Context, f *folder, id project.ID, s draft.Settings, v draftFlags) (draft.Draft, error) {
	d, err := f.projects.Draft(ctx, operator(ctx), id)
	if err != nil && project.KindOf(err) != project.NotFound {
		return d, err
	}
	if err != nil || !d.Serves(s) {
		if err := f.projects.PrepareDraft(ctx, operator(ctx), id, s); err != nil {
			return d, err
		}
		var st draft.Status
		err := e.follow(ctx, id, "preparing", f.projects.CancelPreparing, func(ctx context.Context) (done, total int, doing string, running bool, err error) {
			st, err = f.projects.Preparing(ctx, operator(ctx), id)
			return st.Done, st.Total, st.Doing, st.Running, err
		})
		if err == nil && st.Error != "" {
			err = errors.New(st.Error)
		}
		if err != nil {
			return d, err
		}
	}
	if v.decide != "" {
		file, err := e.files().Open(v.decide)
		if err != nil {
			return d, err
		}
		defer file.Close()
		if _, err := f.projects.DecideTable(ctx, operator(ctx), id, file); err != nil {
			return d, err
		}
	}
	if v.table != "" {
		if err := e.writeTo(v.table, func(w io.Writer) error { return f.projects.WriteDraftTable(ctx, operator(ctx), id, w) }); err != nil {
			return d, err
		}
	}
	return f.projects.Draft(ctx, operator(ctx), id)
}

// writeDrafted prints a release by a policy.
func writeDrafted(w io.Writer, r release.Release) {
	fmt.Fprintf(w, "%s: %d notes (%s), policy %s, manifest %s\n", r.Name, r.Documents, r.Subset, r.Policy.ID(), r.SHA256)
	if r.Known.Found > 0 {
		fmt.Fprintf(w, "%s.\n", r.Known.Words())
	}
	writeAttack(w, r)
	writeLinkage(w, r)
}

// asHelp describes --as.
var asHelp = "The format of the file of --out: " + strings.Join(format.Writable(), ", ") + ". Notes are named by their numbers in the release, and spans are what was replaced visibly. Without it a zip with everything."

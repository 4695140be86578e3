// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/publish/joint"
	"hide/internal/publish/release"
	"hide/internal/words"
)

// check refuses settings that are invalid for any notes.
func (c JointChoice) check() error {
	hint := "k is the smallest size of an equivalence class; lambda, from 0 to 1, is the weight of the fields"
	switch {
	case c.K < 2 || c.K > maxTableK:
		return project.Invalidf(hint, "k must be from 2 to %d", maxTableK)
	case !(c.Lambda >= 0 && c.Lambda <= 1):
		return project.Invalidf(hint, "lambda must be from 0 to 1")
	case !slices.Contains([]joint.Strategy{"", joint.Mondrian, joint.GDF}, c.Strategy):
		return project.Invalidf(hint, "use Mondrian or GDF")
	case !slices.Contains([]joint.Cut{"", joint.Median, joint.Presence, joint.Least}, c.Cut):
		return project.Invalidf(hint, "unknown way to cut")
	case joint.Exposure{Leak: c.Found, Found: c.Found, Threshold: c.Threshold}.Check() != nil:
		return project.Invalidf("give shares", "a probability must be from 0 to 1")
	}
	return nil
}

func (c JointChoice) settings() joint.Settings {
	return joint.Settings{Strategy: cmp.Or(c.Strategy, joint.Mondrian), K: c.K, Lambda: c.Lambda, Cut: cmp.Or(c.Cut, joint.Least)}
}

// StartPublishJoint starts to release the finished notes with their fields. notes is the
// number of finished notes that the caller saw: another number is refused, and so is a
// second publication at the same time. found is how many of [Service.OpenInFinished] the
// caller knows to be published: more are refused.
func (s *Service) StartPublishJoint(ctx context.Context, by account.User, id project.ID, choice JointChoice, notes, found int) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if err := choice.check(); err != nil {
		return err
	}
	if n := len(ws.Finished()); n != notes {
		return &project.Error{Kind: project.Stale, Message: words.Count(n, "note is", "notes are") + " finished by now", Hint: "check the new figures, and confirm"}
	}
	open, err := s.audit.FindOpenInFinished(ctx, ws.Workspace)
	if err != nil {
		return err
	}
	if err := open.Unless(found); err != nil {
		return err
	}
	if err := s.recordOpen(ws, by, open, "joint"); err != nil {
		return err
	}
	return s.Start(ws.Workspace, Status{Kind: KindJoint, Total: notes}, func(ctx context.Context) error { return s.releaseJoint(ctx, ws, by, choice) })
}

// jointMade is a release that is not written yet.
type jointMade struct {
	*jointSet
	origin   *joint.View
	recoding *joint.Recoding
	report   joint.Report
	leak     *TextLeak
	open     []string // findings of audits that it leaves readable, in words
}

func (s *Service) makeJoint(ctx context.Context, ws *workspace, choice JointChoice) (*jointMade, error) {
	set, err := s.jointSet(ctx, ws, choice.Known, choice.Own)
	if err != nil {
		return nil, err
	}
	v, err := set.view(ctx)
	if err != nil {
		return nil, err
	}
	made, settings := &jointMade{jointSet: set, origin: v}, choice.settings()
	exposure := joint.Exposure{Found: choice.Found, Threshold: choice.Threshold}
	if made.leak, err = s.textLeak(ws, choice.Bundle); err != nil {
		return nil, err
	}
	if made.leak != nil {
		exposure.Leak = made.leak.Leak
	}
	if open, err := s.audit.FindOpenInFinished(ctx, ws.Workspace); err != nil {
		return nil, err
	} else if open.Found > 0 {
		made.open = []string{open.Words()}
	}
	p, err := v.Partition(ctx, settings)
	if err != nil {
		return nil, err
	}
	if made.recoding, err = v.Recode(ctx, p); err != nil {
		return nil, err
	}
	made.report, err = made.recoding.Report(ctx, settings, p, exposure)
	return made, err
}

// releaseJoint writes the notes with their fields, verifies them against the originals
// before they appear, and records the release.
func (s *Service) releaseJoint(ctx context.Context, ws *workspace, by account.User, choice JointChoice) error {
	made, err := s.makeJoint(ctx, ws, choice)
	if err != nil {
		return err
	}
	r, dir, err := s.Begin(ws.Workspace, by, KindJoint)
	if err != nil {
		return err
	}
	origin := joint.Origin{Tool: s.projects.Version(), Created: r.Created, Warnings: slices.Concat(made.open, r.Beside)}
	written, err := made.recoding.Release(release.Random()).Write(ctx, dir, origin, made.report)
	if err != nil {
		return err
	}
	r.SHA256, r.Documents = written.SHA256, made.Notes
	r.Joint = &JointRelease{
		Choice: choice, Fields: made.Fields, Alone: made.Alone, Left: made.Unfinished, Found: made.Found, Leak: made.leak,
		Compared: written.Verified.Compared, Else: written.Verified.Elsewhere, Warnings: append(made.report.Warnings(), made.open...), Report: made.report,
	}
	r.Joint.Report.Risk.Persons = nil // they stay in its report; the record has the groups
	var originals bytes.Buffer
	if err := made.origin.WriteOriginals(&originals); err != nil {
		return err
	}
	return s.Keep(ws.Workspace, by, r, dir, Kept{bucketMappings: written.Mapping, bucketOriginals: originals.Bytes()})
}

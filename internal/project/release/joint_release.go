// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math"
	"runtime"
	"slices"

	"hide/internal/account"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
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
func (s *Service) StartPublishJoint(ctx context.Context, by account.User, id project.ID, ending Ending, choice JointChoice, notes, found int) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if err := choice.check(); err != nil {
		return err
	}
	if n, _, _ := ws.FinishedCounts(); n != notes {
		return &project.Error{Kind: project.Stale, Message: words.Count(n, "note is", "notes are") + " finished by now", Hint: "check the new figures, and confirm"}
	}
	if err := s.LinkedOrSaid(ctx, ws.Workspace, by, choice.Unlinked); err != nil {
		return err
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
	return s.Start(ws.Workspace, ending, Status{Kind: KindJoint, Total: notes}, func(ctx context.Context) error {
		return s.releaseJoint(ctx, ws, by, ending, choice)
	})
}

// jointMade is a release that is not written yet.
type jointMade struct {
	*jointSet
	origin   *joint.View
	parts    joint.Partition
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
	if made.parts, err = v.Partition(ctx, settings); err != nil {
		return nil, err
	}
	if made.recoding, err = v.Recode(ctx, made.parts); err != nil {
		return nil, err
	}
	made.report, err = made.recoding.Report(ctx, settings, made.parts, exposure)
	return made, err
}

// releaseJoint writes the notes with their fields, verifies them against the originals
// before they appear, and records the release.
func (s *Service) releaseJoint(ctx context.Context, ws *workspace, by account.User, ending Ending, choice JointChoice) error {
	counting, err := s.countingFor(ctx, ws, choice.Unlinked)
	if err != nil {
		return err
	}
	made, err := s.makeJoint(ctx, ws, choice)
	if err != nil {
		return err
	}
	if err := counting.unchanged(); err != nil {
		return err
	}
	r, err := s.Begin(ws.Workspace, by, KindJoint, ending)
	if err != nil {
		return err
	}
	r.Linkage = counting.linkage(made.from)
	r.Linkage.Classes = counting.jointRisk(made, choice.K)
	origin := joint.Origin{Tool: s.projects.Version(), Created: r.Created, Warnings: slices.Concat(made.open, r.EarlierWords)}
	ordered := made.recoding.Release(release.Random())
	origin.Known = made.knownLeft(ordered)
	if origin.Attack, err = s.attackJoint(ctx, ws, made); err != nil {
		return err
	}
	written, err := ordered.Write(ctx, r.Dir, origin, made.report)
	if err != nil {
		return err
	}
	places, err := made.places(ordered)
	if err != nil {
		return err
	}
	r.SHA256, r.Documents, r.Known, r.Attack = written.SHA256, made.Notes, publish.KnownCounts(origin.Known), origin.Attack
	r.Joint = &JointRelease{
		Choice: choice, Fields: made.Fields, Alone: made.Alone, Left: made.Unfinished, Found: made.Found, Leak: made.leak,
		Compared: written.Verified.Compared, Else: written.Verified.Elsewhere, Warnings: append(made.report.Warnings(), made.open...), Report: made.report,
		Labels: ws.Labels().Labels(),
	}
	r.Joint.Report.Risk.Persons = nil // they stay in its report; the record has the groups
	var originals bytes.Buffer
	if err := made.origin.WriteOriginals(&originals); err != nil {
		return err
	}
	r.passages = func(ctx context.Context, c Candidate, shelf candidate.Shelf) error {
		b, err := s.doubting(ws.ID, c.Model())
		if err != nil {
			return err
		}
		return s.putPassages(ctx, ws, b, c, shelf, places)
	}
	return s.Keep(ctx, ws.Workspace, by, r, Kept{bucketMappings: written.Mapping, bucketOriginals: originals.Bytes(), bucketPlaces: places})
}

// doubting is a redaction model, nil if there is none or it is deleted.
func (s *Service) doubting(id project.ID, number int) (*publish.Bundle, error) {
	if number == 0 {
		return nil, nil
	}
	b, _, err := s.sanitize.OpenBundle(id, number)
	if project.KindOf(err) == project.NotFound {
		return nil, nil
	}
	return b, err
}

// places says where the notes of the release come from, in the form of the re-identification
// map of text.
func (made *jointMade) places(r *joint.Release) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("{}\n") // in place of a head
	enc := json.NewEncoder(&b)
	for i := range made.rows {
		row, moved := r.Moved(i)
		line := mapped{ID: candidate.RowID(i + 1), Document: made.from[row]}
		for _, m := range moved {
			line.Redactions = append(line.Redactions, mappedTerm{Start: m.Start, End: m.End, At: m.At, AtEnd: m.AtEnd, Label: m.Label})
		}
		if err := enc.Encode(line); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// textLeak is the probability that a note still holds a sensitive term after a bundle has
// redacted it, estimated by the bundle's run; the newest bundle if none is named. It is
// nil if the run is deleted or has no such figure. Before any bundle exists it uses the
// newest run with a figure.
func (s *Service) textLeak(ws *workspace, bundle int) (*TextLeak, error) {
	all, err := s.sanitize.StoredBundles(ws.ID)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && bundle == 0 {
		return s.newestLeak(ws)
	}
	at := len(all) - 1
	if bundle > 0 {
		at = slices.IndexFunc(all, func(b sanitize.Bundle) bool { return b.Number == bundle })
	}
	if at < 0 {
		return nil, project.NotFoundf("project %s has no redaction model %d", ws.ID, bundle)
	}
	run, err := s.sanitize.StoredRun(ws.Workspace, all[at].Run)
	if project.KindOf(err) == project.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return leakAt(run, all[at]), nil
}

// leakAt is the run's estimate for a bundle.
func leakAt(r sanitize.Run, b sanitize.Bundle) *TextLeak {
	c, found := r.At(b.LC)
	leak := leakOf(c.Outcome)
	if !found || !c.Done || leak == nil {
		return nil
	}
	leak.Bundle, leak.Run, leak.LC = b.Number, r.Number, c.LC
	return leak
}

// newestLeak is the estimate of the newest run that has one, for the L/C that leaks most;
// nil without such a run. Runs are large, so older ones are not read.
func (s *Service) newestLeak(ws *workspace) (leak *TextLeak, err error) {
	err = s.sanitize.NewestRuns(ws.ID, func(r sanitize.Run) bool {
		leak = mostLeak(r)
		return leak != nil
	})
	return leak, err
}

func mostLeak(r sanitize.Run) *TextLeak {
	var most *TextLeak
	for _, c := range r.Choices {
		leak := leakOf(c.Outcome)
		if !c.Done || leak == nil {
			continue
		}
		leak.Run, leak.LC = r.Number, c.LC
		if most == nil || leak.Leak > most.Leak {
			most = leak
		}
	}
	return most
}

// leakOf is the share of documents with a leak, among documents that the classifiers
// never saw if the outcome has them.
func leakOf(o greedy.Outcome) *TextLeak {
	o = o.Unseen()
	e := o.DocumentsWithLeak
	if o.Documents == 0 || math.IsNaN(e.Value) {
		return nil
	}
	share := func(n float64) float64 { return min(max(n/float64(o.Documents), 0), 1) }
	return &TextLeak{Leak: share(e.Value), Low: share(e.Low), High: share(e.High), Documents: o.Documents}
}

// Limits of a preview of notes published with their fields.
const (
	maxJointKs      = 12
	maxJointLambdas = 21
)

// StartJointPreview starts to try settings on the finished notes. The annotations are the
// sensitive terms. It cancels a running preview.
func (s *Service) StartJointPreview(ctx context.Context, by account.User, id project.ID, set JointSettings) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	set.Ks, set.Lambdas = slices.Compact(slices.Sorted(slices.Values(set.Ks))), slices.Compact(slices.Sorted(slices.Values(set.Lambdas)))
	if err := set.check(); err != nil {
		return err
	}
	return ws.joint.Restart(ctx, JointPreview{Settings: set, All: len(set.Ks) * (1 + len(set.Lambdas))},
		func(ctx context.Context) error { return s.tryJoint(ctx, ws, set) },
		func(p *JointPreview, err error) { p.ended(err) },
	)
}

func (set JointSettings) check() error {
	hint := "k is the smallest size of an equivalence class; lambda, from 0 to 1, is the weight of the fields"
	if len(set.Ks) == 0 || len(set.Ks) > maxJointKs || len(set.Lambdas) == 0 || len(set.Lambdas) > maxJointLambdas {
		return project.Invalidf(hint, "a preview can try 1 to %d values of k and 1 to %d values of lambda", maxJointKs, maxJointLambdas)
	}
	for _, k := range set.Ks {
		for _, lambda := range set.Lambdas {
			if err := (JointChoice{K: k, Lambda: lambda, Cut: set.Cut}).check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// CancelJointPreview cancels the running preview; its results so far stay.
func (s *Service) CancelJointPreview(ctx context.Context, by account.User, id project.ID) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	ws.joint.Cancel()
	return nil
}

// JointPreview is the newest preview, the zero value before the first. Its risk uses the
// leak estimate of this bundle, 0 for the newest.
func (s *Service) JointPreview(ctx context.Context, by account.User, id project.ID, bundle int) (JointPreview, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return JointPreview{}, err
	}
	mark, err := s.viewMark(ws)
	if err != nil {
		return JointPreview{}, err
	}
	leak, err := s.textLeak(ws, bundle)
	if err != nil {
		return JointPreview{}, err
	}
	p, running := ws.joint.State()
	p.Points = slices.Clone(p.Points)
	p.Leak = leak
	p.PreviewStatus = p.since(mark, running)
	return p, nil
}

// tryJoint tries the values of k in ascending order.
func (s *Service) tryJoint(ctx context.Context, ws *workspace, asked JointSettings) error {
	mark, err := s.viewMark(ws)
	if err != nil {
		return err
	}
	set, err := s.jointSet(ctx, ws, asked.Known, asked.Own)
	if err != nil {
		return err
	}
	v, err := set.view(ctx)
	if err != nil {
		return err
	}
	if set.Elsewhere, err = elsewhere(ctx, set.rows); err != nil {
		return err
	}
	all := 0
	for _, k := range asked.Ks {
		if k <= set.People {
			all += 1 + len(asked.Lambdas)
		}
	}
	ws.joint.Change(func(p *JointPreview) {
		p.JointData, p.mark, p.All = set.JointData, mark, all
	})
	if all == 0 {
		return project.Invalidf("try a smaller k, or finish notes of more patients", "only %d patients have finished notes, and k is %d", set.People, asked.Ks[0])
	}
	for _, k := range asked.Ks {
		o := joint.SweepOptions{K: []int{k}, Lambda: asked.Lambdas, Cuts: []joint.Cut{cmp.Or(asked.Cut, joint.Least)}, Ours: true, Workers: runtime.GOMAXPROCS(0)}
		before, _ := ws.joint.State()
		points, err := v.Sweep(ctx, o, func(n, _ int) {
			ws.joint.Change(func(p *JointPreview) { p.Done = before.Done + n })
		})
		if err != nil {
			return err
		}
		ws.joint.Change(func(p *JointPreview) { p.Points = append(p.Points, points...) })
	}
	return nil
}

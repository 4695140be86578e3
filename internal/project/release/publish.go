// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/candidate"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
	"hide/internal/publish/release"
	"hide/internal/publish/verify"
	"hide/internal/store"
)

// Despite is a person's answer to the obstacles to a release of text. All of it goes into
// the audit trail.
type Despite struct {
	Uncertified string           // why it is published though its forecast does not hold and nobody has read a sample
	Found       int              // how many identifiers of [OpenFindings] the person knows to be published
	Readable    []annotate.Label // labels of [Service.Readable] that the person knows to stay readable
	KeepKnown   bool             // known identifiers are redacted only where the model or a person finds them
	Unlinked    bool             // records look like the same people, see [Service.LinkedOrSaid]
}

// StartPublish starts to release every document of the project, redacted by the bundle
// and by people's annotations. Only one release runs at a time. It is refused if the
// forecast does not hold, nobody has read a sample and no reason is given; if more open
// findings would be published than the person knows; and if other labels stay readable than
// the person knows.
func (s *Service) StartPublish(ctx context.Context, by account.User, id project.ID, ending Ending, bundle int, despite Despite) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	b, info, err := s.sanitize.OpenBundle(id, bundle)
	if err != nil {
		return err
	}
	if err := info.CheckLabels(ws.Names(), ws.Labels(), b.Policy); err != nil {
		return err
	}
	if err := s.LinkedOrSaid(ctx, ws.Workspace, by, despite.Unlinked); err != nil {
		return err
	}
	readable, err := s.readable(ctx, ws, info)
	if err != nil {
		return err
	}
	if err := knownReadable(readable, despite.Readable, info); err != nil {
		return err
	}
	open, err := s.audit.FindOpen(ctx, ws.Workspace, info.Number)
	if err != nil {
		return err
	}
	if err := open.Unless(despite.Found); err != nil {
		return err
	}
	if ending == Publish { // a candidate is frozen to be read
		if err := s.mayGoUncertified(ws, by, About{Bundle: info.Number}, despite.Uncertified); err != nil {
			return err
		}
	}
	if err := errors.Join(s.recordReadable(ws, by, readable, info), s.recordOpen(ws, by, open, "bundles", info.Number), s.recordKept(ws, by, despite.KeepKnown, info)); err != nil {
		return err
	}
	return s.Start(ws.Workspace, ending, Status{Total: len(ws.All())}, func(ctx context.Context) error {
		return s.release(ctx, ws, by, ending, b, info, despite)
	})
}

// keptKnownWords are the warning of a release that does not redact all known identifiers.
const keptKnownWords = "Known identifiers are redacted only where the redaction model or a person found them: the release was made without redacting the others."

// recordKept records that known identifiers are not redacted as such.
func (s *Service) recordKept(ws *workspace, by account.User, keep bool, info sanitize.Bundle) error {
	if !keep {
		return nil
	}
	return s.projects.Record(ws.ID, project.EventBy(by, "keep known identifiers", ws.ID.Object("bundles", info.Number)))
}

// recordOpen records that identifiers are published which people found in audits; with
// names what they are published with.
func (s *Service) recordOpen(ws *workspace, by account.User, open audit.OpenFindings, with ...any) error {
	if open.Found == 0 {
		return nil
	}
	return s.projects.Record(ws.ID, project.EventBy(by, "publish found", ws.ID.Object(with...), open.Words()))
}

// CancelPublish cancels the running publication and removes its files.
func (s *Service) CancelPublish(ctx context.Context, by account.User, id project.ID) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	ws.publish.Cancel()
	return nil
}

// Publishing is the state of the running or the last publication.
func (s *Service) Publishing(ctx context.Context, by account.User, id project.ID) (Status, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return Status{}, err
	}
	p, running := ws.publish.State()
	p.Running = running
	return p, nil
}

// release writes a release, lets the verifier check it, and records it. It removes a
// release that could not be recorded.
func (s *Service) release(ctx context.Context, ws *workspace, by account.User, ending Ending, b *publish.Bundle, info sanitize.Bundle, despite Despite) error {
	warnings, err := s.warnings(ctx, ws, by, info, ending)
	if err != nil {
		return err
	}
	if despite.KeepKnown {
		warnings = append(warnings, keptKnownWords)
	}
	counting, err := s.countingFor(ctx, ws, despite.Unlinked)
	if err != nil {
		return err
	}
	r, err := s.Begin(ws.Workspace, by, KindText, ending)
	if err != nil {
		return err
	}
	r.counts(counting, ws.All())
	r.Bundle, r.LC, r.Warnings = info.Number, info.LC, slices.Clone(warnings)
	if r.Audit, _, err = s.audit.Audited(ws.Workspace, func(a audit.Audit) bool { return a.Bundle == info.Number }); err != nil {
		return err
	}
	meta := publish.Meta{Tool: s.projects.Version(), Created: r.Created, Name: r.Name, Project: string(ws.ID), Finished: ws.Overview().Done, Warnings: append(warnings, r.EarlierWords...)}
	return s.write(ctx, ws, by, r, s.Inputs(ctx, ws.Workspace, info, despite.KeepKnown), b, meta)
}

// judge says in the claims of a release whether the figures of its bundle, and its target, hold
// for the notes of the project.
func (s *Service) judge(ws *workspace, b *publish.Bundle, meta *publish.Meta) error {
	if b == nil {
		return nil
	}
	run, err := s.sanitize.StoredRun(ws.Workspace, b.Provenance.Run)
	if project.KindOf(err) == project.NotFound {
		if b.Provenance.Target != nil {
			meta.TargetVoid = "the run that chose the threshold is gone"
		}
		return nil
	}
	if b.Provenance.Target != nil {
		meta.TargetVoid = run.TargetVoid()
	}
	meta.Validity = new(run.Validity(b.Provenance.LC))
	return err
}

// write writes a release of text, verifies it against the originals, and keeps it.
func (s *Service) write(ctx context.Context, ws *workspace, by account.User, r *Making, docs iter.Seq2[publish.Input, error], b *publish.Bundle, meta publish.Meta) (err error) {
	if err := s.judge(ws, b, &meta); err != nil {
		return err
	}
	meta.Attack = s.attacker(ws)
	written, err := publish.WriteRelease(ctx, r.Dir, docs, b, meta, func(done int) { s.published(ws, done) })
	if err != nil {
		return err
	}
	kept, released, err := r.keeps(ws, written.Mapping)
	if err == nil {
		err = r.counted.unchanged()
	}
	if err == nil {
		err = s.verified(ctx, ws, r.Dir, written.Mapping, released)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(r.Dir))
	}
	r.passages = func(ctx context.Context, c Candidate, shelf candidate.Shelf) error {
		return s.putPassages(ctx, ws, b, c, shelf, written.Mapping)
	}
	r.tell(written)
	r.mode = written.Claims.Parameters.Mode
	return s.Keep(ctx, ws.Workspace, by, r, kept)
}

// Dir is the folder of a release.
func (s *Service) Dir(id project.ID, name string) string {
	return filepath.Join(s.projects.ReleasesFolder(), string(id), name)
}

// reserveRelease takes the next number with a free folder, so that a failed release never
// shares a name with a later one or with one that a restored backup does not list.
func (s *Service) reserveRelease(ws *project.Workspace, by account.User) (number int, err error) {
	err = s.projects.Transact(ws.ID, func(tx *store.Tx) error {
		for taken := true; taken; {
			n, err := tx.Next(bucketReleases)
			if err != nil {
				return err
			}
			number = int(n)
			_, err = os.Lstat(s.Dir(ws.ID, releaseName(number)))
			taken = err == nil
		}
		return tx.Audit(project.EventBy(by, "begin release", ws.ID.Object("releases", number)))
	})
	return number, err
}

func releaseName(number int) string { return fmt.Sprintf("release-%d", number) }

// sweepReleases removes the files of a release that a killed process was writing.
func (s *Service) sweepReleases() error {
	unfinished, err := filepath.Glob(filepath.Join(s.projects.ReleasesFolder(), "p*", "*"+release.Unfinished+"*"))
	for _, dir := range unfinished {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// Inputs yields every document, grouped by patient. People's annotations are redacted
// whatever the bundle finds, in unfinished documents too, unless the bundle excludes
// their label. So are known identifiers, unless keepKnown only counts them.
func (s *Service) Inputs(ctx context.Context, ws *project.Workspace, info sanitize.Bundle, keepKnown bool) iter.Seq2[publish.Input, error] {
	return func(yield func(publish.Input, error) bool) {
		for d, err := range ws.Documents(ctx, ws.ByGroup()) {
			in := info.Input(ws.Names(), ws.Labels(), d)
			if keepKnown {
				in.Known = in.Known.Readable()
			}
			if !yield(in, err) || err != nil {
				return
			}
		}
	}
}

func (s *Service) published(ws *workspace, done int) {
	ws.publish.Change(func(p *Status) { p.Done = done })
}

// verified lets the verifier, which shares no code with the publisher, compare the
// written files with the originals: all claims are true, the redacted text is gone from
// its place, and all other bytes are unchanged.
func (s *Service) verified(ctx context.Context, ws *workspace, dir string, mapping []byte, docs []annotate.DocumentID) error {
	originals, feed := io.Pipe()
	var fed sync.WaitGroup
	fed.Go(func() { feed.CloseWithError(format.WriteJSONL(feed, ws.Read(ctx, docs))) })
	found, err := verify.Against(ctx, os.DirFS(dir), bytes.NewReader(mapping), originals)
	originals.Close() // never fails; ends the feeding when the verifier gave up
	fed.Wait()
	if err != nil {
		return fmt.Errorf("verify what was written: %w", err)
	}
	if r := found.Common(); !r.OK {
		return fmt.Errorf("the written files do not match their manifest: %s", r.Problems[0])
	}
	return nil
}

// tell updates the numbers of written and verified documents.
func (r *Release) tell(w *publish.Written) {
	r.SHA256 = w.SHA256
	r.Documents, r.Tokens, r.Outcome = w.Claims.Counts.Documents, w.Claims.Counts.Tokens, w.Claims.Figures.Outcome
	r.Validity = w.Claims.Figures.Validity
	r.Redacted = map[string]int{}
	for label, n := range w.Claims.Counts.Redactions {
		r.Redacted[string(label)] = n
	}
	r.Known = w.Claims.Counts.Known
	r.Policy, r.Signed, r.Agreed, r.Attack, r.Like = w.Claims.Policy, w.Claims.Signed, w.Claims.Agreed, w.Claims.Attack, w.Claims.Like
	r.Hidden = w.Hidden
}

// PublishWarnings are the reasons for caution before publishing with a bundle: those of
// its run, and those of this release.
func (s *Service) PublishWarnings(ctx context.Context, by account.User, id project.ID, bundle int) ([]string, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, err
	}
	info, err := s.sanitize.StoredBundle(id, bundle)
	if err != nil {
		return nil, err
	}
	return s.warnings(ctx, ws, by, info, Publish)
}

func (s *Service) warnings(ctx context.Context, ws *workspace, by account.User, info sanitize.Bundle, ending Ending) ([]string, error) {
	run, err := s.sanitize.StoredRun(ws.Workspace, info.Run)
	if err != nil {
		return nil, err
	}
	out := s.sanitize.RunWarnings(ws.Workspace, by, run)
	if info.Target != nil && run.TargetVoid() != "" {
		out = append(out, run.TargetWords())
	}
	read, err := s.readingWarnings(ws, info.Number, ending)
	if err != nil {
		return nil, err
	}
	open, err := s.audit.FindOpen(ctx, ws.Workspace, info.Number)
	if err != nil {
		return nil, err
	}
	out = append(out, read...)
	if open.Found > 0 {
		out = append(out, open.Words())
	}
	if o := ws.Overview(); o.Done < o.Documents {
		out = append(out, fmt.Sprintf("%d of %d notes are not finished. Besides their existing annotations, only the redaction model redacts them, and nobody has checked its findings.", o.Documents-o.Done, o.Documents))
	}
	if excluded := info.ExcludedNow(ws.Names(), ws.Labels()); len(excluded) > 0 {
		out = append(out, fmt.Sprintf("Text with the label %s is published unredacted: the run counts it as not sensitive.", project.Joined(excluded)))
	}
	if old := info.OldNames(ws.Names()); old != "" {
		out = append(out, old)
	}
	return out, nil
}

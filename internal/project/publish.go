// SPDX-License-Identifier: Apache-2.0

package project

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
	"strings"
	"sync"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/publish"
	"hide/internal/publish/verify"
	"hide/internal/store"
)

func publishKey(id ID) string { return "publish/" + string(id) }

// Despite is what somebody says to what stands against a release of text. All of it
// goes into the audit trail.
type Despite struct {
	Unaudited string           // why it is done without the audit that has to come first
	Found     int              // how many identifiers of [OpenFindings] are known to be published
	Readable  []annotate.Label // those of [Service.Readable], known to stay readable
}

// Obstacle is what stands against a release of text.
type Obstacle string

// The obstacles, each of which a field of [Despite] answers.
const (
	NotAudited    Obstacle = "unaudited"
	StillOpen     Obstacle = "found"
	StaysReadable Obstacle = "readable"
)

// StartPublish starts to release every document of the project, redacted by the
// bundle and by what people have marked. One at a time. It is refused where an audit
// has to come first, none has, and there is no reason; where more of what audits found
// would be published than is known; and where other labels stay readable than are known.
func (s *Service) StartPublish(ctx context.Context, by account.User, id ID, bundle int, despite Despite) error {
	ws, err := s.Enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	b, info, err := s.openBundle(id, bundle)
	if err != nil {
		return err
	}
	if err := decided(ws.Labels(), b.Policy, info); err != nil {
		return err
	}
	readable, err := s.readable(ctx, ws, info)
	if err != nil {
		return err
	}
	if err := knownReadable(readable, despite.Readable, info); err != nil {
		return err
	}
	open, err := s.openFindings(ctx, ws, info.Number)
	if err != nil {
		return err
	}
	if err := open.unless(despite.Found); err != nil {
		return err
	}
	if err := s.mayGoUnaudited(ws, by, info, despite.Unaudited); err != nil {
		return err
	}
	if err := errors.Join(s.recordReadable(ws, by, readable, info), s.recordOpen(ws, by, open, "bundles", info.Number)); err != nil {
		return err
	}
	return s.startRelease(ws, PublishStatus{Total: len(ws.All())}, func(ctx context.Context) error { return s.release(ctx, ws, by, b, info) })
}

// mostReason bounds the words of a reason.
const mostReason = 300

// mayGoUnaudited refuses a release that an audit has to come before, unless there
// is a reason, which it puts on record.
func (s *Service) mayGoUnaudited(ws *Workspace, by account.User, info BundleInfo, reason string) error {
	run, err := s.run(ws, info.Run)
	if KindOf(err) == NotFound {
		return nil // its figures are gone, as the page says
	}
	if err != nil {
		return err
	}
	why := run.AuditNeeded()
	done, err := s.audited(ws, info.Number)
	if err != nil || why == "" || done != nil {
		return err
	}
	reason = strings.Join(strings.Fields(reason), " ")
	if reason == "" {
		return Obstructed(NotAudited, "audit what would be published, or say why you publish without", "nobody has audited what bundle %d leaves, and the prediction does not hold: %s", info.Number, why)
	}
	if len(reason) > mostReason {
		return Invalidf("use fewer words", "the reason has %d bytes, at most %d can be kept", len(reason), mostReason)
	}
	return s.Update(ws.ID, EventBy(by, "publish unaudited", ws.ID.Object("bundles", info.Number), reason), func(*store.Tx) error { return nil })
}

// recordOpen puts on record that identifiers are published that people have found;
// with names what they are published with.
func (s *Service) recordOpen(ws *Workspace, by account.User, open OpenFindings, with ...any) error {
	if open.Found == 0 {
		return nil
	}
	return s.Update(ws.ID, EventBy(by, "publish found", ws.ID.Object(with...), open.Words()), func(*store.Tx) error { return nil })
}

// decided refuses a bundle that is older than one of the project's labels: nobody
// has said whether what carries it may be published.
func decided(all annotate.LabelSet, policy publish.Policy, info BundleInfo) error {
	var open []string
	for _, l := range excluded(all, policy) {
		if !slices.Contains(info.Excluded, l) {
			open = append(open, string(l))
		}
	}
	if len(open) == 0 {
		return nil
	}
	return Invalidf("choose the L/C once more, in the run that the bundle is from, and publish with the new bundle",
		"bundle %d is older than these labels of the project: %s", info.Number, strings.Join(open, ", "))
}

// CancelPublish ends the publishing under way; nothing of it stays.
func (s *Service) CancelPublish(ctx context.Context, by account.User, id ID) error {
	if _, err := s.Enter(by, account.Sanitize, id); err != nil {
		return err
	}
	s.jobs.Cancel(publishKey(id))
	return nil
}

// Publishing says how the publishing under way stands, or how the last one ended.
func (s *Service) Publishing(ctx context.Context, by account.User, id ID) (PublishStatus, error) {
	ws, err := s.Enter(by, account.SeeFigures, id)
	if err != nil {
		return PublishStatus{}, err
	}
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.publish, nil
}

// release writes a release, lets the verifier check it, and records it. A
// release that is not on record is removed.
func (s *Service) release(ctx context.Context, ws *Workspace, by account.User, b *publish.Bundle, info BundleInfo) error {
	warnings, err := s.PublishWarnings(ctx, by, ws.ID, info.Number)
	if err != nil {
		return err
	}
	r, dir, err := s.beginRelease(ws, by, ReleaseText)
	if err != nil {
		return err
	}
	r.Bundle, r.LC, r.Warnings = info.Number, info.LC, slices.Clone(warnings)
	if r.Audit, err = s.audited(ws, info.Number); err != nil {
		return err
	}
	meta := publish.Meta{Tool: s.opts.Version, Created: r.Created, Name: r.Name, Project: string(ws.ID), Finished: ws.Overview().Done, Warnings: append(warnings, r.Beside...)}
	written, err := publish.WriteRelease(ctx, dir, s.inputs(ctx, ws, info), b, meta, func(done int) { s.published(ws, done) })
	if err != nil {
		return err
	}
	if err := s.verified(ctx, ws, dir, written.Mapping); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	r.tell(written)
	return s.keepRelease(ws, by, r, dir, sealed{bucketMappings: written.Mapping})
}

func (s *Service) releaseDir(id ID, name string) string {
	return filepath.Join(s.opts.Releases, string(id), name)
}

// reserveRelease takes the next number whose folder is free, so that a failed
// release never shares a name with a later one, nor one that a restored backup
// knows nothing of.
func (s *Service) reserveRelease(ws *Workspace, by account.User) (number int, err error) {
	err = s.Transact(ws.ID, func(tx *store.Tx) error {
		for taken := true; taken; {
			n, err := tx.Next(bucketReleases)
			if err != nil {
				return err
			}
			number = int(n)
			_, err = os.Lstat(s.releaseDir(ws.ID, releaseName(number)))
			taken = err == nil
		}
		return tx.Audit(EventBy(by, "begin release", ws.ID.Object("releases", number)))
	})
	return number, err
}

func releaseName(number int) string { return fmt.Sprintf("release-%d", number) }

// sweepReleases removes what a process that was killed left of a release it was
// writing.
func (s *Service) sweepReleases() error {
	unfinished, err := filepath.Glob(filepath.Join(s.opts.Releases, "p*", "*"+publish.Unfinished+"*"))
	for _, dir := range unfinished {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// inputs yields every document, those of a patient one after the other. What people have marked is redacted whatever the
// bundle finds, in unfinished documents too, unless its label was excluded when
// the bundle was chosen.
func (s *Service) inputs(ctx context.Context, ws *Workspace, info BundleInfo) iter.Seq2[publish.Input, error] {
	return func(yield func(publish.Input, error) bool) {
		for d, err := range ws.Documents(ctx, ws.ByGroup()) {
			if !yield(input(d, info), err) || err != nil {
				return
			}
		}
	}
}

// input is a document to be published.
func input(d StoredNote, info BundleInfo) publish.Input {
	return publish.Input{Document: d.ID, Name: d.Name, Text: d.Text, Group: d.Patient, Known: d.Known(), Spans: publishedSpans(d.Spans, info)}
}

// publishedSpans are those that are redacted because people marked them.
func publishedSpans(spans []annotate.Span, info BundleInfo) []annotate.Span {
	return slices.DeleteFunc(slices.Clone(spans), func(s annotate.Span) bool { return slices.Contains(info.Excluded, s.Label) })
}

func (s *Service) published(ws *Workspace, done int) {
	ws.mu.Lock()
	ws.publish.Done = done
	ws.mu.Unlock()
	s.Tell(ws.ID, TopicPublish)
}

// verified lets the verifier, which shares no code with the publisher, compare
// what was written with the originals: everything claimed is so, what was
// redacted is gone from its place, and all else is byte for byte the same.
func (s *Service) verified(ctx context.Context, ws *Workspace, dir string, mapping []byte) error {
	originals, feed := io.Pipe()
	var fed sync.WaitGroup
	fed.Go(func() { feed.CloseWithError(format.WriteJSONL(feed, ws.Read(ctx, ws.All()))) })
	report, err := verify.Against(os.DirFS(dir), bytes.NewReader(mapping), originals)
	originals.Close() // never fails; ends the feeding when the verifier gave up
	fed.Wait()
	if err != nil {
		return fmt.Errorf("verify what was written: %w", err)
	}
	if len(report.Problems) > 0 {
		return fmt.Errorf("what was written is not what it claims: %s", report.Problems[0])
	}
	return nil
}

// tell enters what was written and verified.
func (r *Release) tell(w *publish.Written) {
	r.SHA256 = w.SHA256
	r.Documents, r.Tokens, r.Outcome = w.Manifest.Counts.Documents, w.Manifest.Counts.Tokens, w.Manifest.Figures
	r.Redacted = map[string]int{}
	for label, n := range w.Manifest.Counts.Redactions {
		r.Redacted[string(label)] = n
	}
}

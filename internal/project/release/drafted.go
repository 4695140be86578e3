// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
	"hide/internal/publish/policy"
	"hide/internal/store"
)

// Drafted is a release of text whose replacements are all decided, see package draft.
type Drafted struct {
	Draft    uint64                // number of the draft
	Policy   policy.Resolved       // for all labels that occur
	Bundle   int                   // redaction model that found identifiers; 0 for none
	Docs     []annotate.DocumentID // notes that are released
	Subset   string                // which notes these are, in words
	Like     int                   // earlier release whose note numbers are used again; 0 for none
	Signed   *publish.Signed
	Agreed   []string
	Warnings []string
	Despite  Despite // Readable and KeepKnown say nothing here: the draft lists every place

	// Inputs yields the notes with their replacements. It is called when the release is
	// written.
	Inputs func(ctx context.Context, numbers map[annotate.DocumentID]string) iter.Seq2[publish.Input, error]
	// Keep is what the store keeps beside the re-identification map.
	Keep Kept
}

// StartDrafted starts to publish or freeze a release with these replacements. What the
// redaction model needs to publish is asked as [Service.StartPublish] does.
func (s *Service) StartDrafted(ctx context.Context, by account.User, id project.ID, ending Ending, d Drafted) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if ending == Publish && d.Policy.Policy.Basis.Needs().Certificate {
		return project.Obstructed(project.NotApproved, "freeze it as a candidate, open a review, let people read a random sample, and publish the approved candidate",
			"a release on the basis %q needs a certificate and an approving review", d.Policy.Policy.Basis.Words())
	}
	if err := s.LinkedOrSaid(ctx, ws.Workspace, by, d.Despite.Unlinked); err != nil {
		return err
	}
	b, info, err := s.modelOf(ctx, ws, by, ending, d)
	if err != nil {
		return err
	}
	return s.Start(ws.Workspace, ending, Status{Total: len(d.Docs)}, func(ctx context.Context) error {
		return s.releaseDrafted(ctx, ws, by, ending, b, info, d)
	})
}

// modelOf opens the redaction model of a draft and asks what it needs. Both results are empty
// without a model.
func (s *Service) modelOf(ctx context.Context, ws *workspace, by account.User, ending Ending, d Drafted) (*publish.Bundle, sanitize.Bundle, error) {
	if d.Bundle == 0 {
		return nil, sanitize.Bundle{}, nil
	}
	b, info, err := s.sanitize.OpenBundle(ws.ID, d.Bundle)
	if err != nil {
		return nil, info, err
	}
	open, err := s.audit.FindOpen(ctx, ws.Workspace, info.Number)
	if err != nil {
		return nil, info, err
	}
	if err := open.Unless(d.Despite.Found); err != nil {
		return nil, info, err
	}
	if ending == Publish {
		if err := s.mayGoUncertified(ws, by, About{Bundle: info.Number}, d.Despite.Uncertified); err != nil {
			return nil, info, err
		}
	}
	return b, info, s.recordOpen(ws, by, open, "bundles", info.Number)
}

// releaseDrafted writes, verifies and keeps a release with decided replacements.
func (s *Service) releaseDrafted(ctx context.Context, ws *workspace, by account.User, ending Ending, b *publish.Bundle, info sanitize.Bundle, d Drafted) error {
	warnings, err := s.draftedWarnings(ctx, ws, by, info, ending, d)
	if err != nil {
		return err
	}
	meta := publish.Meta{Tool: s.projects.Version(), Project: string(ws.ID), Finished: ws.finishedOf(d.Docs), Policy: &d.Policy, Signed: d.Signed, Agreed: d.Agreed}
	numbers, err := s.continues(ws.ID, d.Like, &meta)
	if err != nil {
		return err
	}
	counting, err := s.countingFor(ctx, ws, d.Despite.Unlinked)
	if err != nil {
		return err
	}
	r, err := s.Begin(ws.Workspace, by, KindText, ending)
	if err != nil {
		return err
	}
	r.counts(counting, d.Docs)
	r.Bundle, r.LC, r.Warnings, r.Draft, r.Subset = info.Number, info.LC, warnings, d.Draft, d.Subset
	meta.Created, meta.Name, meta.Warnings = r.Created, r.Name, append(slices.Clone(warnings), r.EarlierWords...)
	r.docs, r.kept = d.Docs, d.Keep
	return s.write(ctx, ws, by, r, d.Inputs(ctx, numbers), b, meta)
}

// continues sets in meta the earlier release that a release continues, and gives the numbers of
// its notes.
func (s *Service) continues(id project.ID, like int, meta *publish.Meta) (map[annotate.DocumentID]string, error) {
	if like == 0 {
		return nil, nil
	}
	r, err := s.textRelease(id, like)
	if err != nil {
		return nil, err
	}
	numbers, err := s.NumbersOf(id, like)
	if err != nil {
		return nil, err
	}
	meta.Like = r.Name
	meta.Last, err = s.lastNumber(id, r)
	return numbers, err
}

// lastNumber is the largest number of a note in the releases that continue each other with r.
func (s *Service) lastNumber(id project.ID, r Release) (int, error) {
	all, err := s.Recorded(id)
	if err != nil {
		return 0, err
	}
	series := map[string]bool{r.Name: true}
	for _, one := range slices.Backward(all) { // a release is older than those like it
		if series[one.Name] && one.Like != "" {
			series[one.Like] = true
		}
	}
	last := 0
	for _, one := range all {
		if one.Kind != KindText || !series[one.Name] && !series[one.Like] {
			continue
		}
		series[one.Name] = true
		numbers, err := s.NumbersOf(id, one.Number)
		if project.KindOf(err) == project.Invalid { // its map is gone: it had no more notes than this
			last = max(last, one.Documents)
			continue
		}
		if err != nil {
			return 0, err
		}
		for number := range maps.Values(numbers) {
			var n int
			if _, err := fmt.Sscanf(number, "%d", &n); err == nil {
				last = max(last, n)
			}
		}
	}
	return last, nil
}

// draftedWarnings are the warnings of a release with decided replacements.
func (s *Service) draftedWarnings(ctx context.Context, ws *workspace, by account.User, info sanitize.Bundle, ending Ending, d Drafted) ([]string, error) {
	out := slices.Clone(d.Warnings)
	if open := len(d.Docs) - ws.finishedOf(d.Docs); open > 0 {
		out = append(out, fmt.Sprintf("%d of %d released notes are not finished: nobody has read them to the end for identifiers.", open, len(d.Docs)))
	}
	if info.Number == 0 {
		return out, nil
	}
	run, err := s.sanitize.StoredRun(ws.Workspace, info.Run)
	if err != nil {
		return nil, err
	}
	out = append(out, s.sanitize.RunWarnings(ws.Workspace, by, run)...)
	read, err := s.readingWarnings(ws, info.Number, ending)
	if err != nil {
		return nil, err
	}
	open, err := s.audit.FindOpen(ctx, ws.Workspace, info.Number)
	if open.Found > 0 {
		read = append(read, open.Words())
	}
	return append(out, read...), err
}

// keeps is what the store keeps of a release of text, and the notes that it holds.
func (m *Making) keeps(ws *workspace, mapping []byte) (Kept, []annotate.DocumentID, error) {
	if m.Draft == 0 {
		return Kept{bucketMappings: mapping}, ws.All(), nil
	}
	kept := Kept{}
	maps.Copy(kept, m.kept)
	kept[bucketMappings] = mapping
	var err error
	kept[bucketDocs], err = json.Marshal(m.docs)
	return kept, m.docs, err
}

// continueDraft makes a repaired candidate one of the draft of its parent: of the same notes,
// and with the same key of invented values.
func (s *Service) continueDraft(ws *workspace, m *Making, parent Candidate, kept Kept, meta *publish.Meta) (err error) {
	m.Draft, m.Subset, m.kept = parent.Draft, parent.Subset, kept
	m.docs, err = s.docsOf(ws.Workspace, parent)
	meta.Finished = ws.finishedOf(m.docs)
	return err
}

// finishedOf counts the finished ones of these notes.
func (ws *workspace) finishedOf(docs []annotate.DocumentID) int {
	return len(docs) - len(ws.Unfinished(docs))
}

// docsOf are the notes of a candidate that was made from a draft; all notes of the project
// otherwise.
func (s *Service) docsOf(ws *project.Workspace, c Candidate) ([]annotate.DocumentID, error) {
	if c.Draft == 0 {
		return ws.All(), nil
	}
	return project.Read(s.projects, ws.ID, func(tx *store.Tx) (docs []annotate.DocumentID, err error) {
		raw, err := tx.Get(bucketFrozen, frozenKey(c.Number, bucketDocs))
		if errors.Is(err, store.ErrNotFound) {
			raw, err = tx.Get(bucketDocs, store.Key(uint64(c.Number)))
		}
		if err == nil {
			err = json.Unmarshal(raw, &docs)
		}
		return docs, err
	})
}

// mayOnBasis refuses to publish a candidate whose basis needs a certificate and an approving
// review, unless it has both.
func (s *Service) mayOnBasis(ws *workspace, c Candidate, approval Approval) error {
	if c.Policy == nil || !c.Policy.Basis.Needs().Certificate {
		return nil
	}
	read, err := s.sampled(ws, About{Candidate: c.Number})
	switch {
	case err != nil:
		return err
	case approval.Number == 0:
		return project.Obstructed(project.NotApproved, "open a review of the candidate", "candidate %d needs an approving review, because of its basis %q", c.Number, c.Policy.Basis.Words())
	case !read.Counts():
		return project.Obstructed(project.NotCertified, "let people read a random sample in the review", "candidate %d needs a certificate, because of its basis %q", c.Number, c.Policy.Basis.Words())
	}
	return nil
}

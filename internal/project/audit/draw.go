// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
	"hide/internal/store"
)

// Default number of notes in an audit, and the maximum of random and doubtful
// notes.
const (
	RandomNotes   = 20
	DoubtfulNotes = 10
	MostNotes     = 500
)

// doubtSample is how many documents are scored to find the most doubtful ones.
const doubtSample = 2_000

// StartSampleAudit starts a job that draws notes as the bundle would publish them:
// random notes, and the notes that the bundle is least sure of. Only one such job
// runs at a time.
func (s *Service) StartSampleAudit(ctx context.Context, by account.User, id project.ID, bundle, random, picked int) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if random < 1 || random > MostNotes || picked < 0 || picked > MostNotes {
		return project.Invalidf(fmt.Sprintf("choose 1 to %d random notes and up to %d doubtful notes", MostNotes, MostNotes), "cannot audit %d random and %d doubtful notes", random, picked)
	}
	b, info, err := s.sanitize.OpenBundle(id, bundle)
	if err != nil {
		return err
	}
	if err := info.CheckLabels(ws.Names(), ws.Labels(), b.Policy); err != nil {
		return err
	}
	docs := ws.toAudit()
	if len(docs) == 0 {
		return project.Invalidf("import notes first", "the project has no notes")
	}
	if !ws.draw.Claim(Drawing{Total: min(len(docs), doubtSample)}) {
		return &project.Error{Kind: project.Stale, Message: "a sample is being drawn already", Hint: "wait for it"}
	}
	a := Audit{Bundle: bundle, Run: info.Run, LC: info.LC, By: by.ID, Documents: len(docs), Asked: random + picked, Seed: rand.Uint64()}
	ws.draw.Start(
		func(ctx context.Context) error { return s.drawSample(ctx, ws, by, a, b, info, docs, random, picked) },
		func(d *Drawing, err error) {
			if err != nil {
				d.Error = "no sample was drawn: " + err.Error()
			}
		},
	)
	return nil
}

// toAudit returns the documents that only the bundle would redact, or all documents
// when every note is finished.
func (ws *workspace) toAudit() []annotate.DocumentID {
	all := ws.All()
	if open := ws.Unfinished(all); len(open) > 0 {
		return open
	}
	return all
}

// auditRevisions is the fingerprint of the documents that an audit covers.
func (ws *workspace) auditRevisions() string { return ws.auditState().fingerprint() }

// auditState is the revision of every document that an audit covers.
func (ws *workspace) auditState() auditState { return ws.DocumentRevisions(ws.toAudit()) }

type auditState []project.DocumentRevision

// with returns the state after one document got another revision.
func (a auditState) with(doc annotate.DocumentID, revision int) auditState {
	out := slices.Clone(a)
	for i := range out {
		if out[i].Document == doc {
			out[i].Revision = revision
		}
	}
	return out
}

func (a auditState) fingerprint() string { return project.RevisionsMark(a) }

// drawSample is the job that draws the sample.
func (s *Service) drawSample(ctx context.Context, ws *workspace, by account.User, a Audit, b *publish.Bundle, info sanitize.Bundle, docs []annotate.DocumentID, random, picked int) error {
	a.Revisions = ws.auditRevisions()
	doubts, err := s.doubts(ctx, ws, b, docs, a.Seed)
	if err != nil {
		return err
	}
	a.Notes = auditOrder(audit.Draw(doubts, random, picked, a.Seed), docs, a.Seed)
	return s.keepAudit(ctx, ws, by, a, b, info)
}

// doubts estimates per document how many sensitive tokens remain, by the bundle's
// first classifier. If there are many documents, only a random part is scored; the
// others count as least doubtful.
func (s *Service) doubts(ctx context.Context, ws *workspace, b *publish.Bundle, docs []annotate.DocumentID, seed uint64) ([]float64, error) {
	at := map[annotate.DocumentID]int{}
	for i, doc := range docs {
		at[doc] = i
	}
	out := make([]float64, len(docs))
	for i := range out {
		out[i] = -1
	}
	done := 0
	for d, err := range ws.Documents(ctx, project.SomeOf(slices.Clone(docs), doubtSample, seed)) {
		if err != nil {
			return nil, err
		}
		out[at[d.ID]] = doubt(b, d.Annotated)
		done++
		ws.draw.Change(func(d *Drawing) { d.Done = done })
	}
	return out, nil
}

func doubt(b *publish.Bundle, a annotate.Annotated) float64 {
	if len(b.Ensemble) == 0 {
		return 0
	}
	d := annotate.NewNote(a)
	hidden, sum := b.Ensemble.Redact(d), 0.0
	for x, p := range b.Ensemble[0].Classifier.Scores(d.View()) {
		if !hidden[x] && !d.Sensitive[x] {
			sum += p
		}
	}
	return sum
}

// auditOrder shuffles both kinds of notes, so that their order does not show which
// are random.
func auditOrder(p audit.Plan, docs []annotate.DocumentID, seed uint64) []Note {
	var out []Note
	for _, i := range p.Random {
		out = append(out, Note{Document: docs[i]})
	}
	for _, i := range p.Selected {
		out = append(out, Note{Document: docs[i], Picked: true})
	}
	rand.New(rand.NewPCG(seed, uint64(len(out)))).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// auditTextKey is the audit's number followed by the note's number in the audit,
// from 1.
func auditTextKey(number, index int) []byte {
	return append(store.Key(uint64(number)), store.Key(uint64(index))...)
}

// keepAudit stores the sample with its texts as they would be published.
func (s *Service) keepAudit(ctx context.Context, ws *workspace, by account.User, a Audit, b *publish.Bundle, info sanitize.Bundle) error {
	texts, places := make([]ReleasedText, len(a.Notes)), make([][]auditPlace, len(a.Notes))
	for i, n := range a.Notes {
		var err error
		if texts[i], places[i], err = s.asPublished(ctx, ws, n.Document, b, info); err != nil {
			return err
		}
	}
	a.Created = s.projects.Now().UTC()
	return s.projects.Transact(ws.ID, func(tx *store.Tx) error {
		n, err := tx.Next(bucketAudits)
		if err != nil {
			return err
		}
		a.Number = int(n)
		for i, t := range texts {
			key := auditTextKey(a.Number, i+1)
			err = errors.Join(err, store.PutJSON(tx, bucketAuditTexts, key, t), store.PutJSON(tx, bucketAuditPlaces, key, places[i]))
		}
		return errors.Join(err, store.PutJSON(tx, bucketAudits, store.Key(n), a),
			tx.Audit(project.EventBy(by, "draw sample", ws.ID.Object("audits", n), fmt.Sprintf("bundle %d, %d of %d notes", a.Bundle, len(a.Notes), a.Documents))))
	})
}

// asPublished redacts a document together with the other documents of its patient,
// as a release does. It also returns the original span of each placeholder.
func (s *Service) asPublished(ctx context.Context, ws *workspace, doc annotate.DocumentID, b *publish.Bundle, info sanitize.Bundle) (ReleasedText, []auditPlace, error) {
	ins, at, err := s.together(ctx, ws, doc, info)
	if err != nil {
		return ReleasedText{}, nil, err
	}
	texts, redactions := b.RedactTogether(ins)
	t, places := ReleasedText{Text: texts[at]}, []auditPlace{}
	for _, r := range redactions[at] {
		t.Redactions = append(t.Redactions, ReleasedAt{Start: r.At, End: r.AtEnd, Label: r.Label})
		places = append(places, auditPlace{r.Start, r.End})
	}
	return t, places, nil
}

// together reads the documents that a release redacts together with doc, at most as
// many at a time as a release does, and returns the index of doc among them.
func (s *Service) together(ctx context.Context, ws *workspace, doc annotate.DocumentID, info sanitize.Bundle) (ins []publish.Input, at int, err error) {
	found := false
	for d, err := range ws.Documents(ctx, ws.SameGroup(doc)) {
		if err != nil {
			return nil, 0, err
		}
		in := info.Input(ws.Names(), d)
		if len(ins) > 0 && !publish.Joins(ins, in) {
			if found {
				break
			}
			ins = nil
		}
		if d.ID == doc {
			found, at = true, len(ins)
		}
		ins = append(ins, in)
	}
	return ins, at, nil
}

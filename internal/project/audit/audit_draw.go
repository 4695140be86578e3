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

// Notes of an audit when nobody says otherwise, and the most of either kind.
const (
	RandomNotes   = 20
	DoubtfulNotes = 10
	MostNotes     = 500
)

// doubtSample is how many documents are scored to find the most doubtful ones.
const doubtSample = 2_000

// StartSampleAudit draws, as a job, notes of what would be published with the
// bundle: random ones and, besides, those that it doubts most. One at a time.
func (s *Service) StartSampleAudit(ctx context.Context, by account.User, id project.ID, bundle, random, picked int) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if random < 1 || random > MostNotes || picked < 0 || picked > MostNotes {
		return project.Invalidf(fmt.Sprintf("give 1 to %d random ones and up to %d doubtful ones", MostNotes, MostNotes), "an audit of %d random and %d doubtful notes cannot be", random, picked)
	}
	b, info, err := s.sanitize.OpenBundle(id, bundle)
	if err != nil {
		return err
	}
	if err := info.CheckLabels(ws.Labels(), b.Policy); err != nil {
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

// toAudit is the documents that the bundle alone would redact; all when there is
// none.
func (ws *workspace) toAudit() []annotate.DocumentID {
	all := ws.All()
	if open := ws.Unfinished(all); len(open) > 0 {
		return open
	}
	return all
}

// auditRevisions is the fingerprint of the documents that an audit stands for.
func (ws *workspace) auditRevisions() string { return ws.auditState().fingerprint() }

// auditState is the revision of every document that an audit stands for.
func (ws *workspace) auditState() auditState {
	var state auditState
	for _, doc := range ws.toAudit() {
		if st, err := ws.Find(doc); err == nil {
			state = append(state, project.DocumentRevision{Document: doc, Revision: st.Revision})
		}
	}
	return state
}

type auditState []project.DocumentRevision

// with is the state in which one document has another revision.
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

// drawSample is the work of a drawing.
func (s *Service) drawSample(ctx context.Context, ws *workspace, by account.User, a Audit, b *publish.Bundle, info sanitize.Bundle, docs []annotate.DocumentID, random, picked int) error {
	a.Revisions = ws.auditRevisions()
	doubts, err := s.doubts(ctx, ws, b, docs, a.Seed)
	if err != nil {
		return err
	}
	a.Notes = auditOrder(audit.Draw(doubts, random, picked, a.Seed), docs, a.Seed)
	return s.keepAudit(ctx, ws, by, a, b, info)
}

// doubts is the expected number of sensitive tokens that stay, by the bundle's
// first classifier, per document. Of many documents a random part is scored, and
// the others are doubted less than any.
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

// auditOrder mixes the two kinds of notes, so that their order tells nothing.
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

// auditTextKey is the audit's number, then that of the note in it, from 1.
func auditTextKey(number, index int) []byte {
	return append(store.Key(uint64(number)), store.Key(uint64(index))...)
}

// keepAudit stores the sample, with its texts as they would be published.
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

// asPublished is what a release would hold of a document, which is redacted
// together with the others of its patient, and what each placeholder stands for.
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

// together reads the documents that a release redacts together with doc, no more of
// them at a time than a release does, and says where doc is among them.
func (s *Service) together(ctx context.Context, ws *workspace, doc annotate.DocumentID, info sanitize.Bundle) (ins []publish.Input, at int, err error) {
	found := false
	for d, err := range ws.Documents(ctx, ws.SameGroup(doc)) {
		if err != nil {
			return nil, 0, err
		}
		in := info.Input(d)
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

// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/audit"
	"hide/internal/parallel"
	"hide/internal/publish"
	"hide/internal/store"
)

// Notes of an audit when nobody says otherwise, and the most of either kind.
const (
	AuditRandom = 20
	AuditPicked = 10
	AuditMost   = 500
)

// doubtSample is how many documents are scored to find the most doubtful ones.
const doubtSample = 2_000

func auditKey(id ID) string { return "audit/" + string(id) }

// StartSampleAudit draws, as a job, notes of what would be published with the
// bundle: random ones and, besides, those that it doubts most. One at a time.
func (s *Service) StartSampleAudit(ctx context.Context, by account.User, id ID, bundle, random, picked int) error {
	ws, err := s.Enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if random < 1 || random > AuditMost || picked < 0 || picked > AuditMost {
		return Invalidf(fmt.Sprintf("give 1 to %d random ones and up to %d doubtful ones", AuditMost, AuditMost), "an audit of %d random and %d doubtful notes cannot be", random, picked)
	}
	b, info, err := s.openBundle(id, bundle)
	if err != nil {
		return err
	}
	if err := decided(ws.Labels(), b.Policy, info); err != nil {
		return err
	}
	docs := ws.toAudit()
	if len(docs) == 0 {
		return Invalidf("import notes first", "the project has no notes")
	}
	ws.mu.Lock()
	busy := ws.auditing.Running
	if !busy {
		ws.auditing = AuditDrawing{Running: true, Total: min(len(docs), doubtSample)}
	}
	ws.mu.Unlock()
	if busy {
		return &Error{Kind: Stale, Message: "a sample is being drawn already", Hint: "wait for it"}
	}
	a := SampleAudit{Bundle: bundle, Run: info.Run, LC: info.LC, By: by.ID, Documents: len(docs), Asked: random + picked, Seed: rand.Uint64()}
	s.jobs.Submit(auditKey(id), func(ctx context.Context) error { return s.runAudit(ctx, ws, by, a, b, info, docs, random, picked) })
	s.Tell(id, TopicPublish)
	return nil
}

// toAudit is the documents that the bundle alone would redact; all when there is
// none.
func (ws *Workspace) toAudit() []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	var open []annotate.DocumentID
	for _, doc := range ws.order {
		if ws.docs[doc].State != annotate.Done {
			open = append(open, doc)
		}
	}
	if len(open) == 0 {
		return slices.Clone(ws.order)
	}
	return open
}

// auditRevisions is the fingerprint of the documents that an audit stands for.
func (ws *Workspace) auditRevisions() string { return ws.auditState().fingerprint() }

// auditState is the revision of every document that an audit stands for.
func (ws *Workspace) auditState() auditState {
	var state auditState
	for _, doc := range ws.toAudit() {
		if st, err := ws.Find(doc); err == nil {
			state = append(state, auditRevision{doc, st.Revision})
		}
	}
	return state
}

type auditState []auditRevision

type auditRevision struct {
	doc      annotate.DocumentID
	revision int
}

// with is the state in which one document has another revision.
func (a auditState) with(doc annotate.DocumentID, revision int) auditState {
	out := slices.Clone(a)
	for i := range out {
		if out[i].doc == doc {
			out[i].revision = revision
		}
	}
	return out
}

func (a auditState) fingerprint() string {
	h := sha256.New()
	for _, r := range a {
		hashRevision(h, r.doc, r.revision)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// runAudit is the job that draws.
func (s *Service) runAudit(ctx context.Context, ws *Workspace, by account.User, a SampleAudit, b *publish.Bundle, info BundleInfo, docs []annotate.DocumentID, random, picked int) error {
	err := parallel.Guard(func() error {
		a.Revisions = ws.auditRevisions()
		doubts, err := s.doubts(ctx, ws, b, docs, a.Seed)
		if err != nil {
			return err
		}
		a.Notes = auditOrder(audit.Draw(doubts, random, picked, a.Seed), docs, a.Seed)
		return s.keepAudit(ctx, ws, by, a, b, info)
	})
	ws.mu.Lock()
	ws.auditing.Running, ws.auditing.Error = false, ""
	if err != nil {
		ws.auditing.Error = "no sample was drawn: " + err.Error()
	}
	ws.mu.Unlock()
	s.Tell(ws.ID, TopicPublish)
	return err
}

// doubts is the expected number of sensitive tokens that stay, by the bundle's
// first classifier, per document. Of many documents a random part is scored, and
// the others are doubted less than any.
func (s *Service) doubts(ctx context.Context, ws *Workspace, b *publish.Bundle, docs []annotate.DocumentID, seed uint64) ([]float64, error) {
	at := map[annotate.DocumentID]int{}
	for i, doc := range docs {
		at[doc] = i
	}
	out := make([]float64, len(docs))
	for i := range out {
		out[i] = -1
	}
	done := 0
	for d, err := range ws.Documents(ctx, SomeOf(slices.Clone(docs), doubtSample, seed)) {
		if err != nil {
			return nil, err
		}
		out[at[d.ID]] = doubt(b, d.Annotated)
		done++
		ws.mu.Lock()
		ws.auditing.Done = done
		ws.mu.Unlock()
	}
	return out, nil
}

func doubt(b *publish.Bundle, a annotate.Annotated) float64 {
	if len(b.Ensemble) == 0 {
		return 0
	}
	d := greedy.NewDoc(a, nil)
	hidden, sum := b.Ensemble.Redact(d), 0.0
	for x, p := range b.Ensemble[0].Classifier.Scores(greedy.View{Doc: &d}) {
		if !hidden[x] && !d.Sensitive[x] {
			sum += p
		}
	}
	return sum
}

// auditOrder mixes the two kinds of notes, so that their order tells nothing.
func auditOrder(p audit.Plan, docs []annotate.DocumentID, seed uint64) []AuditedNote {
	var out []AuditedNote
	for _, i := range p.Random {
		out = append(out, AuditedNote{Document: docs[i]})
	}
	for _, i := range p.Picked {
		out = append(out, AuditedNote{Document: docs[i], Picked: true})
	}
	rand.New(rand.NewPCG(seed, uint64(len(out)))).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// auditTextKey is the audit's number, then that of the note in it, from 1.
func auditTextKey(number, index int) []byte {
	return append(store.Key(uint64(number)), store.Key(uint64(index))...)
}

// keepAudit stores the sample, with its texts as they would be published.
func (s *Service) keepAudit(ctx context.Context, ws *Workspace, by account.User, a SampleAudit, b *publish.Bundle, info BundleInfo) error {
	texts, places := make([]ReleasedText, len(a.Notes)), make([][]auditPlace, len(a.Notes))
	for i, n := range a.Notes {
		var err error
		if texts[i], places[i], err = s.asPublished(ctx, ws, n.Document, b, info); err != nil {
			return err
		}
	}
	a.Created = s.opts.Now().UTC()
	return s.Transact(ws.ID, func(tx *store.Tx) error {
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
			tx.Audit(EventBy(by, "draw sample", ws.ID.Object("audits", n), fmt.Sprintf("bundle %d, %d of %d notes", a.Bundle, len(a.Notes), a.Documents))))
	})
}

// asPublished is what a release would hold of a document, which is redacted
// together with the others of its patient, and what each placeholder stands for.
func (s *Service) asPublished(ctx context.Context, ws *Workspace, doc annotate.DocumentID, b *publish.Bundle, info BundleInfo) (ReleasedText, []auditPlace, error) {
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
func (s *Service) together(ctx context.Context, ws *Workspace, doc annotate.DocumentID, info BundleInfo) (ins []publish.Input, at int, err error) {
	found := false
	for d, err := range ws.Documents(ctx, ws.SameGroup(doc)) {
		if err != nil {
			return nil, 0, err
		}
		in := input(d, info)
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

// sameGroup lists the documents of doc's group, as a release has them.
func (ws *Workspace) SameGroup(doc annotate.DocumentID) []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return slices.DeleteFunc(slices.Clone(ws.order), func(other annotate.DocumentID) bool { return ws.docs[other].Group != ws.docs[doc].Group })
}

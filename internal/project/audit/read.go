// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/store"
	"hide/internal/words"
)

// auditRead is one reader's result for a note of a sample.
type auditRead struct {
	By    string `json:"by"`
	Marks []int  `json:"marks"` // tokens of the redacted text
}

// version distinguishes readings of a note.
func (r auditRead) version() string { return project.Fingerprint("%q %v", r.By, r.Marks) }

// SampleAudits lists the audits with their results, newest first.
func (s *Service) SampleAudits(ctx context.Context, by account.User, id project.ID) ([]Audit, Drawing, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, Drawing{}, err
	}
	all, err := s.audits(ws)
	for i := range all {
		all[i].By, all[i].Result = s.projects.PersonName(all[i].By), all[i].result()
	}
	d, running := ws.draw.State()
	d.Running = running
	return all, d, err
}

// SampleAuditWaiting is how many notes of the newest audit are unread, for people
// who may read them. It is 0 when that audit is out of date.
func (s *Service) SampleAuditWaiting(ctx context.Context, by account.User, id project.ID) (int, error) {
	ws, err := s.enter(by, account.Annotate, id)
	if err != nil {
		return 0, err
	}
	all, err := s.audits(ws)
	if err != nil || len(all) == 0 || all[0].Changed {
		return 0, err
	}
	return len(all[0].Notes) - all[0].Read, nil
}

// audits lists the audits, newest first, without their results.
func (s *Service) audits(ws *workspace) ([]Audit, error) {
	all, err := project.ListJSON[Audit](s.projects, ws.ID, bucketAudits)
	now := ws.auditRevisions()
	for i := range all {
		all[i].settle(now)
	}
	slices.Reverse(all)
	return all, err
}

// settle computes the fields that are not stored and cheap.
func (a *Audit) settle(revisions string) {
	a.Changed = a.Revisions != revisions
	for _, n := range a.Notes {
		if n.Read {
			a.Read++
		}
	}
}

// over reports whether all notes are read, so that the result is known.
func (a *Audit) over() bool { return a.Read == len(a.Notes) }

// result computes the audit's result, nil until all notes are read. It is slow: it
// draws thousands of samples.
func (a *Audit) result() *audit.Result {
	if !a.over() {
		return nil
	}
	var random, picked []int
	glanced := 0
	for _, n := range a.Notes {
		if n.Glanced {
			glanced++
		}
		if n.Picked {
			picked = append(picked, n.Found)
		} else {
			random = append(random, n.Found)
		}
	}
	out := audit.Count(a.Documents, random, picked, a.Seed)
	out.Glanced = glanced
	return &out
}

// SampleAuditNote returns a note of the audit to read: the note with this index,
// from 1, or for index 0 the first unread note, or the last note if all are read.
// Audit 0 is the newest. The access is recorded in the audit trail before the text
// is returned. Readers see neither scores nor whether the note is random.
func (s *Service) SampleAuditNote(ctx context.Context, by account.User, id project.ID, number, index int) (Text, error) {
	ws, err := s.enter(by, account.Annotate, id)
	if err != nil {
		return Text{}, err
	}
	a, err := s.audit(ws, number)
	if err != nil {
		return Text{}, err
	}
	if index == 0 {
		index = 1 + slices.IndexFunc(a.Notes, func(n Note) bool { return !n.Read })
	}
	if index == 0 {
		index = len(a.Notes)
	}
	if index < 1 || index > len(a.Notes) {
		return Text{}, project.NotFoundf("audit %d has no note %d", a.Number, index)
	}
	if err := s.projects.AuditReading(by, id, id.Object("audits", a.Number, "notes", index)); err != nil {
		return Text{}, err
	}
	t := Text{Audit: a.Number, Index: index, Notes: len(a.Notes), Read: a.Read, Seen: a.Notes[index-1].Read}
	err = s.projects.View(id, func(tx *store.Tx) error {
		if t.Text, err = store.GetJSON[ReleasedText](tx, bucketAuditTexts, auditTextKey(a.Number, index)); err != nil {
			return err
		}
		read, err := store.GetJSON[auditRead](tx, bucketAuditReads, auditTextKey(a.Number, index))
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		t.Marks, t.By, t.Reading = read.Marks, s.projects.PersonName(read.By), read.version()
		return err
	})
	return t, err
}

// audit returns the audit with this number; 0 is the newest.
func (s *Service) audit(ws *workspace, number int) (Audit, error) {
	all, err := s.audits(ws)
	if err != nil {
		return Audit{}, err
	}
	for _, a := range all {
		if a.Number == number || number == 0 {
			return a, nil
		}
	}
	if number == 0 {
		return Audit{}, project.NotFoundf("no sample has been drawn in project %s", ws.ID)
	}
	return Audit{}, project.NotFoundf("project %s has no audit %d", ws.ID, number)
}

// MarkSampleAudit records a reader's answer about a note of an audit. Neighbouring
// marks are one identifier. It replaces an earlier answer only if the reader has
// seen that answer, so that nobody's findings are lost unseen.
func (s *Service) MarkSampleAudit(ctx context.Context, by account.User, id project.ID, number, index int, said Answer) error {
	t, err := s.SampleAuditNote(ctx, by, id, number, max(1, index))
	if err != nil {
		return err
	}
	marks := slices.Compact(slices.Sorted(slices.Values(said.Marks)))
	if err := CheckMarks(t.Text, marks); err != nil {
		return err
	}
	found := identifiers(marks)
	ev := project.EventBy(by, "audit note", id.Object("audits", t.Audit, "notes", t.Index), auditedWords(found, said.Glanced))
	err = s.projects.Update(id, ev, func(tx *store.Tx) error {
		a, err := store.GetJSON[Audit](tx, bucketAudits, store.Key(uint64(t.Audit)))
		if err != nil {
			return err
		}
		n := &a.Notes[t.Index-1]
		if n.Read {
			if err := notOver(tx, t, auditRead{by.ID, marks}, said.Over); err != nil {
				return err
			}
		}
		n.Read, n.Found, n.Glanced = true, found, said.Glanced
		return errors.Join(
			store.PutJSON(tx, bucketAudits, store.Key(uint64(t.Audit)), a),
			store.PutJSON(tx, bucketAuditReads, auditTextKey(t.Audit, t.Index), auditRead{by.ID, marks}),
		)
	})
	s.projects.Tell(id, project.TopicPublish)
	return err
}

// notOver refuses an answer that would replace another answer than the reader saw,
// unless both are equal.
func notOver(tx *store.Tx, t Text, mine auditRead, over string) error {
	there, err := store.GetJSON[auditRead](tx, bucketAuditReads, auditTextKey(t.Audit, t.Index))
	if err != nil || there.version() == over || slices.Equal(there.Marks, mine.Marks) {
		return err
	}
	return &project.Error{Kind: project.Stale, Message: "somebody else has answered for this note in the meantime", Hint: "check the new marks, and answer again"}
}

// auditedWords describes an answer in the audit trail.
func auditedWords(found int, glanced bool) string {
	if glanced {
		return fmt.Sprintf("%d found, answered before the whole note was in view long enough to read it", found)
	}
	return fmt.Sprintf("%d found", found)
}

// CheckMarks refuses marks that are not tokens or that lie in placeholders.
func CheckMarks(t ReleasedText, marks []int) error {
	tokens, offsets := annotate.Tokenize(t.Text), annotate.NewOffsets(t.Text)
	for _, m := range marks {
		if m < 0 || m >= len(tokens) {
			return project.Invalidf("open the note again", "the note has no word %d", m)
		}
		at, err := offsets.Rune(tokens[m].Start)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(t.Redactions, func(r ReleasedAt) bool { return r.Start <= at && at < r.End }) {
			return project.Invalidf("mark only words that are still readable", "word %d is a placeholder", m)
		}
	}
	return nil
}

// identifiers counts the runs of neighbouring tokens; marks are ascending.
func identifiers(marks []int) int {
	n := 0
	for i, m := range marks {
		if i == 0 || marks[i-1] != m-1 {
			n++
		}
	}
	return n
}

// Audited returns the result of the bundle's newest valid audit, or nil.
func (s *Service) Audited(ws *project.Workspace, bundle int) (*audit.Result, error) {
	all, err := s.audits(s.of(ws))
	for _, a := range all {
		if a.Bundle == bundle && a.over() && !a.Changed {
			return a.result(), err
		}
	}
	return nil, err
}

// AuditWarnings states the result of the bundle's newest audit, or that an audit is
// needed.
func (s *Service) AuditWarnings(ws *project.Workspace, bundle int, run *sanitize.Run) ([]string, error) {
	done, err := s.Audited(ws, bundle)
	if err != nil {
		return nil, err
	}
	if done != nil {
		return []string{Words(*done)}, nil
	}
	if why := run.AuditNeeded(); why != "" {
		return []string{fmt.Sprintf("No audit has been done, so the residual PHI is unknown: %s. Let an annotator read %d random notes and the %d most doubtful notes as they would be published.", why, RandomNotes, DoubtfulNotes)}, nil
	}
	return nil, nil
}

// Words states the result of an audit.
func Words(r audit.Result) string { return countedWords(r) + glancedWords(r) }

// Shows is the upper bound (95 %) on the documents that still hold an identifier,
// if people find none in the random and doubtful notes.
func Shows(documents, random, picked int) int {
	random = min(random, documents)
	rest := documents - random - min(picked, documents-random)
	return audit.Unseen(rest, random)
}

// Few states what an audit with few random notes can and cannot show. It is "" for
// an audit that is large enough, or if all documents are read.
func Few(documents, random, picked int) string {
	if random < 1 || random >= RandomNotes || random+max(0, picked) >= documents {
		return ""
	}
	them, show := "them", "show"
	if random == 1 {
		them, show = "it", "shows"
	}
	enough := fmt.Sprintf("%d random ones bring that down to %s", RandomNotes, words.Number(Shows(documents, RandomNotes, picked)))
	if RandomNotes+picked >= documents {
		enough = fmt.Sprintf("With %d random ones all notes are read", RandomNotes)
	}
	return fmt.Sprintf("%s %s little. An identifier in %s proves that PHI remains, but not how much. No identifier in %s does not prove that little remains: up to %s of %s notes may still hold one. %s.",
		words.Count(random, "random note", "random notes"), show, them, them,
		words.Number(Shows(documents, random, picked)), words.Number(documents), enough)
}

// glancedWords states how much of an audit cannot have been read.
func glancedWords(r audit.Result) string {
	if r.Glanced == 0 {
		return ""
	}
	return fmt.Sprintf(" Trust this less: %s answered before the whole text was in view long enough to read it.",
		words.Count(r.Glanced, "of these notes was", "of these notes were"))
}

func countedWords(r audit.Result) string {
	found := words.Count(r.Found, "identifier", "identifiers")
	if r.Whole() {
		return fmt.Sprintf("Audit: people read all %s as they would be published, and found %s, in %s. Nothing needs to be estimated.",
			words.Count(r.Documents, "note", "notes"), found, words.Count(int(r.Leaking.Value), "of them", "of them"))
	}
	read := words.Count(r.Random, "random note", "random notes")
	if r.Selected > 0 {
		read += " and the " + words.Number(r.Selected) + " most doubtful"
	}
	return fmt.Sprintf("Audit: in %s of %s, as they would be published, people found %s. That makes about %s in all of them, at most %s, in at most %s.",
		read, words.Number(r.Documents), found, words.Number(int(math.Round(r.Remaining.Value))), words.Number(int(math.Ceil(r.Remaining.AtMost))),
		words.Count(int(math.Ceil(r.Leaking.AtMost)), "note", "notes"))
}

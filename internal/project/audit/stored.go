// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/store"
	"hide/internal/words"
)

// covered lists the documents that an audit represents: those that only the bundle would
// redact, or all documents when every note is finished.
func covered(ws *project.Workspace) []annotate.DocumentID {
	all := ws.All()
	if open := ws.Unfinished(all); len(open) > 0 {
		return open
	}
	return all
}

// stateOf is the revision of every document that an audit represents.
func stateOf(ws *project.Workspace) state { return ws.DocumentRevisions(covered(ws)) }

type state []project.DocumentRevision

// with returns the state after one document got another revision.
func (a state) with(doc annotate.DocumentID, revision int) state {
	out := slices.Clone(a)
	for i := range out {
		if out[i].Document == doc {
			out[i].Revision = revision
		}
	}
	return out
}

func (a state) fingerprint() string { return project.RevisionsMark(a) }

// textKey is the audit's number followed by the note's number in the audit, from 1.
func textKey(number, index int) []byte {
	return append(store.Key(uint64(number)), store.Key(uint64(index))...)
}

// auditRead is one reader's result for a note of a sample.
type auditRead struct {
	By    string `json:"by"`
	Marks []int  `json:"marks"` // tokens of the redacted text
}

// SampleAudits lists the audits with their results, newest first.
func (s *Service) SampleAudits(ctx context.Context, by account.User, id project.ID) ([]Audit, error) {
	ws, err := s.projects.Enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, err
	}
	all, err := s.audits(ws)
	for i := range all {
		all[i].By, all[i].Result = s.projects.PersonName(all[i].By), all[i].result()
	}
	return all, err
}

// audits lists the audits, newest first, without their results.
func (s *Service) audits(ws *project.Workspace) ([]Audit, error) {
	all, err := project.ListJSON[Audit](s.projects, ws.ID, bucketAudits)
	now := stateOf(ws).fingerprint()
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

// over reports whether all notes were read, so that the result is known.
func (a *Audit) over() bool { return a.Read == len(a.Notes) }

// result computes the audit's result, nil unless all notes were read. It is slow: it
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

// audit returns the audit with this number; 0 is the newest.
func (s *Service) audit(ws *project.Workspace, number int) (Audit, error) {
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

// Audited returns the result of the newest valid audit among those meant, or nil, and how many
// audits the project has.
func (s *Service) Audited(ws *project.Workspace, meant func(Audit) bool) (*audit.Result, int, error) {
	all, err := s.audits(ws)
	for _, a := range all {
		if meant(a) && a.over() && !a.Changed {
			return a.result(), len(all), err
		}
	}
	return nil, len(all), err
}

// Words states the result of an audit.
func Words(r audit.Result) string { return countedWords(r) + glancedWords(r) }

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

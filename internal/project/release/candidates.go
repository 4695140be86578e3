// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/publish/release"
	"hide/internal/store"
)

// Ending says what becomes of a release when it is made.
type Ending int

const (
	// Publish lets it appear in the folder of releases. The project's rule must need no
	// review.
	Publish Ending = iota
	// Freeze keeps it encrypted as a candidate, for a review.
	Freeze
)

// Candidate is a release that is made, but not published: exactly the files that would be
// published. Its number is that of its release.
type Candidate struct {
	Release
	Hash  string         `json:"hash"` // [release.CandidateHash]
	Files []release.File `json:"frozen_files"`
	// Inputs are fingerprints of what it was made from, see [Service.Stale].
	Inputs Inputs `json:"inputs"`
	// Parent is the candidate that this one repairs, 0 for none: it was made the same way,
	// and redacts everything that the parent redacts.
	Parent int `json:"parent,omitempty"`
	// Redacts says which findings a repair redacts besides; nil without a parent.
	Redacts *Redacts `json:"redacts,omitempty"`

	Mode       greedy.Mode `json:"mode,omitempty"`       // of the run behind its redaction model; "" for tables and counts
	Finished   int         `json:"finished,omitempty"`   // of the notes, annotated to the end by people
	Unfinished bool        `json:"unfinished,omitempty"` // it is being frozen, or that was interrupted
	Dropped    bool        `json:"dropped,omitempty"`    // its files are deleted
	Why        string      `json:"why,omitempty"`        // it was dropped
	Published  bool        `json:"published,omitempty"`  // it is a release now
}

// Redacts names the findings that a repaired candidate redacts: those of a review until a
// time. What its readers find later is still readable.
type Redacts struct {
	Review int       `json:"review"`
	Until  time.Time `json:"until"`
}

// Inputs are fingerprints of what a candidate was made from.
type Inputs struct {
	Notes  string `json:"notes"`           // the notes and their spans
	Labels int    `json:"labels"`          // the version of the labels' names
	Links  int    `json:"links,omitempty"` // the version of the links between records
	Roles  string `json:"roles"`           // the roles of attributes, for all but text
	Model  string `json:"model"`           // SHA-256 of the redaction model, for text
}

// HasText reports whether a candidate has notes to read.
func (c Candidate) HasText() bool { return c.Kind.HasText() }

// Title names a candidate: "candidate 3".
func (c Candidate) Title() string { return fmt.Sprintf("candidate %d", c.Number) }

// Short is the beginning of the hash, for people who compare.
func (c Candidate) Short() string { return c.Hash[:min(12, len(c.Hash))] }

// The buckets of candidates that this package writes; package candidate has the files.
const (
	bucketCandidates = "candidates"                // number -> Candidate
	bucketFrozen     = "candidate-kept"            // number, bucket of [Kept] -> what the store is to keep of its release
	madeSuffix       = release.Unfinished + "made" // of the folder of a release that is made but not at its place
)

// Making is a release while it is made.
type Making struct {
	Release
	Dir     string // where its files are to be written
	ending  Ending
	parent  int         // of a repaired candidate
	redacts *Redacts    // by a repaired candidate
	mode    greedy.Mode // of the run behind the redaction model
	counted *counting   // how its records are counted, of text
	// docs and kept are, of a release made from a draft, its notes and what the store keeps
	// of it besides.
	docs []annotate.DocumentID
	kept Kept
	// passages stores what readers need of a candidate with notes; nil without notes.
	passages func(context.Context, Candidate, candidate.Shelf) error
}

// Begin reserves a release and returns its place. Only the project's rule lets it be
// published without a review.
func (s *Service) Begin(ws *project.Workspace, by account.User, kind Kind, ending Ending) (*Making, error) {
	if err := gate(ws, ending); err != nil {
		return nil, err
	}
	number, err := s.reserveRelease(ws, by)
	if err != nil {
		return nil, err
	}
	earlier, err := s.earlier(ws.ID, kind)
	if err != nil {
		return nil, err
	}
	m := &Making{ending: ending}
	m.Release = Release{Number: number, Name: releaseName(number), Kind: kind, Created: s.projects.Now().UTC(), By: by.ID, EarlierWords: earlier.Says}
	m.Dir = s.Dir(ws.ID, m.Name) + madeSuffix
	if err := os.MkdirAll(filepath.Dir(m.Dir), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for releases: %w", err)
	}
	return m, nil
}

// gate refuses to publish what the project's rule wants reviewed.
func gate(ws *project.Workspace, ending Ending) error {
	if rule := ws.Rule(); ending == Publish && rule.Needed() {
		return project.Obstructed(project.NotApproved, fmt.Sprintf("freeze it as a candidate and open a review of it; or change the rule of the project: hide review rule --project %s --approvals 0", ws.ID),
			"the rule of the project lets nothing be published without a review: %s", rule.Words())
	}
	return nil
}

// Keep ends the making of a release whose files have been verified: it is published, or
// frozen. If that fails, its files are removed.
func (s *Service) Keep(ctx context.Context, ws *project.Workspace, by account.User, m *Making, kept Kept) error {
	m.Verified = true
	if err := m.linkInto(kept); err != nil {
		return errors.Join(err, os.RemoveAll(m.Dir))
	}
	if m.ending == Freeze {
		return errors.Join(s.freeze(ctx, ws, by, m, kept), os.RemoveAll(m.Dir))
	}
	said, err := s.said(s.of(ws), m.Release)
	if err == nil {
		err = s.appear(ws, by, m.Release, m.Dir, said, kept)
	}
	return errors.Join(err, os.RemoveAll(m.Dir))
}

// appear publishes a release whose files are in a folder that nobody has seen.
func (s *Service) appear(ws *project.Workspace, by account.User, r Release, from string, review release.Review, kept Kept) error {
	dir, was := s.Dir(ws.ID, r.Name), r.SHA256
	var err error
	if r.SHA256, err = release.Amend(from, dir, review, nil); err != nil {
		return err
	}
	if mapping := kept[bucketMappings]; mapping != nil {
		kept[bucketMappings] = release.Remap(mapping, was, r.SHA256)
	}
	if err := s.record(ws, by, r, kept); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	ws.AddRelease()
	s.of(ws).publish.Change(func(p *Status) { p.Made = r.Number })
	return nil
}

// record puts a release on record, and marks its candidate if it has one.
func (s *Service) record(ws *project.Workspace, by account.User, r Release, kept Kept) error {
	if s.budgets != nil && !r.Kind.Strong() {
		if err := s.budgets.RecordWeak(ws.ID, r); err != nil {
			return err
		}
	}
	what := string(r.Kind)
	if r.Kind == KindText {
		what = fmt.Sprintf("%d documents", r.Documents)
	}
	key := store.Key(uint64(r.Number))
	ev := project.EventBy(by, "release", ws.ID.Object("releases", r.Number), fmt.Sprintf("%s, manifest %s", what, r.SHA256))
	return s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		for bucket, content := range kept {
			if err := tx.Put(bucket, key, content); err != nil {
				return err
			}
		}
		return errors.Join(store.PutJSON(tx, bucketReleases, key, r), publishedCandidate(tx, r.Number))
	})
}

// publishedCandidate marks the candidate of a release, if it has one, and deletes the copy of
// what the release has now.
func publishedCandidate(tx *store.Tx, number int) error {
	key := store.Key(uint64(number))
	c, err := store.GetJSON[Candidate](tx, bucketCandidates, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	c.Published = true
	return errors.Join(err, tx.DeletePrefix(bucketFrozen, key), putCandidate(tx, c))
}

// shelf is where the project's candidates are.
func (s *Service) shelf(id project.ID) candidate.Shelf {
	return candidate.Shelf{View: func(fn func(*store.Tx) error) error { return s.projects.View(id, fn) }}
}

// freeze stores a release as a candidate.
func (s *Service) freeze(ctx context.Context, ws *project.Workspace, by account.User, m *Making, kept Kept) error {
	files, err := release.Listed(m.Dir)
	if err != nil {
		return err
	}
	c := Candidate{Release: m.Release, Hash: release.CandidateHash(files), Parent: m.parent, Redacts: m.redacts, Mode: m.mode, Finished: ws.Overview().Done}
	for _, name := range []string{"manifest.json", "SHA256SUMS"} {
		info, err := os.Stat(filepath.Join(m.Dir, name))
		if err != nil {
			return err
		}
		files = append(files, release.File{Path: name, Bytes: info.Size()})
	}
	c.Files = files
	docs := ws.All()
	if m.Draft > 0 {
		docs = m.docs
	}
	if c.Inputs, err = s.inputsOf(ws, c, docs); err != nil {
		return err
	}
	if err := s.checkParent(ws.ID, m.parent, kept); err != nil {
		return err
	}
	if err := s.putFiles(ctx, ws, by, m, c); err != nil {
		return err
	}
	ev := project.EventBy(by, "freeze candidate", ws.ID.Object("candidates", c.Number), fmt.Sprintf("%s, hash %s", c.Kind.Words(), c.Hash))
	err = s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		for bucket, content := range kept {
			if err := tx.Put(bucketFrozen, frozenKey(c.Number, bucket), content); err != nil {
				return err
			}
		}
		return putCandidate(tx, c)
	})
	if err == nil {
		s.of(ws).publish.Change(func(p *Status) { p.Frozen = c.Number })
	}
	return err
}

// checkParent refuses a repaired candidate that shows what its parent redacts.
func (s *Service) checkParent(id project.ID, parent int, kept Kept) error {
	if parent == 0 {
		return nil
	}
	old, err := s.frozen(id, parent)
	if err != nil {
		return err
	}
	was, err1 := mappedRows(old[bucketMappings])
	is, err2 := mappedRows(kept[bucketMappings])
	return errors.Join(err1, err2, inherits(was, is))
}

// putFiles stores the files of a candidate in portions, each with its audit row. A failure
// leaves none of them.
func (s *Service) putFiles(ctx context.Context, ws *project.Workspace, by account.User, m *Making, c Candidate) error {
	update := func(action string, fn func(*store.Tx) error) error {
		return s.projects.Update(ws.ID, project.EventBy(by, action, ws.ID.Object("candidates", m.Number)), fn)
	}
	shelf := candidate.Shelf{Update: func(fn func(*store.Tx) error) error { return update("freeze files", fn) }}
	err := update("freeze files", func(tx *store.Tx) error {
		begun := Candidate{Release: m.Release, Unfinished: true}
		return errors.Join(dropUnfinished(tx), putCandidate(tx, begun))
	})
	if err != nil {
		return err
	}
	err = shelf.Put(ctx, m.Number, os.DirFS(m.Dir), c.Files)
	if err == nil && m.passages != nil {
		err = m.passages(ctx, c, shelf)
	}
	if err != nil {
		err = errors.Join(err, update("drop files", dropUnfinished))
	}
	return err
}

func frozenKey(number int, bucket string) []byte {
	return append(store.Key(uint64(number)), bucket...)
}

func putCandidate(tx *store.Tx, c Candidate) error {
	return store.PutJSON(tx, bucketCandidates, store.Key(uint64(c.Number)), c)
}

// inputsOf fingerprints what a candidate of these notes is made from, as it is now.
func (s *Service) inputsOf(ws *project.Workspace, c Candidate, docs []annotate.DocumentID) (in Inputs, err error) {
	in.Notes, in.Labels = project.RevisionsMark(ws.DocumentRevisions(docs)), ws.Names().Version()
	in.Links = ws.Links().Version
	if c.Draft > 0 && c.Bundle == 0 {
		return in, nil
	}
	if c.Kind != KindText {
		in.Roles, err = project.Read(s.projects, ws.ID, rolesMark)
		return in, err
	}
	b, err := s.sanitize.StoredBundle(ws.ID, c.Bundle)
	in.Model = b.SHA256
	return in, err
}

// rolesMark fingerprints the roles of attributes and the population.
func rolesMark(tx *store.Tx) (string, error) {
	roles, err := tx.Get(bucketProject, identifiersKey)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	population, err := tx.Get(bucketPopulation, populationInfoKey)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	return project.Fingerprint("%x %x", roles, population), nil
}

// Stale is why a candidate is not what would be made today, "" if it is.
func (s *Service) Stale(ws *project.Workspace, c Candidate) (string, error) {
	docs, err := s.docsOf(ws, c)
	if err != nil {
		return "", err
	}
	now, err := s.inputsOf(ws, c, docs)
	if project.KindOf(err) == project.NotFound {
		return "its redaction model was deleted", nil
	}
	if err != nil {
		return "", err
	}
	var why []string
	if now.Notes != c.Inputs.Notes {
		why = append(why, "notes or their annotations have changed since it was frozen")
	}
	if now.Labels != c.Inputs.Labels {
		why = append(why, "labels have changed since it was frozen")
	}
	if now.Links != c.Inputs.Links {
		why = append(why, "records of patients were linked, or links removed, since it was frozen")
	}
	if now.Roles != c.Inputs.Roles {
		why = append(why, "the roles of attributes, or the population, have changed since it was frozen")
	}
	if now.Model != c.Inputs.Model {
		why = append(why, "its redaction model has changed")
	}
	return strings.Join(why, "; "), nil
}

// DropCandidate deletes the files of a candidate that is not published. Its record stays.
func (s *Service) DropCandidate(ctx context.Context, by account.User, id project.ID, number int, why string) error {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return err
	}
	c, err := s.StoredCandidate(id, number)
	if err != nil {
		return err
	}
	if c.Published {
		return project.Invalidf("withdraw the release instead", "candidate %d is published as %s", number, c.Name)
	}
	return s.projects.Update(id, project.EventBy(by, "drop candidate", id.Object("candidates", number), why), func(tx *store.Tx) error {
		return dropCandidate(tx, c.Number, why)
	})
}

// dropCandidate deletes the files of a candidate.
func dropCandidate(tx *store.Tx, number int, why string) error {
	key := store.Key(uint64(number))
	c, err := store.GetJSON[Candidate](tx, bucketCandidates, key)
	if err != nil {
		return err
	}
	c.Dropped, c.Why = true, why
	return errors.Join(candidate.Drop(tx, number), tx.DeletePrefix(bucketFrozen, key), putCandidate(tx, c))
}

// dropUnfinished deletes what candidates left whose freezing was interrupted. At most one is
// frozen at a time.
func dropUnfinished(tx *store.Tx) error {
	all, err := store.ListJSON[Candidate](tx, bucketCandidates)
	for _, c := range all {
		if err == nil && c.Unfinished {
			err = errors.Join(candidate.Drop(tx, c.Number), tx.Delete(bucketCandidates, store.Key(uint64(c.Number))))
		}
	}
	return err
}

// dropFor deletes the files of all candidates because notes were removed: each holds what
// would be published of all notes of its time. The records stay.
func dropFor(tx *store.Tx) error {
	all, err := store.ListJSON[Candidate](tx, bucketCandidates)
	for _, c := range all {
		if err == nil && !c.Dropped {
			err = dropCandidate(tx, c.Number, "notes were removed from the project")
		}
	}
	return err
}

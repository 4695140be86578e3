// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/release"
)

// Input is one identified document to be published.
type Input struct {
	Document annotate.DocumentID // goes into the mapping only
	Name     string              // goes into the mapping only
	Text     string
	Group    string // of notes of one patient, which are redacted together when they follow each other; may be ""

	// Structured are identifiers of the patient that structured fields gave, for models that
	// have the feature; nil for none.
	Structured []string
	Identities []annotate.Identity
	// Known are the places of known identifiers.
	Known Occurrences

	// Spans were marked by people and are always redacted. Their labels must be in the
	// policy: with a policy of fewer labels the caller omits the other spans.
	Spans []annotate.Span

	// Exactly redacts Spans and nothing else: they are what a frozen release redacts, and
	// what was found in it since.
	Exactly bool

	// Replacements, in order, are all that is replaced in a release by a policy, where they
	// must not be nil: nothing else is searched for, Spans and the labels of Known are ignored.
	Replacements []Replacement
	// ID is the number of the note in the release that this one continues, "" for a note that
	// was not in it.
	ID string
}

// Meta are the facts about a release that are not in the bundle.
type Meta struct {
	Tool    string
	Created time.Time
	Name    string // "release-1"
	Project string // id of the project, which identifies nobody

	// Finished is how many of the notes were finished; the others were redacted by the
	// bundle and the spans marked so far.
	Finished int
	// Warnings are reasons for caution with the figures. They contain no text of notes.
	Warnings []string
	// TargetVoid is why the target of the bundle does not hold for these notes, "" if it does.
	TargetVoid string
	// Validity is that of the figures of the bundle for these notes; nil for what the bundle says.
	Validity *Validity
	// Attack tries an attacker on the notes as they are published; nil for none.
	Attack Attacker

	// Policy is what the replacements of all notes follow, with the labels that may occur; nil
	// for a release with the placeholders of the bundle.
	Policy *policy.Resolved
	Signed *Signed  // the statement that the basis of the policy needs
	Agreed []string // the checklist that the basis needs, as it was confirmed
	// Like names the earlier release whose numbers of notes and surrogates this one continues.
	// New notes have numbers above Last, the largest that a release of the series has.
	Like string
	Last int
}

// check reports why there can be no release.
func (m Meta) check(b *Bundle) error {
	if m.Policy == nil {
		if b == nil {
			return errors.New("a release needs a redaction model or a policy")
		}
		return nil
	}
	if err := m.Policy.Policy.Check(); err != nil {
		return err
	}
	if len(m.Policy.Labels) == 0 {
		return errors.New("a release by a policy needs the labels of its project")
	}
	basis := m.Policy.Policy.Basis
	needs := basis.Needs()
	if needs.Statement != "" && (m.Signed == nil || m.Signed.Text != needs.Statement || m.Signed.By == "") {
		return fmt.Errorf("nobody signed the statement that a release on the basis %s needs", basis)
	}
	if !slices.Equal(needs.Checklist, m.Agreed) {
		return fmt.Errorf("not every item of the checklist was confirmed that a release on the basis %s needs", basis)
	}
	return nil
}

// statement is what the release says of itself.
func (m Meta) statement() string {
	if m.Policy != nil {
		return m.Policy.Policy.Basis.Statement()
	}
	return Statement
}

// Written is a finished release.
type Written struct {
	Claims  Claims
	SHA256  string // of manifest.json: with it a forged release can be recognized
	Mapping []byte // the re-identification map: for the broker's encrypted store only, see [MappingSchema]
	// Hidden counts the surrogates and shifted dates by label. The release does not tell: who
	// knows how many names are invented can tell how many are real.
	Hidden map[annotate.Label]int
}

// WriteRelease redacts the documents and writes the release folder dir, which
// must not exist yet. The folder appears whole or not at all. Released notes are numbered
// in an order drawn from the system's random source, so that neither number nor order
// reveals which original is which.
//
// b may be nil for a release by a policy, whose replacements people made.
//
// progress is called after each document with how many are done; it may be nil.
// An error from docs stops everything and is returned. Errors carry numbers of
// documents, never names or text.
func WriteRelease(ctx context.Context, dir string, docs iter.Seq2[Input, error], b *Bundle, meta Meta, progress func(done int)) (_ *Written, err error) {
	if err := meta.check(b); err != nil {
		return nil, err
	}
	f, err := release.Create(dir)
	if err != nil {
		return nil, err
	}
	w := &writer{folder: f, bundle: b, meta: meta, counts: ReleaseCounts{Redactions: map[annotate.Label]int{}}, hidden: map[annotate.Label]int{}, patients: map[string]int{}}
	defer func() { err = errors.Join(err, w.spool.close(), f.Discard()) }()
	if err := w.spoolAll(ctx, docs, progress); err != nil {
		return nil, err
	}
	if err := w.attack(ctx); err != nil {
		return nil, err
	}
	if err := w.writeNotes(ctx); err != nil {
		return nil, err
	}
	return w.finish(ctx)
}

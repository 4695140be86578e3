// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"time"
	"unicode/utf8"

	"hide/internal/annotate"
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
}

// Written is a finished release.
type Written struct {
	Claims  Claims
	SHA256  string // of manifest.json: with it a forged release can be recognized
	Mapping []byte // the re-identification map: for the broker's encrypted store only, see [MappingSchema]
}

// WriteRelease redacts the documents and writes the release folder dir, which
// must not exist yet. The folder appears whole or not at all. Released notes are numbered
// in an order drawn from the system's random source, so that neither number nor order
// reveals which original is which.
//
// progress is called after each document with how many are done; it may be nil.
// An error from docs stops everything and is returned. Errors carry numbers of
// documents, never names or text.
func WriteRelease(ctx context.Context, dir string, docs iter.Seq2[Input, error], b *Bundle, meta Meta, progress func(done int)) (_ *Written, err error) {
	f, err := release.Create(dir)
	if err != nil {
		return nil, err
	}
	w := &writer{folder: f, bundle: b, counts: ReleaseCounts{Redactions: map[annotate.Label]int{}}}
	defer func() { err = errors.Join(err, w.spool.close(), f.Discard()) }()
	if err := w.spoolAll(ctx, docs, progress); err != nil {
		return nil, err
	}
	if err := w.writeNotes(ctx); err != nil {
		return nil, err
	}
	return w.finish(ctx, meta)
}

// writer is the state of one WriteRelease.
type writer struct {
	folder *release.Folder
	bundle *Bundle
	spool  spool
	rows   []mappingRow // in the order of docs, then of ids
	counts ReleaseCounts
}

// spoolName is the scratch file inside the unfinished folder.
const spoolName = "spool"

func (w *writer) spoolAll(ctx context.Context, docs iter.Seq2[Input, error], progress func(int)) error {
	file, err := w.folder.Scratch(spoolName)
	if err != nil {
		return err
	}
	w.spool.file = file
	var together []Input
	for in, err := range docs {
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return err
		}
		if err := w.check(in); err != nil {
			return fmt.Errorf("publish note %d: %w", in.Document, err)
		}
		if len(together) > 0 && !goesWith(together, in) {
			if err := w.addAll(together, progress); err != nil {
				return err
			}
			together = together[:0]
		}
		together = append(together, in)
	}
	return w.addAll(together, progress)
}

// Notes of a group are redacted together in batches of this number and size, which bounds
// memory and the time until a cancelled context is noticed.
const (
	mostTogether  = 1000
	togetherBytes = 1 << 20
)

// goesWith reports whether a release redacts next together with the documents before
// it, of which there is at least one.
func goesWith(before []Input, next Input) bool {
	if next.Group == "" || next.Group != before[0].Group || len(before) >= mostTogether {
		return false
	}
	size := len(next.Text)
	for _, in := range before {
		size += len(in.Text)
	}
	return size <= togetherBytes
}

func (w *writer) check(in Input) error {
	if !utf8.ValidString(in.Text) {
		return errors.New("its text is not UTF-8")
	}
	if err := annotate.CheckSpans(in.Text, slices.Clone(in.Spans)); err != nil {
		return err
	}
	if err := annotate.CheckSpans(in.Text, slices.Clone(in.Known)); err != nil {
		return err
	}
	for _, s := range slices.Concat(in.Spans, in.Known.redacted()) {
		if !w.bundle.allowed(s.Label) {
			return fmt.Errorf("label %s is not in the policy", s.Label)
		}
	}
	return nil
}

func (w *writer) addAll(docs []Input, progress func(int)) error {
	for i, r := range w.bundle.redactTogether(docs) {
		if err := w.add(docs[i], r); err != nil {
			return fmt.Errorf("publish note %d: %w", docs[i].Document, err)
		}
		if progress != nil {
			progress(w.counts.Documents)
		}
	}
	return nil
}

func (w *writer) add(in Input, r redacted) error {
	row := released{Text: r.text, Redactions: make([]releasedReplace, len(r.redactions))}
	for i, one := range r.redactions {
		row.Redactions[i] = releasedReplace{one.At, one.AtEnd, one.Label}
		w.counts.Redactions[one.Label]++
	}
	w.counts.Documents++
	w.counts.Tokens += r.kept
	w.counts.Known = w.counts.Known.plus(r.known)
	w.rows = append(w.rows, mappingRow{Document: in.Document, Name: in.Name, Redactions: mapped(in.Text, r.redactions)})
	return w.spool.add(row)
}

// writeNotes draws the order, then writes notes.jsonl and the text files.
func (w *writer) writeNotes(ctx context.Context) error {
	order := release.Random().Perm(w.counts.Documents)
	rows := make([]mappingRow, len(order))
	if err := w.folder.Mkdir(notesDir); err != nil {
		return err
	}
	err := w.folder.Add(notesFile, func(out io.Writer) error {
		for i, from := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows[i] = w.rows[from]
			rows[i].ID = releasedID(i+1, len(order))
			if err := w.writeNote(out, from, rows[i].ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.rows = rows
	return errors.Join(w.spool.close(), w.folder.Remove(spoolName))
}

func (w *writer) writeNote(out io.Writer, from int, id string) error {
	d, err := w.spool.get(from)
	if err != nil {
		return err
	}
	d.ID = id
	if err := newEncoder(out).Encode(d); err != nil {
		return err
	}
	return w.folder.Add(path.Join(notesDir, id+".txt"), release.Bytes("", []byte(d.Text)).Write)
}

func (w *writer) finish(ctx context.Context, meta Meta) (*Written, error) {
	sum, err := w.bundle.SHA256()
	if err != nil {
		return nil, err
	}
	claims := w.bundle.claims(sum)
	claims.Counts, claims.Provenance.Finished = w.counts, meta.Finished
	own, err := w.folder.Finish(ctx, release.Manifest{
		Kind: release.Text, Version: meta.Tool, Created: meta.Created, Name: meta.Name, Project: meta.Project,
		Statement: Statement, Warnings: meta.Warnings, Claims: claims,
	}, nil)
	if err != nil {
		return nil, err
	}
	mapping, err := encodeMapping(own, w.rows)
	return &Written{claims, own, mapping}, err
}

// releasedID is n with at least six digits, and as many as the last one needs.
func releasedID(n, last int) string {
	return fmt.Sprintf("%0*d", max(6, len(fmt.Sprint(last))), n)
}

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
	"hide/internal/publish/policy"
	"hide/internal/publish/release"
)

// writer is the state of one WriteRelease.
type writer struct {
	folder   *release.Folder
	bundle   *Bundle // nil without a redaction model
	meta     Meta
	spool    spool
	rows     []mappingRow // in the order of docs, then of ids
	counts   ReleaseCounts
	hidden   map[annotate.Label]int
	patients map[string]int // numbers of patients, from 1
	attacked *Attacked
}

// spoolName is the scratch file inside the unfinished folder.
const spoolName = "spool"

func (w *writer) spoolAll(ctx context.Context, docs iter.Seq2[Input, error], progress func(int)) error {
	file, err := w.folder.Scratch(spoolName)
	if err != nil {
		return err
	}
	w.spool.file = file
	if w.meta.Policy != nil {
		return w.replaceAll(ctx, docs, progress)
	}
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

// replaceAll is spoolAll of a release by a policy: each note says what is replaced in it.
func (w *writer) replaceAll(ctx context.Context, docs iter.Seq2[Input, error], progress func(int)) error {
	for in, err := range docs {
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return err
		}
		if err = w.check(in); err == nil {
			err = w.add(in, replaced(in))
		}
		if err != nil {
			return fmt.Errorf("publish note %d: %w", in.Document, err)
		}
		if progress != nil {
			progress(w.counts.Documents)
		}
	}
	return nil
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
	if err := annotate.CheckSpans(in.Text, slices.Clone(in.Known)); err != nil {
		return err
	}
	if (in.ID != "") && w.meta.Like == "" {
		return errors.New("it has a number, but the release continues no other")
	}
	if w.meta.Policy != nil {
		if in.Replacements == nil {
			return errors.New("nobody said what is replaced in it")
		}
		return w.checkReplacements(in)
	}
	if in.Replacements != nil {
		return errors.New("its replacements need a policy")
	}
	if err := annotate.CheckSpans(in.Text, slices.Clone(in.Spans)); err != nil {
		return err
	}
	for _, s := range slices.Concat(in.Spans, in.Known.redacted()) {
		if !w.allowed(s.Label) {
			return fmt.Errorf("label %s is not in the policy", s.Label)
		}
	}
	return nil
}

// allowed reports whether a label may occur in the release.
func (w *writer) allowed(l annotate.Label) bool {
	if w.meta.Policy == nil {
		return w.bundle.allowed(l)
	}
	return slices.ContainsFunc(w.meta.Policy.Labels, func(r policy.ResolvedLabel) bool { return r.Label == l })
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
	row := released{Text: r.text, Redactions: []releasedReplace{}}
	for _, one := range r.redactions {
		if one.Action.Hidden() {
			w.hidden[one.Label]++
			continue
		}
		row.Redactions = append(row.Redactions, releasedReplace{one.At, one.AtEnd, one.Label, written(one.Action)})
		w.counts.Redactions[one.Label]++
	}
	w.counts.Documents++
	w.counts.Tokens += r.tokens
	w.counts.Known = w.counts.Known.plus(r.known)
	w.rows = append(w.rows, mappingRow{ID: in.ID, Document: in.Document, Name: in.Name, Patient: w.patient(in), Redactions: mapped(in.Text, r.redactions), Kept: mappedKept(in.Text, r.kept)})
	return w.spool.add(row)
}

// attack tries the attacker on the notes, which are all in the spool.
func (w *writer) attack(ctx context.Context) (err error) {
	if w.meta.Attack == nil {
		return nil
	}
	docs := make([]annotate.DocumentID, len(w.rows))
	for i, row := range w.rows {
		docs[i] = row.Document
	}
	w.attacked, err = w.meta.Attack(ctx, docs, func(i int) (string, []annotate.Span, error) {
		d, err := w.spool.get(i)
		if err != nil {
			return "", nil, err
		}
		places, err := d.placeholders()
		return d.Text, places, err
	})
	return err
}

// patient numbers the patients of a release by a policy; 0 for none.
func (w *writer) patient(in Input) int {
	if w.meta.Policy == nil || in.Group == "" {
		return 0
	}
	if _, seen := w.patients[in.Group]; !seen {
		w.patients[in.Group] = len(w.patients) + 1
	}
	return w.patients[in.Group]
}

// writeNotes draws the order, then writes notes.jsonl and the text files.
func (w *writer) writeNotes(ctx context.Context) error {
	order, ids, err := w.number()
	if err != nil {
		return err
	}
	rows := make([]mappingRow, len(order))
	if err := w.folder.Mkdir(notesDir); err != nil {
		return err
	}
	err = w.folder.Add(notesFile, func(out io.Writer) error {
		for i, from := range order {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows[i] = w.rows[from]
			rows[i].ID = ids[i]
			if err := w.writeNote(out, from, ids[i]); err != nil {
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

func (w *writer) finish(ctx context.Context) (*Written, error) {
	claims, err := w.claims()
	if err != nil {
		return nil, err
	}
	m := w.meta
	own, err := w.folder.Finish(ctx, release.Manifest{
		Kind: release.Text, Version: m.Tool, Created: m.Created, Name: m.Name, Project: m.Project,
		Statement: m.statement(), Warnings: m.Warnings, Claims: claims,
	}, nil)
	if err != nil {
		return nil, err
	}
	mapping, err := encodeMapping(own, w.rows)
	return &Written{claims, own, mapping, w.hidden}, err
}

// claims are those of the bundle, and of the policy. The file of the policy is written.
func (w *writer) claims() (c Claims, err error) {
	if w.bundle != nil {
		sum, err := w.bundle.SHA256()
		if err != nil {
			return c, err
		}
		c = w.bundle.claims(sum)
		c.Figures.Validity = cmp.Or(w.meta.Validity, c.Figures.Validity)
	}
	c.Counts, c.Provenance.Finished, c.Attack = w.counts, w.meta.Finished, w.attacked
	c.Target = w.targetClaim()
	p := w.meta.Policy
	if p == nil {
		return c, nil
	}
	c.Placeholder, c.Labels = p.Policy.Placeholder, nil
	for _, l := range p.Labels {
		c.Labels = append(c.Labels, l.Label)
	}
	claim := policyClaim(*p)
	c.Policy, c.Agreed, c.Like = &claim, w.meta.Agreed, w.meta.Like
	if s := w.meta.Signed; s != nil {
		c.Signed = &Signed{s.Text, s.By, s.At.UTC().Truncate(time.Second)}
	}
	return c, w.folder.Add(policyFile, release.Bytes("", p.Policy.Encode()).Write)
}

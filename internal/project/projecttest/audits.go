// SPDX-License-Identifier: Apache-2.0

package projecttest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
	"hide/internal/store"
)

var openFolder fstest.MapFS // tests run one after the other

// files are the data folder and its key next to it.
func (b *Bench) files() fstest.MapFS {
	b.T.Helper()
	out, dir := fstest.MapFS{}, os.DirFS(filepath.Dir(b.Folder))
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(dir, name)
		out[name] = &fstest.MapFile{Data: content, Mode: 0o600}
		return err
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return out
}

// OpenNotes is a project of 10 finished and 6 open notes, with a bundle. The data folder is
// made once; each test has a copy.
func (b *Bench) OpenNotes() (project.ID, int) {
	b.T.Helper()
	if openFolder == nil {
		b.OpenNotesOf()
		b.Reopen() // all is on disk
		openFolder = b.files()
		return "p1", 1
	}
	b.Shut()
	parent := filepath.Dir(b.Folder)
	if err := errors.Join(os.RemoveAll(parent), os.CopyFS(parent, openFolder), os.Chmod(b.Folder+".key", 0o600)); err != nil {
		b.T.Fatal(err)
	}
	secrets, err := filepath.Glob(b.Folder + ".secrets/*")
	for _, name := range secrets {
		err = errors.Join(err, os.Chmod(name, 0o600))
	}
	if err != nil {
		b.T.Fatal(err)
	}
	b.Open()
	return "p1", 1
}

// OpenNotesOf is [Bench.OpenNotes] with a bundle that redacts only these labels; none means
// all.
func (b *Bench) OpenNotesOf(labels ...annotate.Label) (project.ID, int) {
	b.T.Helper()
	docs := Notes(16)
	id := b.FinishedProject(docs[:10])
	b.MustImport(id, Strip(docs[10:]), false)
	number, err := b.StartSanitize(b.T.Context(), Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2, Labels: labels})
	if err != nil {
		b.T.Fatal(err)
	}
	b.FinishedRun(id, number)
	bundle, err := b.Choose(b.T.Context(), Broker, id, number, 10)
	if err != nil || id != "p1" || bundle.Number != 1 {
		b.T.Fatalf("project %s, bundle %d, %v", id, bundle.Number, err)
	}
	return id, bundle.Number
}

// StoreAudit stores an audit of a bundle as earlier versions of hide did: three random notes
// and a doubtful one. mark says which tokens of the first note
// were marked; nothing was in the others. Without mark nobody has read.
func (b *Bench) StoreAudit(id project.ID, bundle int, mark func(audit.ReleasedText) []int) audit.Audit {
	b.T.Helper()
	ws := b.MustWorkspace(id)
	docs := ws.All()
	if open := ws.Unfinished(docs); len(open) > 0 {
		docs = open
	}
	model, info, err := b.OpenBundle(id, bundle)
	if err != nil {
		b.T.Fatal(err)
	}
	a := audit.Audit{Bundle: bundle, Run: info.Run, LC: info.LC, Created: time.Now().UTC(), By: Broker.ID, Documents: len(docs), Asked: 4, Seed: 7, Revisions: project.RevisionsMark(ws.DocumentRevisions(docs))}
	err = b.Update(id, project.EventBy(Broker, "draw sample", id.Object()), func(tx *store.Tx) error {
		n, err := tx.Next("audits")
		if err != nil {
			return err
		}
		a.Number = int(n)
		for d, err := range ws.Documents(b.T.Context(), docs[:4]) {
			if err != nil {
				return err
			}
			note := audit.Note{Document: d.ID, Picked: len(a.Notes) == 3, Read: mark != nil}
			if note.Found, err = storeAudited(tx, n, len(a.Notes)+1, info.Input(ws.Names(), ws.Labels(), d), model, mark); err != nil {
				return err
			}
			a.Notes = append(a.Notes, note)
		}
		return store.PutJSON(tx, "audits", store.Key(n), a)
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return b.NewestAudit(id)
}

// storeAudited stores a note of an audit: its text as it would be published, the places of
// its placeholders in the original, and what was marked if it is the first. It counts the
// identifiers.
func storeAudited(tx *store.Tx, number uint64, index int, in publish.Input, model *publish.Bundle, mark func(audit.ReleasedText) []int) (found int, err error) {
	type place struct {
		Start annotate.ByteOff `json:"start"`
		End   annotate.ByteOff `json:"end"`
	}
	texts, redactions := model.RedactTogether([]publish.Input{in})
	text, places := audit.ReleasedText{Text: texts[0]}, []place{}
	for _, r := range redactions[0] {
		text.Redactions = append(text.Redactions, audit.ReleasedAt{Start: r.At, End: r.AtEnd, Label: r.Label})
		places = append(places, place{r.Start, r.End})
	}
	key := append(store.Key(number), store.Key(uint64(index))...)
	err = errors.Join(store.PutJSON(tx, "audit-texts", key, text), store.PutJSON(tx, "audit-places", key, places))
	if mark == nil {
		return 0, err
	}
	read := struct {
		By    string `json:"by"`
		Marks []int  `json:"marks"`
	}{By: Annotator.ID}
	if index == 1 {
		read.Marks = mark(text)
	}
	for i, m := range read.Marks {
		if i == 0 || read.Marks[i-1] != m-1 {
			found++
		}
	}
	return found, errors.Join(err, store.PutJSON(tx, "audit-reads", key, read))
}

// NewestAudit is the newest audit, with its result.
func (b *Bench) NewestAudit(id project.ID) audit.Audit {
	b.T.Helper()
	all, err := b.SampleAudits(b.T.Context(), Broker, id)
	if err != nil || len(all) == 0 {
		b.T.Fatalf("%d audits, %v", len(all), err)
	}
	return all[0]
}

// Visible marks the tokens with these indices among the tokens outside placeholders.
func Visible(places ...int) func(audit.ReleasedText) []int {
	return func(r audit.ReleasedText) []int {
		var open, out []int
		offsets := annotate.NewOffsets(r.Text)
		for i, token := range annotate.Tokenize(r.Text) {
			at, err := offsets.Rune(token.Start)
			if err == nil && !slices.ContainsFunc(r.Redactions, func(p audit.ReleasedAt) bool { return p.Start <= at && at < p.End }) {
				open = append(open, i)
			}
		}
		for _, p := range places {
			out = append(out, open[p])
		}
		return out
	}
}

// Phrase marks the tokens of words that follow each other outside placeholders.
func Phrase(phrase string) func(audit.ReleasedText) []int {
	return func(r audit.ReleasedText) (out []int) {
		start := annotate.ByteOff(strings.Index(r.Text, phrase))
		for i, token := range annotate.Tokenize(r.Text) {
			if start >= 0 && token.Start >= start && token.End <= start+annotate.ByteOff(len(phrase)) {
				out = append(out, i)
			}
		}
		return out
	}
}

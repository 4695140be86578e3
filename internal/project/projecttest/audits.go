// SPDX-License-Identifier: Apache-2.0

package projecttest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing/fstest"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
)

var drawnFolder fstest.MapFS // tests run one after the other

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

func (b *Bench) drawAudit() {
	b.T.Helper()
	id, bundle := b.OpenNotes()
	b.Draw(id, bundle)
}

// OpenNotes are the notes and the bundle of [Bench.DrawnAudit]. Labels are the redacted
// labels; none means all.
func (b *Bench) OpenNotes(labels ...annotate.Label) (project.ID, int) {
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

func (b *Bench) Draw(id project.ID, bundle int) {
	b.T.Helper()
	if err := b.StartSampleAudit(b.T.Context(), Broker, id, bundle, 3, 1); err != nil {
		b.T.Fatal(err)
	}
	b.Wait("drawing a sample", func() bool {
		_, drawing, err := b.SampleAudits(b.T.Context(), Broker, id)
		if err != nil || drawing.Error != "" {
			b.T.Fatal(err, drawing.Error)
		}
		return !drawing.Running
	})
}

func (b *Bench) NewestAudit(id project.ID) audit.Audit {
	b.T.Helper()
	all, _, err := b.SampleAudits(b.T.Context(), Broker, id)
	if err != nil || len(all) == 0 {
		b.T.Fatalf("%d audits, %v", len(all), err)
	}
	return all[0]
}

// Visible lists the tokens with these indices among the tokens outside placeholders.
func Visible(r audit.ReleasedText, places []int) []int {
	var open, out []int
	for i := range annotate.Tokenize(r.Text) {
		if audit.CheckMarks(r, []int{i}) == nil {
			open = append(open, i)
		}
	}
	for _, p := range places {
		out = append(out, open[p])
	}
	return out
}

// DrawnAudit is a project of 10 finished and 6 open notes, a bundle, and an audit
// of 3 random and 1 doubtful note. The data folder is made once; each test has a copy.
func (b *Bench) DrawnAudit() (project.ID, int) {
	b.T.Helper()
	if drawnFolder == nil {
		b.drawAudit()
		b.Reopen() // all is on disk
		drawnFolder = b.files()
		return "p1", 1
	}
	b.Shut()
	parent := filepath.Dir(b.Folder)
	if err := errors.Join(os.RemoveAll(parent), os.CopyFS(parent, drawnFolder), os.Chmod(b.Folder+".key", 0o600)); err != nil {
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

// ReadAudit marks the tokens at these places of the first note, and none in the others.
func (b *Bench) ReadAudit(id project.ID, places ...int) audit.Audit {
	b.T.Helper()
	a := b.NewestAudit(id)
	for k := range a.Notes {
		n, err := b.SampleAuditNote(b.T.Context(), Annotator, id, a.Number, k+1)
		if err != nil {
			b.T.Fatal(err)
		}
		var marks []int
		if k == 0 {
			marks = Visible(n.Text, places)
		}
		if err := b.MarkSampleAudit(b.T.Context(), Annotator, id, a.Number, k+1, audit.Answer{Marks: marks}); err != nil {
			b.T.Fatal(err)
		}
	}
	return b.NewestAudit(id)
}

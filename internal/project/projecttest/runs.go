// SPDX-License-Identifier: Apache-2.0

package projecttest

import (
	"archive/zip"
	"io"
	"io/fs"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
	"hide/internal/publish/cube"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
)

// Trained waits until no training runs or waits and returns the state.
func (b *Bench) Trained(id project.ID) training.Status {
	b.T.Helper()
	var tr training.Status
	b.Wait("training", func() bool {
		var err error
		if tr, err = b.Training(b.T.Context(), Annotator, id); err != nil {
			b.T.Fatal(err)
		}
		return tr.Model > 0 && !tr.Running && !tr.Queued
	})
	return tr
}

func (b *Bench) FinishedRun(id project.ID, number int) *sanitize.Run {
	b.T.Helper()
	var run *sanitize.Run
	b.Wait("sanitizing", func() bool {
		var err error
		if run, err = b.Run(b.T.Context(), Broker, id, number); err != nil {
			b.T.Fatal(err)
		}
		return run.State != sanitize.Running
	})
	return run
}

// Published waits until publishing ends and returns the newest release.
func (b *Bench) Published(id project.ID) (release.Release, release.Status) {
	b.T.Helper()
	var st release.Status
	b.Wait("publishing", func() bool {
		var err error
		if st, err = b.Publishing(b.T.Context(), Broker, id); err != nil {
			b.T.Fatal(err)
		}
		return !st.Running
	})
	all, err := b.Releases(b.T.Context(), Broker, id)
	if err != nil {
		b.T.Fatal(err)
	}
	if len(all) == 0 {
		return release.Release{}, st
	}
	return all[0], st
}

func (b *Bench) Ran(id project.ID, p sanitize.Params) *sanitize.Run {
	b.T.Helper()
	number, err := b.StartSanitize(b.T.Context(), Broker, id, p)
	if err != nil {
		b.T.Fatal(err)
	}
	r := b.FinishedRun(id, number)
	if r.State != sanitize.Finished {
		b.T.Fatalf("run is %s: %s", r.State, r.Error)
	}
	return r
}

func (b *Bench) MustWarnings(id project.ID, bundle int) string {
	b.T.Helper()
	out, err := b.PublishWarnings(b.T.Context(), Broker, id, bundle)
	if err != nil {
		b.T.Fatal(err)
	}
	return strings.Join(out, "\n")
}

func (b *Bench) MustWorkspace(id project.ID) *project.Workspace {
	b.T.Helper()
	ws, err := b.Workspace(id)
	if err != nil {
		b.T.Fatal(err)
	}
	return ws
}

func (b *Bench) MustIdentifiers(id project.ID) release.Identifiers {
	b.T.Helper()
	v, err := b.Identifiers(b.T.Context(), Broker, id)
	if err != nil {
		b.T.Fatal(err)
	}
	return v
}

func (b *Bench) MustBudget(id project.ID) dp.Budget {
	b.T.Helper()
	v, err := b.Budget(b.T.Context(), Broker, id)
	if err != nil {
		b.T.Fatal(err)
	}
	return v
}

// Counted opens a budget for a cohort.
func (b *Bench) Counted(limit ledger.Micro) project.ID {
	b.T.Helper()
	id := b.FinishedProject(Cohort(24))
	if err := b.OpenBudget(b.T.Context(), Broker, id, dp.BudgetOpening{Limit: limit}); err != nil {
		b.T.Fatal(err)
	}
	return id
}

// measured waits until no curve is being measured and returns the final state.
func (b *Bench) MustCurves(id project.ID) training.CurveStatus {
	b.T.Helper()
	var st training.CurveStatus
	b.Wait("measuring", func() bool {
		var err error
		if st, err = b.Curves(b.T.Context(), Broker, id); err != nil {
			b.T.Fatal(err)
		}
		return !st.Running
	})
	return st
}

// named makes a project of finished documents.
func (b *Bench) NewNamed(name string, docs []annotate.Annotated) project.ID {
	b.T.Helper()
	p, err := b.Create(b.T.Context(), Broker, name, nil)
	if err != nil {
		b.T.Fatal(err)
	}
	b.MustImport(p.ID, docs, true)
	return p.ID
}

func BySex(e ledger.Micro) dp.CubeSettings {
	return dp.CubeSettings{
		Epsilon: e, Source: "the admission form",
		Dimensions: cube.Domain{{Name: "sex", Values: []string{"F", "M"}}, {Name: "AGE", Min: 0, Max: 119, Width: 20, Other: true}},
	}
}

func Towns(e ledger.Micro) dp.SequenceSettings {
	return dp.SequenceSettings{
		Epsilon: e, Source: "list of towns", Of: idview.Key{Source: idview.Label, Name: "CITY"},
		Alphabet: []string{"ARDEN", "Bilton", "Corley"}, Height: 2,
	}
}

// ReadAll concatenates all files of a zip.
func ReadAll(t *testing.T, z *zip.Reader) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(z, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		f, err := z.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(&all, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// Froze starts to freeze a candidate, and waits for it.
func (b *Bench) Froze(id project.ID, start func() error) release.Candidate {
	b.T.Helper()
	if err := start(); err != nil {
		b.T.Fatal(err)
	}
	var st release.Status
	b.Wait("the candidate", func() bool {
		var err error
		st, err = b.Publishing(b.T.Context(), Broker, id)
		return err != nil || !st.Running
	})
	if st.Error != "" || st.Frozen == 0 {
		b.T.Fatalf("nothing was frozen: %+v", st)
	}
	c, err := b.Candidate(b.T.Context(), Broker, id, st.Frozen)
	if err != nil {
		b.T.Fatal(err)
	}
	return c
}

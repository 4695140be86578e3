// SPDX-License-Identifier: Apache-2.0

package splitkeys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/hospital/invented"
	"hide/internal/lab"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/internal/project/services"
	"hide/internal/publish/link/score"
	"hide/internal/store"
)

// trial is a project of the notes in a temporary folder.
type trial struct {
	options  Options
	truth    invented.Truth
	progress lab.Progress
	notes    map[string]annotate.Annotated // by name
	split    map[string]bool               // people with several keys
	trained  map[string]bool               // people whose notes the model is trained on

	dir   string
	store *store.Store
	all   *services.All
	id    project.ID

	suggested map[annotate.DocumentID][]annotate.Suggestion // before linkage
}

// operator does everything in the project.
var operator = account.User{ID: "bench", Name: "bench", Role: account.Admin}

// closeWithin is how long jobs may take to end, and lookAgain the time between two looks at one.
const (
	closeWithin = 30 * time.Second
	lookAgain   = 20 * time.Millisecond
)

func (t *trial) open() (err error) {
	if t.dir, err = os.MkdirTemp("", "hide-bench-"); err != nil {
		return err
	}
	data := filepath.Join(t.dir, "data")
	if t.store, err = store.Open(store.Options{Dir: data, Create: true}); err == nil {
		t.all, err = services.New(t.store, project.Options{Releases: filepath.Join(data, "releases")})
	}
	if err != nil {
		return errors.Join(err, t.close())
	}
	return nil
}

func (t *trial) close() (err error) {
	if t.all != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
		defer cancel()
		err = t.all.Close(ctx)
	}
	if t.store != nil {
		err = errors.Join(err, t.store.Close())
	}
	return errors.Join(err, os.RemoveAll(t.dir))
}

// run measures before linkage, after one pass, and after two.
func (t *trial) run(ctx context.Context, notes []annotate.Annotated, r *Result) error {
	if err := t.fill(ctx, notes, r.Trained); err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		link *links.Options
	}{{"not linked", nil}, {"first pass", &links.Options{PassOne: true}}, {"second pass", &links.Options{}}} {
		if s.link != nil {
			if err := t.link(ctx, *s.link); err != nil {
				return err
			}
		}
		stage, err := t.measure(ctx, s.name)
		if err != nil {
			return err
		}
		r.Stages = append(r.Stages, stage)
	}
	var err error
	r.Classes, err = t.tables(ctx)
	return err
}

// fill imports the notes, with spans for trained people only, and waits for the model.
func (t *trial) fill(ctx context.Context, notes []annotate.Annotated, train int) error {
	p, err := t.all.Create(ctx, operator, "Split keys", nil)
	if err != nil {
		return err
	}
	t.id = p.ID
	settings, err := t.all.Settings(ctx, operator, t.id)
	if err != nil {
		return err
	}
	settings.MinRecall = 0 // suggestions count at any recall
	if err := t.all.SetSettings(ctx, operator, t.id, settings); err != nil {
		return err
	}
	if err := t.put(ctx, notes, false); err != nil || train == 0 {
		return err
	}
	if err := t.put(ctx, notes, true); err != nil {
		return err
	}
	return t.train(ctx, train)
}

// train waits for the model, and ends the check that follows.
func (t *trial) train(ctx context.Context, notes int) error {
	err := t.progress.Follow(ctx, "training", lookAgain, func() (done, total int, doing string, running bool, err error) {
		st, err := t.all.Training(ctx, operator, t.id)
		if err == nil && st.NeedMore > 0 {
			err = fmt.Errorf("%d notes are too few to train on: --train needs %d more, or 0 for no model", notes, st.NeedMore)
		}
		if st.Error != "" {
			err = errors.Join(err, errors.New(st.Error))
		}
		return 0, 0, "", st.Model == 0, err
	})
	return errors.Join(err, t.all.CancelTraining(ctx, operator, t.id))
}

// put imports the notes of trained people as finished, or the notes of other people without
// spans.
func (t *trial) put(ctx context.Context, notes []annotate.Annotated, finished bool) error {
	var b bytes.Buffer
	err := format.WriteJSONL(&b, func(yield func(annotate.Annotated, error) bool) {
		for _, n := range notes {
			if t.trained[t.truth[n.Name]] != finished {
				continue
			}
			if !finished {
				n.Spans = nil
			}
			if !yield(n, nil) {
				return
			}
		}
	})
	if err != nil || b.Len() == 0 {
		return err
	}
	file := format.File{Name: "notes.jsonl", Size: int64(b.Len()), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	}}
	_, err = t.all.Import(ctx, operator, t.id, []format.File{file}, project.ImportOptions{Finished: finished})
	return err
}

func (t *trial) link(ctx context.Context, o links.Options) error {
	if err := t.all.StartLinking(ctx, operator, t.id, o); err != nil {
		return err
	}
	err := t.progress.Follow(ctx, "linking", lookAgain, func() (done, total int, doing string, running bool, err error) {
		p, err := t.all.Linking(ctx, operator, t.id)
		if p.Error != "" {
			err = errors.Join(err, errors.New(p.Error))
		}
		return p.Done, p.Total, "", p.Running, err
	})
	// Links change the groups of notes, for which the project would train again. The passes are
	// compared with one model.
	return errors.Join(err, t.all.CancelTraining(ctx, operator, t.id))
}

// documents are the notes as the project has them, with their links.
func (t *trial) documents(ctx context.Context) ([]project.StoredNote, *project.Workspace, error) {
	ws, err := t.all.Enter(operator, account.ReadNotes, t.id)
	if err != nil {
		return nil, nil, err
	}
	var out []project.StoredNote
	for n, err := range ws.Documents(ctx, ws.All()) {
		if err != nil {
			return nil, nil, err
		}
		out = append(out, n)
	}
	return out, ws, nil
}

// pairs compares the links of records with the truth.
func (t *trial) pairs(docs []project.StoredNote) score.Pairs {
	var truth []int
	number, people, groups := map[string]int{}, map[string]int{}, map[string][]int{}
	for _, d := range docs {
		if _, seen := number[d.Record()]; seen {
			continue
		}
		person := t.truth[d.Name]
		if _, ok := people[person]; !ok {
			people[person] = len(people)
		}
		number[d.Record()] = len(truth)
		groups[d.Group()] = append(groups[d.Group()], len(truth))
		truth = append(truth, people[person])
	}
	var clusters [][]int
	for _, members := range groups {
		clusters = append(clusters, members)
	}
	return score.Clusters(truth, clusters)
}

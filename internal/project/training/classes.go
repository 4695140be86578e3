// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hide/internal/account"
	"hide/internal/crf"
	"hide/internal/crf/classes"
	"hide/internal/project"
	"hide/internal/store"
)

// The keys of a project's learnt word classes. The table has words of its notes.
var (
	classesTableKey = []byte("table")
	classesInfoKey  = []byte("info")
)

// LearntClasses describe the word classes that a project has learnt from its notes.
type LearntClasses struct {
	Number  uint64    `json:"number"` // increases with each table
	At      time.Time `json:"at"`
	Notes   int       `json:"notes"`
	Tokens  int       `json:"tokens"`
	Words   int       `json:"words"`
	Classes int       `json:"classes"`
}

// ClassStatus is the state of the word classes of a project.
type ClassStatus struct {
	Running bool
	Done    float64        // share of the running work
	Error   string         // how the last work ended, in words; "" for well
	Notes   int            // of the project
	Learnt  *LearntClasses // nil for none
	Used    bool           // the settings use word classes
}

// ClassAction is what a person does about the word classes of a project.
type ClassAction string

// The actions.
const (
	ShowClasses   ClassAction = ""
	LearnClasses  ClassAction = "learn"
	CancelClasses ClassAction = "cancel"
	RemoveClasses ClassAction = "remove"
)

// classState is the work on word classes, or how it ended.
type classState struct {
	done    float64
	failure string
}

// WordClasses does something about the word classes of a project and returns their state,
// which contains no word. Learning reads all notes in the background. Models use a new state
// from their next training on, which this starts.
func (s *Service) WordClasses(ctx context.Context, by account.User, id project.ID, action ClassAction) (ClassStatus, error) {
	needs := []account.Permission{account.ManageWork}
	if action == ShowClasses {
		needs = append(needs, account.ReadNotes)
	}
	ws, err := s.enterAny(by, id, needs...)
	if err != nil {
		return ClassStatus{}, err
	}
	switch action {
	case ShowClasses:
	case LearnClasses:
		err = s.startClasses(ws, by)
	case CancelClasses:
		ws.classes.Cancel()
	case RemoveClasses:
		err = s.removeClasses(ws, by)
	default:
		err = project.Invalidf("", "unknown action on word classes")
	}
	if err != nil {
		return ClassStatus{}, err
	}
	return s.classStatus(ws)
}

func (s *Service) classStatus(ws *workspace) (ClassStatus, error) {
	c, running := ws.classes.State()
	st := ClassStatus{Running: running, Done: c.done, Error: c.failure, Notes: len(ws.All()), Used: optionsOf(ws.Settings()).heedsClasses()}
	var err error
	st.Learnt, err = project.GetJSON[*LearntClasses](s.projects, ws.ID, bucketClasses, classesInfoKey)
	if errors.Is(err, store.ErrNotFound) {
		return st, nil
	}
	return st, err
}

func (s *Service) startClasses(ws *workspace, by account.User) error {
	return startAlone(ws, ws.classes, classState{},
		func(ctx context.Context) error { return s.learnClasses(ctx, ws, by) },
		func(c *classState, err error) {
			c.failure = project.Failure(err, "Learning was cancelled; the earlier classes are kept", "Learning failed: ")
		},
		&project.Error{Kind: project.Stale, Message: "word classes are already being learnt", Hint: "wait for them, or cancel that first"})
}

// readingShare is the share of the work that reading the notes takes.
const readingShare = 0.3

func (s *Service) learnClasses(ctx context.Context, ws *workspace, by account.User) error {
	learner, docs := classes.NewLearner(), ws.All()
	for d, err := range ws.Read(ctx, docs) {
		if err != nil {
			return err
		}
		if !learner.AddText(d.Text) {
			break
		}
		if n := learner.Notes(); n%256 == 0 {
			ws.classes.Change(func(c *classState) { c.done = readingShare * float64(n) / float64(len(docs)) })
		}
	}
	t, err := learner.Learn(ctx, classes.Options{}, func(done float64) {
		ws.classes.Change(func(c *classState) { c.done = readingShare + (1-readingShare)*done })
	})
	if errors.Is(err, classes.ErrTooFew) {
		return project.Invalidf("import more notes first", "the notes have too few frequent words")
	}
	if err != nil {
		return err
	}
	info := LearntClasses{At: s.projects.Now().UTC(), Notes: learner.Notes(), Tokens: learner.Tokens(), Words: t.Words(), Classes: t.Classes()}
	if err := s.putClasses(ws, by, info, t); err != nil {
		return err
	}
	ws.retrain()
	return nil
}

func (s *Service) putClasses(ws *workspace, by account.User, info LearntClasses, t *classes.Table) error {
	ev := project.EventBy(by, "learn word classes", ws.ID.Object("word-classes"), fmt.Sprintf("%d notes", info.Notes))
	return s.projects.Update(ws.ID, ev, func(tx *store.Tx) (err error) {
		if info.Number, err = tx.Next(bucketClasses); err != nil {
			return err
		}
		if err := tx.Put(bucketClasses, classesTableKey, t.Append(nil)); err != nil {
			return err
		}
		return store.PutJSON(tx, bucketClasses, classesInfoKey, info)
	})
}

func (s *Service) removeClasses(ws *workspace, by account.User) error {
	err := s.projects.Update(ws.ID, project.EventBy(by, "remove word classes", ws.ID.Object("word-classes"), ""), deleteClasses)
	if err == nil {
		ws.retrain()
		s.projects.Tell(ws.ID, project.TopicTraining)
	}
	return err
}

// deleteClasses deletes what a project has learnt of words. The numbers of tables stay.
func deleteClasses(tx *store.Tx) error {
	return errors.Join(tx.Delete(bucketClasses, classesTableKey), tx.Delete(bucketClasses, classesInfoKey))
}

// purgeClasses deletes the learnt word classes, and reports whether there were any.
func purgeClasses(tx *store.Tx) (learnt bool, err error) {
	_, err = store.GetJSON[LearntClasses](tx, bucketClasses, classesInfoKey)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, errors.Join(err, deleteClasses(tx))
}

// ClassTables are the tables of word classes that models of a project use, and a mark that
// identifies them. No list, or a nil table, means the program's own, where the notes are English.
func (s *Service) ClassTables(id project.ID) (tables []*classes.Table, mark string, err error) {
	err = s.projects.View(id, func(tx *store.Tx) error {
		info, err := store.GetJSON[LearntClasses](tx, bucketClasses, classesInfoKey)
		if err != nil {
			return err
		}
		raw, err := tx.Get(bucketClasses, classesTableKey)
		if err != nil {
			return err
		}
		learnt, err := classes.Decode(raw)
		if err != nil {
			return err
		}
		tables, mark = []*classes.Table{nil, learnt}, fmt.Sprint(info.Number)
		return nil
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, "", nil
	}
	return tables, mark, err
}

// heedsClasses reports whether word classes would change the model.
func (o trainOptions) heedsClasses() bool { return o.Features&crf.Classes != 0 }

// withClasses adds the tables of word classes of the project, if its models use any.
func (s *Service) withClasses(ws *workspace, o trainOptions) (trainOptions, error) {
	if !o.heedsClasses() {
		return o, nil
	}
	var err error
	o.Classes, o.classes, err = s.ClassTables(ws.ID)
	return o, err
}

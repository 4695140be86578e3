// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"errors"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// Hold keeps runs from starting while notes are removed. It fails while one is in
// progress.
func (s *Service) Hold(p *project.Workspace) (release func(), err error) {
	ws := s.of(p)
	if err := ws.claim(Run{State: Running}); err != nil {
		return nil, err
	}
	return ws.run.Drop, nil
}

// Purge deletes the words of removed notes from the runs of a project, and, if models may
// have been trained on them, everything that was learned from them: classifiers, kept
// trainings, bundles and all words. The figures of the runs stay. It returns how many runs
// were trained on them, and the numbers of the deleted bundles.
func (s *Service) Purge(tx *store.Tx, r project.Removal, now time.Time) (runs int, bundles map[int]bool, err error) {
	bundles = map[int]bool{}
	all, err := store.ListJSON[Run](tx, bucketRuns)
	if err != nil {
		return 0, nil, err
	}
	tainted := map[int]bool{}
	for _, run := range all {
		if run.Started.Before(r.Since) {
			continue
		}
		if !r.Trained {
			err = errors.Join(err, cutWords(tx, run, r.Docs))
			continue
		}
		tainted[run.Number] = true
		run.Removed, run.Context, run.ContextFound, run.Local = now, nil, 0, nil
		for i := range run.Choices {
			c := &run.Choices[i]
			c.Leaks, c.Lost = nil, nil // the words of one note may stand beside those of another
		}
		err = errors.Join(err, putRun(tx, run))
	}
	for _, bucket := range []string{bucketEnsembles, bucketClassifiers, bucketTrainings} {
		err = errors.Join(err, dropRuns(tx, bucket, func(run int) bool { return tainted[run] }))
	}
	return len(tainted), bundles, errors.Join(err, dropBundles(tx, tainted, bundles, now))
}

// cutWords deletes the excerpts of removed notes from a run.
func cutWords(tx *store.Tx, run Run, docs map[annotate.DocumentID]bool) error {
	shown := func(e project.Excerpt) bool { return docs[e.Document] }
	has := func(doc annotate.DocumentID) bool { return !docs[doc] }
	found := false
	for i := range run.Choices {
		c := &run.Choices[i]
		found = found || slices.ContainsFunc(c.Leaks, shown) || slices.ContainsFunc(c.Lost, shown)
		c.Leaks, c.Lost = without(c.Leaks, has), without(c.Lost, has)
	}
	if !found {
		return nil
	}
	return putRun(tx, run)
}

// dropBundles deletes the files of the bundles of runs, and enters their numbers.
func dropBundles(tx *store.Tx, runs, dropped map[int]bool, now time.Time) error {
	all, err := store.ListJSON[Bundle](tx, bucketBundles)
	for _, b := range all {
		if err != nil || !runs[b.Run] || !b.Removed.IsZero() {
			continue
		}
		dropped[b.Number], b.Removed = true, now
		err = errors.Join(tx.Delete(bucketBundleRaw, store.Key(uint64(b.Number))), store.PutJSON(tx, bucketBundles, store.Key(uint64(b.Number)), b))
	}
	return err
}

// without is the excerpts of notes that are still in the project.
func without(all []project.Excerpt, has func(annotate.DocumentID) bool) []project.Excerpt {
	if !slices.ContainsFunc(all, func(e project.Excerpt) bool { return !has(e.Document) }) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(e project.Excerpt) bool { return !has(e.Document) })
}

// ForgetProject drops what is in memory of a destroyed project.
func (s *Service) ForgetProject(id project.ID) {
	s.states.Forget(id)
	s.opened.drop(func(one openedBundle) bool { return one.project == id })
}

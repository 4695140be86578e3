// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/learners"
	"hide/internal/project"
	"hide/internal/publish"
	"hide/internal/store"
)

// runsKept is how many runs keep their classifiers in the store. Of older runs only the
// figures remain.
const runsKept = 5

// ensembleRecord is the choice of classifiers for one L/C. Classifiers are stored
// separately because choices share them.
type ensembleRecord struct {
	Steps []stepRecord `json:"steps"`
	Namer string       `json:"namer"` // classifier that predicts labels
}

type stepRecord struct {
	Learner   string        `json:"learner"`
	Model     string        `json:"model"` // SHA-256 of the encoded classifier
	Threshold float64       `json:"threshold"`
	Hard      bool          `json:"hard"`
	Whole     bool          `json:"whole,omitempty"`
	Prices    greedy.Prices `json:"prices,omitempty"`
}

// modelStore writes each classifier of a run once.
type modelStore struct {
	tx    *store.Tx
	run   int
	known map[greedy.Classifier]string
}

func classifierKey(run int, sum string) []byte { return append(store.Key(uint64(run)), sum...) }

func ensembleKey(run int, lc float64) []byte {
	return binary.BigEndian.AppendUint64(store.Key(uint64(run)), math.Float64bits(lc))
}

func (m *modelStore) put(c greedy.Classifier) (string, error) {
	if sum, ok := m.known[c]; ok {
		return sum, nil
	}
	raw, err := learners.Encode(c)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(raw)
	sum := hex.EncodeToString(hash[:])
	m.known[c] = sum
	return sum, m.tx.Put(bucketClassifiers, classifierKey(m.run, sum), raw)
}

// keepClassifiers stores the classifiers of a finished run, so that any of its L/C can be
// chosen later. It makes the run's detector the one that suggests, and deletes the
// classifiers of old runs.
func (s *Service) keepClassifiers(ctx context.Context, ws *workspace, done sanitized) error {
	namer, err := s.namer(ctx, ws, done.part.train)
	if err != nil {
		return err
	}
	now, _ := ws.run.State()
	run, asked, detector := now.Number, now.Params, done.detector
	ev := project.SystemEvent("keep classifiers", ws.ID.Object("runs", run), "")
	if asked.Context != nil && asked.Context.Redact {
		detector = nil // it was trained on words that no annotator would mark
	}
	err = s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		m := &modelStore{tx, run, map[greedy.Classifier]string{}}
		for _, choice := range done.result.Choices {
			if err := m.putChoice(choice, &greedy.Model{CRF: namer}); err != nil {
				return fmt.Errorf("keep classifiers of L/C %g: %w", choice.LC, err)
			}
		}
		return errors.Join(m.putTarget(done.target, &greedy.Model{CRF: namer}), s.training.PutDetector(tx, detector, run), dropOldRuns(tx, run))
	})
	if err == nil {
		s.training.UseDetector(ws.Workspace, detector, run)
	}
	return err
}

func (m *modelStore) putChoice(choice greedy.Choice, namer greedy.Classifier) error {
	var record ensembleRecord
	var err error
	if record.Namer, err = m.put(namer); err != nil {
		return err
	}
	for _, a := range choice.Classifiers {
		sum, err := m.put(a.Classifier)
		if err != nil {
			return err
		}
		record.Steps = append(record.Steps, stepRecord{a.Learner, sum, a.Threshold, a.Hard, a.Whole, a.Prices})
	}
	return store.PutJSON(m.tx, bucketEnsembles, ensembleKey(m.run, choice.LC), record)
}

func dropOldRuns(tx *store.Tx, newest int) error {
	for _, bucket := range []string{bucketEnsembles, bucketClassifiers} {
		if err := dropRuns(tx, bucket, func(run int) bool { return run <= newest-runsKept }); err != nil {
			return err
		}
	}
	return nil
}

// ForgottenWords state why no L/C of the run can be chosen, "" if one can.
func (r *Run) ForgottenWords() string {
	switch {
	case !r.Removed.IsZero():
		return fmt.Sprintf("run %d has no classifiers any more: notes that it was trained on were removed on %s", r.Number, r.Removed.Format("2 Jan 2006"))
	case r.Forgotten:
		return tooOld(r.Number)
	}
	return ""
}

func tooOld(run int) string {
	return fmt.Sprintf("run %d is too old: only the newest %d runs keep their classifiers", run, runsKept)
}

// enterForgotten sets in runs whether their classifiers are deleted.
func (s *Service) enterForgotten(ws *workspace, runs []Run) error {
	kept := map[int]bool{}
	err := s.projects.View(ws.ID, func(tx *store.Tx) error {
		return tx.Keys(bucketEnsembles, nil, func(key []byte) error {
			kept[int(store.Number(key))] = true
			return nil
		})
	})
	for i := range runs {
		runs[i].Forgotten = runs[i].State == Finished && !kept[runs[i].Number]
	}
	return err
}

// dropRuns deletes entries of some runs from a bucket whose keys begin with the run
// number.
func dropRuns(tx *store.Tx, bucket string, old func(run int) bool) error {
	var keys [][]byte
	err := tx.Keys(bucket, nil, func(key []byte) error {
		if old(int(store.Number(key))) {
			keys = append(keys, slices.Clone(key))
		}
		return nil
	})
	for _, key := range keys {
		err = errors.Join(err, tx.Delete(bucket, key))
	}
	return err
}

// namer is a model that predicts labels, trained on the documents of the run with the
// project's dictionaries. Unlike the project's own model it starts from zero weights, so
// that equal documents give equal bundles.
func (s *Service) namer(ctx context.Context, ws *workspace, c project.Corpus) (*crf.Model, error) {
	s.sanitizeEvent(ws, c, greedy.Event{Doing: "training the model of placeholder labels", Share: shareAttuning}, foundAt{})
	lists, _, err := s.training.DictionaryLists(ws.ID)
	if err != nil {
		return nil, err
	}
	tables, _, err := s.training.ClassTables(ws.ID)
	if err != nil {
		return nil, err
	}
	model, _, err := crf.Train(ctx, c.Views(), crf.Options{Dictionaries: lists, Classes: tables})
	return model, err
}

// Choose freezes the result of a run for this L/C into a bundle and records the choice.
// The same choice again makes another bundle with the same content.
func (s *Service) Choose(ctx context.Context, by account.User, id project.ID, run int, lc float64) (Bundle, error) {
	ws, r, err := s.enterRun(by, account.Sanitize, id, run)
	if err != nil {
		return Bundle{}, err
	}
	i := slices.IndexFunc(r.Choices, func(c Result) bool { return c.LC == lc && c.Done })
	if i < 0 || r.State != Finished {
		return Bundle{}, project.Invalidf("wait for the run to finish, or choose one of its values", "run %d has no finished result for L/C %g", run, lc)
	}
	names := ws.Names()
	b, err := s.bundle(ws, r, r.Choices[i], lc, names)
	if err != nil {
		return Bundle{}, err
	}
	return s.keepBundle(ws, by, r, lc, b, names)
}

// excluded lists the labels that a policy does not redact.
func excluded(all annotate.LabelSet, policy publish.Policy) []annotate.Label {
	return slices.DeleteFunc(all.Labels(), func(l annotate.Label) bool { return slices.Contains(policy.Labels, l) })
}

// bundle assembles the classifiers of a choice that are stored under key. Its labels have their present names;
// the classifiers may be older.
func (s *Service) bundle(ws *workspace, r Run, choice Result, key float64, names *project.Names) (*publish.Bundle, error) {
	renames := names.Since(r.Names)
	b := &publish.Bundle{
		Policy: publish.Policy{Placeholder: publish.DefaultPlaceholder, Labels: policyLabels(ws.Labels(), r.Params.renamed(renames).Labels), Names: renames},
		Provenance: publish.Provenance{
			Tool: s.projects.Version(), Created: s.projects.Now().UTC(), Project: string(ws.ID), Run: r.Number, Mode: r.Params.Mode, LC: choice.LC, At: choice.raised(),
			Documents: r.Documents, Random: r.Random, Corpus: r.Corpus, Figures: choice.Outcome, Attuned: r.Attuned,
		},
	}
	b.Provenance.Validity = new(r.Validity(choice.LC))
	err := s.projects.View(ws.ID, func(tx *store.Tx) error {
		record, err := store.GetJSON[ensembleRecord](tx, bucketEnsembles, ensembleKey(r.Number, key))
		if errors.Is(err, store.ErrNotFound) {
			r.Forgotten = true
			return project.Invalidf("run it again", "%s", r.ForgottenWords())
		}
		if err != nil {
			return err
		}
		return fillBundle(tx, b, r.Number, record)
	})
	return b, err
}

func policyLabels(all annotate.LabelSet, chosen []annotate.Label) []annotate.Label {
	if chosen != nil {
		return chosen
	}
	return all.Labels()
}

func fillBundle(tx *store.Tx, b *publish.Bundle, run int, record ensembleRecord) error {
	known := map[string]greedy.Classifier{}
	load := func(sum string) (greedy.Classifier, error) {
		if known[sum] != nil {
			return known[sum], nil
		}
		raw, err := tx.Get(bucketClassifiers, classifierKey(run, sum))
		if err != nil {
			return nil, err
		}
		known[sum], err = learners.Decode(raw)
		return known[sum], err
	}
	namer, err := load(record.Namer)
	if err != nil {
		return err
	}
	model, ok := namer.(*greedy.Model)
	if !ok {
		return fmt.Errorf("run %d has no model of labels", run)
	}
	b.Namer = model.CRF
	for _, step := range record.Steps {
		classifier, err := load(step.Model)
		if err != nil {
			return err
		}
		b.Ensemble = append(b.Ensemble, greedy.Accepted{Learner: step.Learner, Classifier: classifier, Threshold: step.Threshold, Prices: step.Prices, Hard: step.Hard, Whole: step.Whole})
	}
	return nil
}

func (s *Service) keepBundle(ws *workspace, by account.User, r Run, lc float64, b *publish.Bundle, names *project.Names) (Bundle, error) {
	var raw bytes.Buffer
	if err := b.Encode(&raw); err != nil {
		return Bundle{}, fmt.Errorf("encode the bundle: %w", err)
	}
	hash := sha256.Sum256(raw.Bytes())
	info := Bundle{Run: r.Number, LC: lc, Created: s.projects.Now().UTC(), Rounds: len(b.Ensemble), SHA256: hex.EncodeToString(hash[:]), Bytes: raw.Len(), Excluded: excluded(ws.Labels(), b.Policy), Names: names.Version(), Target: b.Provenance.Target}
	err := s.projects.Transact(ws.ID, func(tx *store.Tx) error {
		r, err := store.GetJSON[Run](tx, bucketRuns, store.Key(uint64(r.Number)))
		if err != nil {
			return err
		}
		if !r.Removed.IsZero() { // since the bundle was assembled
			return project.Invalidf("run it again", "%s", r.ForgottenWords())
		}
		n, err := tx.Next(bucketBundles)
		if err != nil {
			return err
		}
		info.Number, r.Chosen = int(n), lc
		return errors.Join(
			store.PutJSON(tx, bucketBundles, store.Key(n), info),
			tx.Put(bucketBundleRaw, store.Key(n), raw.Bytes()),
			putRun(tx, r),
			tx.Audit(project.EventBy(by, "choose", ws.ID.Object("bundles", n), fmt.Sprintf("run %d, L/C %s, %s", r.Number, b.Provenance.Ratio(), info.SHA256))),
		)
	})
	s.tellRuns(ws.ID)
	s.projects.Tell(ws.ID, project.TopicPublish)
	return info, err
}

// Bundles lists the bundles, newest first.
func (s *Service) Bundles(ctx context.Context, by account.User, id project.ID) ([]Bundle, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, err
	}
	all, err := s.StoredBundles(id)
	slices.Reverse(all)
	names, labels := ws.Names(), ws.Labels()
	for i := range all {
		all[i].Excluded, all[i].Names = all[i].ExcludedNow(names, labels), names.Version()
	}
	return all, err
}

// StoredBundles are the bundles of a project that can be used, oldest first.
func (s *Service) StoredBundles(id project.ID) ([]Bundle, error) {
	all, err := project.ListJSON[Bundle](s.projects, id, bucketBundles)
	return slices.DeleteFunc(all, func(b Bundle) bool { return !b.Removed.IsZero() }), err
}

// WriteBundle writes a bundle file. It contains words of the training notes, including
// names, so it is as sensitive as the notes.
func (s *Service) WriteBundle(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error {
	if _, err := s.enter(by, account.ManageWork, id); err != nil {
		return err
	}
	ev := project.EventBy(by, "download bundle", id.Object("bundles", number))
	err := s.projects.HandOut(id, bucketBundleRaw, number, ev, w)
	if errors.Is(err, store.ErrNotFound) {
		return project.NotFoundf("project %s has no redaction model %d", id, number)
	}
	return err
}

// StoredBundle describes a stored bundle.
func (s *Service) StoredBundle(id project.ID, number int) (Bundle, error) {
	info, err := project.GetJSON[Bundle](s.projects, id, bucketBundles, store.Key(uint64(number)))
	if errors.Is(err, store.ErrNotFound) {
		return info, project.NotFoundf("project %s has no redaction model %d", id, number)
	}
	if err == nil && !info.Removed.IsZero() {
		return info, &project.Error{Kind: project.NotFound, Message: fmt.Sprintf("redaction model %d was deleted on %s, because notes that it was trained on were removed", number, info.Removed.Format("2 Jan 2006")),
			Hint: "start a new run and choose an L/C there"}
	}
	return info, err
}

// OpenBundle reads a stored bundle.
func (s *Service) OpenBundle(id project.ID, number int) (*publish.Bundle, Bundle, error) {
	info, err := s.StoredBundle(id, number)
	if err != nil {
		return nil, info, err
	}
	raw, err := project.Read(s.projects, id, func(tx *store.Tx) ([]byte, error) { return tx.Get(bucketBundleRaw, store.Key(uint64(number))) })
	if err != nil {
		return nil, info, err
	}
	b, err := publish.Decode(bytes.NewReader(raw))
	return b, info, err
}

// detectorIn returns the detector of a run's result, nil if there is none. Trees alone
// are not a detector.
func detectorIn(result *greedy.Result) greedy.Classifier {
	for _, choice := range result.Choices {
		for _, a := range choice.Classifiers {
			if d, ok := a.Classifier.(*detect.Classifier); ok && d.Parts()&detect.SecondStage != 0 {
				return a.Classifier
			}
		}
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package training

import (
	"cmp"
	"context"
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/rules"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/store"
)

// Who suggests? A model whose measured recall has reached the project's level. Until
// there is one, rules suggest labels for which their recall, measured on the finished
// notes, has reached the level. Nothing unmeasured is shown, unless the level is 0. Known
// identifiers, which structured data gives, are always suggested; see suggestKnown.

// slack is how far the recall of a model may fall below the level before its suggestions
// are hidden again. A check is a sample, and suggestions that appear and disappear with
// each note are worse than either.
const slack = 0.05

// rulesFrom is in how many finished documents a label must occur before its recall is
// meaningful.
const rulesFrom = 3

// passes reports whether the model's suggestions are shown at this level.
func (m modelInfo) passes(level float64) bool {
	switch {
	case level == 0:
		return true
	case m.Scores.Documents == 0:
		return false
	case m.Shown:
		level -= slack
	}
	return m.Scores.Recall.Value >= level
}

// rulesState is the measured recall of the rules on the finished notes.
type rulesState struct {
	Revisions string       `json:"revisions"` // fingerprint of the notes
	Guide     rules.Guide  `json:"guide"`
	Labels    []RuleRecall `json:"labels"` // most recall first
}

var modelRulesKey = []byte("rules")

func (ws *workspace) readRules(tx *store.Tx) error {
	var err error
	ws.rules, err = store.FindJSON[rulesState](tx, bucketModels, modelRulesKey)
	return err
}

// found returns what the rules find in a document.
func (ws *workspace) found(doc annotate.DocumentID, text string) []rules.Finding {
	return ws.cached(&ws.findings, doc, func() []rules.Finding { return rules.Find(text) })
}

// cached returns what find finds in a document, from the cache if it is there: documents
// never change. cache is guarded by mu.
func (ws *workspace) cached(cache *map[annotate.DocumentID][]rules.Finding, doc annotate.DocumentID, find func() []rules.Finding) []rules.Finding {
	ws.mu.RLock()
	found, known := (*cache)[doc]
	ws.mu.RUnlock()
	if known {
		return found
	}
	found = find()
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if *cache == nil || len(*cache) >= tagCacheLimit {
		*cache = map[annotate.DocumentID][]rules.Finding{}
	}
	(*cache)[doc] = found
	return found
}

// measureRules measures the rules on the finished notes, if rules are enabled and not
// measured yet.
func (s *Service) measureRules(ctx context.Context, ws *workspace, c project.Corpus) error {
	ws.mu.RLock()
	labels, wanted, known := ws.Labels(), ws.Settings().Rules && !ws.model.info.Shown, ws.rules.Revisions == c.Revisions
	ws.mu.RUnlock()
	if !wanted || known {
		return ctx.Err()
	}
	finished := make([]rules.Searched, len(c.Docs))
	for i, d := range c.Docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		finished[i] = rules.Searched{Note: new(annotate.NewNote(d.Annotated)), Found: ws.found(d.ID, d.Text)}
	}
	found := rulesState{Revisions: c.Revisions, Guide: rules.Learn(finished)}
	for label, shares := range found.Guide.Recall(labels, finished) {
		if r := ruleRecall(label, c.Groups(), shares); r.Recall.Value > 0 {
			found.Labels = append(found.Labels, r)
		}
	}
	slices.SortFunc(found.Labels, func(a, b RuleRecall) int {
		return cmp.Or(cmp.Compare(b.Recall.Value, a.Recall.Value), cmp.Compare(a.Label, b.Label))
	})
	ev := project.SystemEvent("measure rules", ws.ID.Object("models"), "")
	if err := s.projects.Update(ws.ID, ev, func(tx *store.Tx) error { return store.PutJSON(tx, bucketModels, modelRulesKey, found) }); err != nil {
		return err
	}
	ws.mu.Lock()
	ws.rules = found
	ws.mu.Unlock()
	s.projects.TellDocument(ws.ID, 0)
	return ctx.Err()
}

func ruleRecall(label annotate.Label, groups []string, shares []rules.Share) RuleRecall {
	r, number := RuleRecall{Label: label}, map[string]int{}
	var part, whole []float64
	for i, s := range shares {
		g, known := number[groups[i]]
		if !known {
			g = len(part)
			number[groups[i]] = g
			part, whole = append(part, 0), append(whole, 0)
		}
		part[g] += float64(s.Found)
		whole[g] += float64(s.All)
		if s.All > 0 {
			r.Documents++
		}
	}
	r.Recall, _ = greedy.ShareEstimate(part, whole, checkSeed)
	return r
}

// ruleLabels lists the labels that rules may suggest. The caller holds ws.mu.
func (ws *workspace) ruleLabels() annotate.LabelSet {
	if !ws.Settings().Rules || ws.model.model != nil && ws.model.info.Shown {
		return nil
	}
	if ws.Settings().MinRecall == 0 {
		return ws.AllNames()
	}
	var allowed annotate.LabelSet
	for _, r := range ws.rules.Labels {
		if r.reaches(ws.Settings().MinRecall) {
			allowed = allowed.With(r.Label)
		}
	}
	return allowed
}

func (r RuleRecall) reaches(level float64) bool {
	return r.Documents >= rulesFrom && r.Recall.Value >= level
}

// Suggest implements [project.Model].
func (ws *workspace) Suggest(doc annotate.DocumentID, d annotate.Document) []annotate.Suggestion {
	return withKnown(ws.suggestKnown(doc, d), ws.suggestFound(doc, d))
}

// suggestFound are the suggestions of the model or of rules.
func (ws *workspace) suggestFound(doc annotate.DocumentID, d annotate.Document) []annotate.Suggestion {
	ws.mu.RLock()
	model, labels, guide := ws.model.model != nil && ws.model.info.Shown, ws.ruleLabels(), ws.rules.Guide
	all := ws.AllNames() // the measured rules know labels by the names of their time
	ws.mu.RUnlock()
	if model {
		return ws.suggest(doc, d)
	}
	if len(labels) == 0 {
		return nil
	}
	return slices.DeleteFunc(guide.Suggest(all, ws.found(doc, d.Text)), func(s annotate.Suggestion) bool { return !labels.Has(s.Span.Label) })
}

// offer says which suggestions are shown, and what the others wait for. The caller holds
// ws.mu.
func (ws *workspace) offer() Offer {
	_, patients, _ := ws.FinishedCounts()
	o := Offer{Level: ws.Settings().MinRecall, Model: ws.model.model != nil && ws.model.info.Shown, Rules: ws.Settings().Rules, Patients: patients}
	if !o.Rules || o.Model {
		return o
	}
	for _, r := range ws.rules.Labels {
		r.Shown = r.reaches(o.Level)
		o.ByRules = append(o.ByRules, r)
	}
	return o
}

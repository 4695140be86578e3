// SPDX-License-Identifier: Apache-2.0

package training

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/known"
	"hide/internal/annotate/rules"
	"hide/internal/project"
	"hide/internal/store"
)

// What structured data says of people is suggested wherever a note has it, at any level of
// recall: it is not a guess of a model. It wins over rules. A model may refine it: its span
// is shown instead where it covers the whole occurrence.

// knownState says which labels people gave to known identifiers in finished notes.
type knownState struct {
	Revisions string      `json:"revisions"` // fingerprint of the notes
	Guide     rules.Guide `json:"guide"`     // the kinds are labels of identities
}

var modelKnownKey = []byte("known identifiers")

func (ws *workspace) readKnown(tx *store.Tx) error {
	var err error
	ws.identified, err = store.FindJSON[knownState](tx, bucketModels, modelKnownKey)
	return err
}

// knownIn returns where the identities of a document stand, the kind being the label of the
// identity.
func (ws *workspace) knownIn(doc annotate.DocumentID, d annotate.Document) []rules.Finding {
	if len(d.About()) == 0 {
		return nil
	}
	ws.mu.Lock()
	if links := ws.Links().Version; ws.linked != links {
		ws.linked, ws.occurrences = links, nil
	}
	ws.mu.Unlock()
	return ws.cached(&ws.occurrences, doc, func() (found []rules.Finding) {
		for _, m := range known.Find(d.Text, d.About()) {
			found = append(found, rules.Finding{Start: m.Span.Start, End: m.Span.End, Kind: rules.Kind(m.Span.Label)})
		}
		return found
	})
}

// learnKnown counts the labels that people gave to known identifiers in the finished notes,
// unless it has done so for these notes.
func (s *Service) learnKnown(ctx context.Context, ws *workspace, c project.Corpus) error {
	ws.mu.RLock()
	done := ws.identified.Revisions == c.Revisions
	ws.mu.RUnlock()
	if done || !slices.ContainsFunc(c.Docs, func(d project.StoredNote) bool { return len(d.About()) > 0 }) {
		return ctx.Err()
	}
	finished := make([]rules.Searched, len(c.Docs))
	for i, d := range c.Docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		finished[i] = rules.Searched{Note: &annotate.Note{Spans: d.Spans}, Found: ws.knownIn(d.ID, d.Document)}
	}
	found := knownState{Revisions: c.Revisions, Guide: rules.Learn(finished)}
	ev := project.SystemEvent("count known identifiers", ws.ID.Object("models"), "")
	if err := s.projects.Update(ws.ID, ev, func(tx *store.Tx) error { return store.PutJSON(tx, bucketModels, modelKnownKey, found) }); err != nil {
		return err
	}
	ws.mu.Lock()
	ws.identified = found
	ws.mu.Unlock()
	s.projects.TellDocument(ws.ID, 0)
	return nil
}

// Counts of a label of identities, added to those of finished notes: occurrences, and those
// that people marked. Nearly all of them are right in every project.
const (
	priorKnown       = 20
	priorKnownMarked = 19
)

// leastKnown is the share of occurrences that people marked from which the label of an
// identity is suggested.
const leastKnown = 0.5

// knownLabel is the project's label for a label of identities, and the share of occurrences
// that people marked: the label that they gave most often, or the usual one. ok is false if
// no label fits or most occurrences were not marked.
func knownLabel(g rules.Guide, kind rules.Kind, labels annotate.LabelSet) (label annotate.Label, right float64, ok bool) {
	e, marked := g[kind], 0
	for _, l := range slices.Sorted(maps.Keys(e.Labels)) {
		marked += e.Labels[l]
		if labels.Has(l) && (label == "" || e.Labels[l] > e.Labels[label]) {
			label = l
		}
	}
	if label == "" {
		if label, ok = known.LabelIn(labels.Labels(), annotate.Label(kind)); !ok {
			return "", 0, false
		}
	}
	right = float64(marked+priorKnownMarked) / float64(e.Found+priorKnown)
	return label, right, right >= leastKnown
}

// suggestKnown are the suggestions of known identifiers in a document.
func (ws *workspace) suggestKnown(doc annotate.DocumentID, d annotate.Document) []annotate.Suggestion {
	found := ws.knownIn(doc, d)
	if len(found) == 0 {
		return nil
	}
	ws.mu.RLock()
	guide, labels := ws.identified.Guide, ws.AllNames()
	ws.mu.RUnlock()
	var out []annotate.Suggestion
	for _, f := range found {
		if label, right, ok := knownLabel(guide, f.Kind, labels); ok {
			out = append(out, annotate.Suggestion{Span: annotate.Span{Start: f.Start, End: f.End, Label: label}, Score: right, Known: true})
		}
	}
	return joinedKnown(d.Text, out)
}

// joinedKnown joins neighbours of one label with only a blank or comma between them: a given
// name and a family name that were found one by one are one name.
func joinedKnown(text string, all []annotate.Suggestion) []annotate.Suggestion {
	var out []annotate.Suggestion
	for _, s := range all {
		if n := len(out); n > 0 && out[n-1].Span.Label == s.Span.Label && text[out[n-1].Span.End:s.Span.Start] == " " {
			out[n-1].Span.End = s.Span.End
			continue
		}
		out = append(out, s)
	}
	return out
}

// withKnown adds known identifiers to the suggestions of a model or of rules. Both are in
// text order and without overlap. Where two overlap, the known one is shown, unless a model
// covers all of it.
func withKnown(known, others []annotate.Suggestion) []annotate.Suggestion {
	if len(known) == 0 {
		return others
	}
	keep := make([]bool, len(known))
	var out []annotate.Suggestion
	for i := range keep {
		keep[i] = true
	}
	at := 0
	for _, o := range others {
		for at < len(known) && known[at].Span.End <= o.Span.Start {
			at++
		}
		overlaps, covers := false, o.Model > 0
		for i := at; i < len(known) && known[i].Span.Start < o.Span.End; i++ {
			overlaps = true
			covers = covers && o.Span.Start <= known[i].Span.Start && known[i].Span.End <= o.Span.End
		}
		if overlaps && !covers {
			continue
		}
		for i := at; i < len(known) && known[i].Span.Start < o.Span.End; i++ {
			keep[i] = false
		}
		out = append(out, o)
	}
	for i, k := range known {
		if keep[i] {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b annotate.Suggestion) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	return out
}

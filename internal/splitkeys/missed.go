// SPDX-License-Identifier: Apache-2.0

package splitkeys

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/annotate/known"
	"hide/internal/annotate/rules"
	"hide/internal/project/links"
)

// Stage is what is true before linkage or after a pass.
type Stage struct {
	Name      string  `json:"name"`
	Patients  int     `json:"patients"` // that records are counted as
	Links     int64   `json:"links"`    // pairs of records
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	Estimated float64 `json:"estimated_recall"` // by the linkage, without the truth; 0 before it
	Known     int     `json:"known"`            // places in all notes where known identifiers stand
	All       Missed  `json:"all"`              // in the notes that the model was not trained on
	Split     Missed  `json:"split"`            // in those of people with several keys
}

// Missed counts the tokens of identifiers that are not found. The model is that from before
// linkage, so that stages differ in what is known only.
type Missed struct {
	Tokens      int `json:"tokens"` // of identifiers
	Known       int `json:"missed_by_known"`
	KnownRules  int `json:"missed_by_known_and_rules"`
	WithAModel  int `json:"missed_with_a_model"`
	PatientOnly int `json:"missed_names_of_patients"` // with a model: tokens with the label PATIENT
}

func (t *trial) measure(ctx context.Context, name string) (Stage, error) {
	docs, ws, err := t.documents(ctx)
	if err != nil {
		return Stage{}, err
	}
	pairs := t.pairs(docs)
	s := Stage{Name: name, Links: pairs.Linked, Precision: pairs.Precision(), Recall: pairs.Recall(), F1: pairs.F1()}
	f, err := links.FiguresOf(ws)
	if err != nil {
		return s, err
	}
	if f != nil {
		s.Estimated = f.Recall
	}
	if t.suggested == nil {
		t.suggested = map[annotate.DocumentID][]annotate.Suggestion{}
		for _, d := range docs {
			t.suggested[d.ID] = ws.Model().Suggest(d.ID, d.Document)
		}
	}
	patients := map[string]bool{}
	for _, d := range docs {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		patients[d.Group()] = true
		matches := known.Find(d.Text, d.About())
		s.Known += len(matches)
		person := t.truth[d.Name]
		if t.trained[person] {
			continue
		}
		m := missedIn(t.notes[d.Name], matches, t.suggested[d.ID])
		s.All.add(m)
		if t.split[person] {
			s.Split.add(m)
		}
	}
	s.Patients = len(patients)
	return s, nil
}

// missedIn counts the tokens of a note that known identifiers, rules and the model do not find.
func missedIn(gold annotate.Annotated, matches []known.Match, suggested []annotate.Suggestion) Missed {
	n := annotate.NewNote(gold)
	covered := make([]bool, len(n.Tokens))
	cover := func(s annotate.Span) {
		from, to := annotate.Covered(n.Tokens, s)
		for i := from; i < to; i++ {
			covered[i] = true
		}
	}
	m := Missed{}
	for _, sensitive := range n.Sensitive {
		if sensitive {
			m.Tokens++
		}
	}
	open := func(label annotate.Label) (count int) {
		for i, sensitive := range n.Sensitive {
			if sensitive && !covered[i] && (label == "" || n.Labels[i] == label) {
				count++
			}
		}
		return count
	}
	for _, f := range matches {
		cover(f.Span)
	}
	m.Known = open("")
	for _, f := range rules.Find(gold.Text) {
		cover(annotate.Span{Start: f.Start, End: f.End})
	}
	m.KnownRules = open("")
	for _, s := range suggested {
		cover(s.Span)
	}
	m.WithAModel, m.PatientOnly = open(""), open("PATIENT")
	return m
}

func (m *Missed) add(o Missed) {
	m.Tokens += o.Tokens
	m.Known += o.Known
	m.KnownRules += o.KnownRules
	m.WithAModel += o.WithAModel
	m.PatientOnly += o.PatientOnly
}

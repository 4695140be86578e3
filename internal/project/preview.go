// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
)

// ImportPreview is what an import would bring into a project. It holds the beginnings of
// notes.
type ImportPreview struct {
	format.Preview
	Known   int           `json:"known"`   // notes whose ids the project has; they are among the refused
	Mapped  []MappedLabel `json:"mapped"`  // the labels of the spans, by frequency
	Mapping int           `json:"mapping"` // version of the project's mapping; 0 for none
	By      string        `json:"-"`       // who made this version
}

// MappedLabel is a label of the files and what it becomes.
type MappedLabel struct {
	format.LabelCount
	To       annotate.Label `json:"to"`                 // "" if its spans are dropped
	New      bool           `json:"new"`                // the project does not have To yet
	Decided  bool           `json:"decided"`            // by the mapping
	Proposed annotate.Label `json:"proposed,omitempty"` // by its name; nobody has decided yet
}

// Preview says what [Service.Import] would bring, and changes nothing. It reads on after
// refused records, to list all of them.
func (s *Service) Preview(ctx context.Context, by account.User, id ID, files []format.File, opts ImportOptions) (ImportPreview, error) {
	ws, err := s.Enter(by, account.ManageWork, id)
	if err != nil {
		return ImportPreview{}, err
	}
	mapping, err := s.relabel(ws, opts)
	if err != nil {
		return ImportPreview{}, err
	}
	p := ImportPreview{Mapping: mapping.kept.Version, By: s.PersonName(mapping.kept.By)}
	opts.SkipBad = true
	seen := 0
	p.Preview, err = format.Look(ctx, files, opts.Options, func(d annotate.Annotated) error {
		if seen++; opts.Progress != nil {
			opts.Progress(seen)
		}
		err := s.refuseKnown(ws, d.Name)
		if problem := (*format.Problem)(nil); errors.As(err, &problem) {
			p.Known++
		}
		return err
	})
	p.Mapped = ws.mapped(p.Preview.Labels, mapping)
	return p, err
}

// mapped says what each label becomes, under the present names of the project's labels.
func (ws *Workspace) mapped(counts []format.LabelCount, r *relabel) []MappedLabel {
	names, own := ws.Names(), ws.Labels()
	out := []MappedLabel{}
	for _, c := range counts {
		m := MappedLabel{LabelCount: c}
		m.To, m.Decided = r.pairs.Pairs[c.Label]
		if !m.Decided {
			m.To = c.Label
		}
		m.To = names.Present().Of(m.To)
		m.New = m.To != "" && !own.Has(m.To)
		if m.New && !m.Decided {
			m.Proposed = labels.Suggest([]annotate.Label{c.Label}, r.target).Pairs[c.Label]
		}
		if r.suggest && m.Proposed != "" {
			m.To, m.New = m.Proposed, false
		}
		out = append(out, m)
	}
	return out
}

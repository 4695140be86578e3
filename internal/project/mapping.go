// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/labels"
	"hide/internal/store"
)

// bucketMappings has the versions of a project's mapping: version -> LabelMapping.
const bucketMappings = "label-mappings"

// LabelMapping is one version of what labels of imported files become in a project. Each
// import that decides something new adds a version; none is ever changed.
type LabelMapping struct {
	Version int                               `json:"version"`
	At      time.Time                         `json:"at"`
	By      string                            `json:"by"` // account; in lists, the name of the person
	Pairs   map[annotate.Label]annotate.Label `json:"labels"`
}

// Mappings lists the versions of the project's mapping, newest first.
func (s *Service) Mappings(_ context.Context, by account.User, id ID) ([]LabelMapping, error) {
	if _, err := s.Enter(by, account.ManageWork, id); err != nil {
		return nil, err
	}
	all, err := ListJSON[LabelMapping](s, id, bucketMappings)
	for i := range all {
		all[i].By = s.PersonName(all[i].By)
	}
	slices.Reverse(all)
	return all, err
}

// newestMapping is the last version; version 0 without pairs before the first.
func (s *Service) newestMapping(id ID) (newest LabelMapping, err error) {
	all, err := ListJSON[LabelMapping](s, id, bucketMappings)
	if err == nil && len(all) > 0 {
		newest = all[len(all)-1]
	}
	return newest, err
}

// relabel is the mapping of one import, as its options choose it.
type relabel struct {
	kept    LabelMapping // of the project, before the import
	pairs   labels.Mapping
	suggest bool
	changed labels.Changed
	target  annotate.LabelSet // labels that a proposal may name
}

// relabel chooses the mapping of an import: the given one, otherwise that of the project.
func (s *Service) relabel(ws *Workspace, opts ImportOptions) (*relabel, error) {
	kept, err := s.newestMapping(ws.ID)
	if err != nil {
		return nil, err
	}
	r := &relabel{kept: kept, suggest: opts.Suggest, changed: labels.Changed{}, target: ws.Names().Offered(ws.Labels())}
	r.pairs.Pairs = maps.Clone(kept.Pairs)
	if opts.Map != nil {
		if err := opts.Map.Check(); err != nil {
			return nil, Invalidf("look at the mapping of the labels", "%v", err)
		}
		r.pairs.Pairs = maps.Clone(opts.Map.Pairs)
	}
	if r.pairs.Pairs == nil {
		r.pairs.Pairs = map[annotate.Label]annotate.Label{}
	}
	return r, nil
}

// document maps the spans of a note. With suggest it first looks for a proposal for labels
// without a decision.
func (r *relabel) document(d annotate.Annotated) annotate.Annotated {
	for _, span := range d.Spans {
		if _, decided := r.pairs.Pairs[span.Label]; r.suggest && !decided {
			if to, found := labels.Suggest([]annotate.Label{span.Label}, r.target).Pairs[span.Label]; found {
				r.pairs.Pairs[span.Label] = to
			}
		}
	}
	return r.pairs.Document(d, r.changed)
}

// keep stores a new version of the project's mapping if the import decided something new,
// and returns the version that the import used.
func (r *relabel) keep(tx *store.Tx, by account.User, at time.Time) (int, error) {
	next := LabelMapping{Version: r.kept.Version + 1, At: at, By: by.ID, Pairs: maps.Clone(r.kept.Pairs)}
	if next.Pairs == nil {
		next.Pairs = map[annotate.Label]annotate.Label{}
	}
	maps.Copy(next.Pairs, r.pairs.Pairs)
	if maps.Equal(next.Pairs, r.kept.Pairs) {
		return r.kept.Version, nil
	}
	return next.Version, store.PutJSON(tx, bucketMappings, store.Key(uint64(next.Version)), next)
}

// lines says what was renamed and dropped.
func (r *relabel) lines() []string {
	lines := r.changed.Lines()
	if len(lines) > labelsListed {
		lines = append(lines[:labelsListed], fmt.Sprintf("and %d more labels were renamed or dropped", len(lines)-labelsListed))
	}
	return lines
}

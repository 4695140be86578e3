// SPDX-License-Identifier: Apache-2.0

package project

import (
	"slices"
	"time"

	"hide/internal/annotate"
)

// A LabelChange is a rename or a merge of labels. A project keeps all of them, in order.
type LabelChange struct {
	From  annotate.Label `json:"from"`
	To    annotate.Label `json:"to"`
	Merge bool           `json:"merge,omitempty"` // From became part of To, which stays
	Place int            `json:"place,omitempty"` // of From among the labels, before a merge
	At    time.Time      `json:"at"`
}

// Names are the renames, merges and retirements of a project's labels at one moment. Layers,
// models and redaction models keep the names of their time and are mapped where they are
// read: a rename is one small record, however many notes there are. A Names never changes,
// so two of them are the same moment if their pointers are equal.
type Names struct {
	changes []LabelChange
	present annotate.Renames
	retired []annotate.Label
}

func newNames(p Project) *Names {
	n := &Names{changes: p.Renamed, retired: p.Retired}
	n.present = n.Since(0)
	return n
}

// Version is how many renames and merges there were. Records that hold labels keep it.
func (n *Names) Version() int { return len(n.changes) }

// keyed makes a key that differs after a rename or merge too: a page has to show the note
// again even if it has no suggestions.
func (n *Names) keyed(suggestions uint64) uint64 {
	return suggestions + uint64(n.Version())*0x9e3779b97f4a7c15
}

// Present gives the present name of every name that a label ever had.
func (n *Names) Present() annotate.Renames { return n.present }

// Since gives the present name of each label of a version.
func (n *Names) Since(version int) annotate.Renames {
	var out annotate.Renames
	for _, c := range n.changes[min(version, len(n.changes)):] {
		if out == nil {
			out = annotate.Renames{}
		}
		for was, now := range out {
			if now == c.From {
				out[was] = c.To
			}
		}
		if _, known := out[c.From]; !known {
			out[c.From] = c.To
		}
	}
	for was, now := range out {
		if was == now { // renamed, and renamed back
			delete(out, was)
		}
	}
	return out
}

// Sources lists the labels of a version that are now part of this label. The first is the
// label itself under its name at that time.
func (n *Names) Sources(now annotate.Label, version int) []annotate.Label {
	sources := []annotate.Label{now}
	for _, c := range slices.Backward(n.changes[min(version, len(n.changes)):]) {
		at := slices.Index(sources, c.To)
		switch {
		case at < 0:
		case c.Merge:
			sources = append(sources, c.From)
		default:
			sources[at] = c.From
		}
	}
	return sources
}

// Follow gives the present name of what was called l at a time, and whether it took part in a
// merge since.
func (n *Names) Follow(l annotate.Label, at time.Time) (now annotate.Label, merged bool) {
	now = l
	for _, c := range n.changes {
		if c.At.Before(at) || c.From != now && !(c.Merge && c.To == now) {
			continue
		}
		now, merged = c.To, merged || c.Merge
	}
	return now, merged
}

// Earlier lists the names that a label had before, and those of labels merged into it.
func (n *Names) Earlier(now annotate.Label) []annotate.Label {
	var all []annotate.Label
	for was, is := range n.present {
		if is == now {
			all = append(all, was)
		}
	}
	slices.Sort(all)
	return all
}

// Places numbers the labels from 0, in the order in which they came. Retired and merged
// labels keep their places, so that no other label ever gets another number: annotators know
// a label by the colour that pages give to its place.
func (n *Names) Places(all annotate.LabelSet) map[annotate.Label]int {
	labels := all.Labels()
	for _, c := range slices.Backward(n.changes) {
		if c.Merge {
			labels = slices.Insert(labels, min(c.Place, len(labels)), "")
		}
	}
	places := make(map[annotate.Label]int, len(all))
	for i, l := range labels {
		if l != "" {
			places[l] = i
		}
	}
	return places
}

// Retired reports whether a label is not offered for new spans.
func (n *Names) Retired(l annotate.Label) bool { return slices.Contains(n.retired, l) }

// Offered are the labels that are not retired.
func (n *Names) Offered(all annotate.LabelSet) annotate.LabelSet {
	if len(n.retired) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(i annotate.LabelInfo) bool { return n.Retired(i.Label) })
}

// offers refuses an edit that would make new spans with a retired label. Spans that have one
// can be moved, removed and restored.
func (n *Names) offers(e annotate.Edit) error {
	var fresh []annotate.Label
	switch e.Verb {
	case annotate.VerbTag, annotate.VerbTagAll:
		for _, s := range e.Spans {
			fresh = append(fresh, s.Label)
		}
	case annotate.VerbAccept:
		for _, s := range e.Suggestions {
			fresh = append(fresh, s.Span.Label)
		}
	case annotate.VerbRelabel:
		fresh = append(fresh, e.Label)
	}
	if at := slices.IndexFunc(fresh, n.Retired); at >= 0 {
		return Invalidf("choose another label; the labels are up to date when you open the note again", "the label %s is retired: new spans cannot have it", fresh[at])
	}
	return nil
}

// suggestions are a model's suggestions under present labels, without retired ones.
func (n *Names) suggestions(all []annotate.Suggestion) []annotate.Suggestion {
	all = n.present.Suggestions(all)
	if len(n.retired) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(s annotate.Suggestion) bool { return n.Retired(s.Span.Label) })
}

// Names are the names of the labels now.
func (ws *Workspace) Names() *Names { return ws.names.Load() }

// setNames is called when the project's record is read or replaced.
func (ws *Workspace) setNames() { ws.names.Store(newNames(ws.info)) }

// AllNames are the labels of the project and all their earlier names, for models that know
// labels by an earlier name.
func (ws *Workspace) AllNames() annotate.LabelSet {
	labels, names := ws.Labels(), ws.Names()
	for _, l := range labels.Labels() {
		labels = labels.With(names.Earlier(l)...)
	}
	return labels
}

// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/store"
	"hide/internal/words"
)

// RenameLabel gives a label another name. Spans of all notes, finished or not, show the new
// name. The old name stays an alias: files, models and pages that still use it mean the
// label. Renaming back undoes it. seen is the [Labels.Version] that the person saw.
func (s *Service) RenameLabel(ctx context.Context, by account.User, id ID, seen int, from, to annotate.Label) error {
	return s.changeLabels(ctx, by, id, seen, from, func(p *Project, n *Names) (string, error) {
		if err := mayRename(*p, n, from, to); err != nil {
			return "", err
		}
		p.Labels, p.Retired = slices.Clone(p.Labels), slices.Clone(p.Retired)
		p.Labels[p.Labels.Index(from)].Label = to
		if at := slices.Index(p.Retired, from); at >= 0 {
			p.Retired[at] = to
		}
		p.rename(LabelChange{From: from, To: to, At: s.opts.Now().UTC()})
		return fmt.Sprintf("rename label %s to %s", from, to), nil
	})
}

func mayRename(p Project, n *Names, from, to annotate.Label) error {
	switch now := n.present.Of(to); {
	case annotate.CheckLabel(to) != nil:
		return Invalidf("enter a letter, then up to 63 letters, digits, “_”, “.” or “-”", "the new name cannot be the name of a label")
	case to == from:
		return Invalidf("enter another name", "the label already has this name")
	case p.Labels.Has(to):
		return Invalidf("enter another name, or merge the two labels", "the project already has a label %s", to)
	case now != to && now != from:
		return Invalidf("enter another name", "%s is an earlier name of the label %s, and files and models that use it mean that label", to, now)
	}
	return nil
}

// rename records a rename or a merge.
func (p *Project) rename(c LabelChange) { p.Renamed = append(slices.Clip(p.Renamed), c) }

// MergeLabel makes a label part of another. Its spans get the other label, and its name
// becomes an alias. Spans of one note never overlap, so none is lost and none is joined with
// a neighbour. It cannot be undone, so typed confirms it: the name of the label that
// disappears.
func (s *Service) MergeLabel(ctx context.Context, by account.User, id ID, seen int, from, into annotate.Label, typed string) error {
	return s.changeLabels(ctx, by, id, seen, from, func(p *Project, n *Names) (string, error) {
		switch {
		case from == into:
			return "", Invalidf("choose another label", "a label cannot be merged into itself")
		case !p.Labels.Has(into):
			return "", Invalidf("choose a label of the list", "the project has no such label to merge into")
		case n.Retired(into):
			return "", Invalidf("bring it back first, or choose another label", "the label %s is retired", into)
		case !Confirms(string(from), typed):
			return "", Invalidf("type the name of the label that disappears, as it is shown", "the confirmation does not match")
		}
		p.rename(LabelChange{From: from, To: into, Merge: true, Place: p.Labels.Index(from), At: s.opts.Now().UTC()})
		p.Labels = slices.DeleteFunc(slices.Clone(p.Labels), func(i annotate.LabelInfo) bool { return i.Label == from })
		p.Retired = without(p.Retired, from)
		return fmt.Sprintf("merge label %s into %s", from, into), nil
	})
}

// RetireLabel stops offering a label for new spans. Its spans stay, and are redacted as
// before.
func (s *Service) RetireLabel(ctx context.Context, by account.User, id ID, seen int, label annotate.Label) error {
	return s.changeLabels(ctx, by, id, seen, label, func(p *Project, n *Names) (string, error) {
		if n.Retired(label) {
			return "", Invalidf("reload the page", "the label %s is retired already", label)
		}
		if len(p.Labels)-len(p.Retired) < 2 {
			return "", Invalidf("bring another label back first", "%s is the last label that is offered", label)
		}
		p.Retired = append(slices.Clip(p.Retired), label)
		return fmt.Sprintf("retire label %s", label), nil
	})
}

// RestoreLabel offers a retired label again.
func (s *Service) RestoreLabel(ctx context.Context, by account.User, id ID, seen int, label annotate.Label) error {
	return s.changeLabels(ctx, by, id, seen, label, func(p *Project, n *Names) (string, error) {
		if !n.Retired(label) {
			return "", Invalidf("reload the page", "the label %s is not retired", label)
		}
		p.Retired = without(p.Retired, label)
		return fmt.Sprintf("bring back label %s", label), nil
	})
}

func without(all []annotate.Label, l annotate.Label) []annotate.Label {
	return slices.DeleteFunc(slices.Clone(all), func(other annotate.Label) bool { return other == l })
}

// changeLabels makes one change of the labels, in one transaction with its audit row. change
// returns what it did. No note is rewritten.
func (s *Service) changeLabels(ctx context.Context, by account.User, id ID, seen int, label annotate.Label, change func(*Project, *Names) (string, error)) error {
	ws, err := s.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	table, err := s.countedLabels(ctx, ws)
	if err != nil {
		return err
	}
	if !ws.imports.TryLock() {
		return &Error{Kind: Stale, Message: "notes are being imported, which may add labels", Hint: "wait until the import ends, and try again"}
	}
	defer ws.imports.Unlock()
	if err := s.storeLabels(ws, by, seen, label, table, change); err != nil {
		return err
	}
	s.Tell(id, TopicLabels)
	s.Tell(id, TopicQueue)
	s.TellDocument(id, 0)
	ws.model.FinishedChanged() // trains again if the finished notes have other labels now
	return nil
}

// storeLabels checks, makes and stores the change. It holds the lock of edits, so that no
// edit falls between old and new names.
func (s *Service) storeLabels(ws *Workspace, by account.User, seen int, label annotate.Label, table Labels, change func(*Project, *Names) (string, error)) error {
	ws.edits.Lock()
	defer ws.edits.Unlock()
	ws.mu.RLock()
	info, set, names := ws.info, ws.settings.clone(), ws.Names()
	ws.mu.RUnlock()
	if !info.Labels.Has(label) || seen != info.Relabelled {
		return &Error{Kind: Stale, Message: "the labels of the project have changed since this page was opened", Hint: "open the page of the labels again"}
	}
	did, err := change(&info, names)
	if err != nil {
		return err
	}
	info.Relabelled++
	use := table.of(label)
	set.Sampling.Cost = HighestOf(set.Sampling.Cost, newNames(info).Since(names.Version()))
	ev := EventBy(by, "change labels", ws.ID.Object(), did+", "+use.counts())
	err = s.Update(ws.ID, ev, func(tx *store.Tx) error {
		return errors.Join(store.PutJSON(tx, bucketProject, infoKey, info), store.PutJSON(tx, bucketProject, settingsKey, set))
	})
	if err != nil {
		return err
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.info, ws.settings, ws.suggestions = info, set, nil
	ws.setNames()
	return nil
}

func (u LabelUse) counts() string {
	return words.Count(u.Spans, "span", "spans") + " in " + words.Count(u.Notes, "note", "notes")
}

// HighestOf is a number for each label under its present name: of merged labels the
// highest. A nil map stays nil.
func HighestOf(numbers map[annotate.Label]float64, r annotate.Renames) map[annotate.Label]float64 {
	if numbers == nil {
		return nil
	}
	out := make(map[annotate.Label]float64, len(numbers))
	for _, l := range slices.Sorted(maps.Keys(numbers)) {
		now := r.Of(l)
		if n, known := out[now]; !known || numbers[l] > n {
			out[now] = numbers[l]
		}
	}
	return out
}

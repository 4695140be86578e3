// SPDX-License-Identifier: Apache-2.0

package note

import (
	"context"
	"fmt"
	"io"

	"github.com/a-h/templ"

	"hide/internal/project"
	"hide/web/ui"
)

// listItem is an element of a list whose elements the page knows by their keys.
type listItem struct {
	key  string // in data-key
	html templ.Component
}

// text is HTML as it is.
type text string

func (t text) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, string(t))
	return err
}

func listed(items []listItem) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		for _, item := range items {
			if err := item.html.Render(ctx, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// withoutKept puts one placeholder for each run of items that the list before has as well,
// one behind the other. The keys at both ends of a run tell the page whether its list is
// the one before; note_apply.js compares them.
func withoutKept(before, now []listItem) []listItem {
	place := make(map[string]int, len(before))
	for i, item := range before {
		place[item.key] = i
	}
	var out []listItem
	for i := 0; i < len(now); {
		from, kept := place[now[i].key]
		if !kept {
			out = append(out, now[i])
			i++
			continue
		}
		n := 1
		for i+n < len(now) && from+n < len(before) && now[i+n].key == before[from+n].key {
			n++
		}
		out = append(out, listItem{html: keptItems(from, n, now[i].key, now[i+n-1].key)})
		i += n
	}
	return out
}

func (v noteView) spanItems() []listItem {
	items := make([]listItem, len(v.marks))
	for i, m := range v.marks {
		items[i] = listItem{v.itemKey(m), spanItem(v, m)}
	}
	return items
}

// noteChanged answers an edit. A browser without the script is sent back to the page.
func (h *Handlers) noteChanged(c ui.Context, f noteForm, before, after *project.Note) error {
	if !ui.IsFragment(c.Request()) {
		return ui.Back(c, ui.NotePath(ui.ProjectID(c), after.ID))
	}
	return h.sendNote(c, before, h.noteView(c, after), f.revision, f.shown)
}

// sendNote answers a page that shows the note at a revision, with the suggestions of a key.
// It sends what has changed since, or the whole note if that cannot be known. known is the
// note as it was at that revision or later.
func (h *Handlers) sendNote(c ui.Context, known *project.Note, now noteView, revision int, shown string) error {
	if revision != known.Layer.Revision {
		earlier, ok, err := h.projects.Earlier(c.Request().Context(), ui.User(c), ui.ProjectID(c), known, revision)
		if err != nil {
			return err
		}
		if !ok {
			return ui.Fragment(c, noteFragment(now))
		}
		known = earlier
	}
	if shown != suggestionsKey(known.SuggestionsKey) {
		return ui.Fragment(c, noteFragment(now))
	}
	return ui.Fragment(c, noteChange(newNoteView(ui.ProjectID(c), known), now))
}

func kept(from, n int) string { return fmt.Sprintf("%d %d", from, n) }

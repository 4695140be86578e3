// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"errors"
	"maps"

	"hide/internal/annotate"
	"hide/internal/store"
)

// Links say which records of a project are about one patient. A record is what
// [annotate.Document.Record] names: the notes of one patient's key, or a note without a key.
type Links struct {
	// Version counts the changes of links; figures that count patients keep it. 0 is a project
	// without links.
	Version int `json:"version"`
	// Of gives, for each linked record, the one that stands for the patient, which has itself.
	// Records that are alone are absent.
	Of map[string]string `json:"of"`
	// About is what structured data and notes say of a patient, by the record that stands for
	// them. All notes of the patient are searched for it.
	About map[string][]annotate.Identity `json:"about,omitempty"`
}

// linksKey is where the links of a project are stored.
var linksKey = []byte("links")

// View reads the project.
func (ws *Workspace) View(fn func(*store.Tx) error) error { return ws.service.View(ws.ID, fn) }

// readLinks loads the stored links. Projects without linkage have none.
func (ws *Workspace) readLinks(tx *store.Tx) error {
	l, err := store.GetJSON[Links](tx, bucketProject, linksKey)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	ws.links.Store(&l)
	ws.index.links = l.Of
	return nil
}

// Links are the project's links. They must not be changed.
func (ws *Workspace) Links() *Links {
	if l := ws.links.Load(); l != nil {
		return l
	}
	return new(Links)
}

// PutLinks stores links with the next version in a transaction. Once it is committed,
// [Workspace.TakeLinks] puts them to use.
func (ws *Workspace) PutLinks(tx *store.Tx, of map[string]string, about map[string][]annotate.Identity) (*Links, error) {
	l := &Links{Version: ws.Links().Version + 1, Of: of, About: about}
	return l, store.PutJSON(tx, bucketProject, linksKey, *l)
}

// TakeLinks counts the notes of linked records for one patient from now on.
func (ws *Workspace) TakeLinks(l *Links) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.links.Store(l)
	ws.index.relink(l.Of)
}

// Same reports whether links join the same records.
func (l *Links) Same(of map[string]string) bool { return maps.Equal(l.Of, of) }

// Unit is the person that a document counts for.
func (l *Links) Unit(d annotate.Document) string { return cmp.Or(l.Of[d.Record()], d.Record()) }

// link completes a document that was read.
func (l *Links) link(d *annotate.Document) {
	if d.Linked = l.Of[d.Record()]; d.Linked != "" {
		d.Also = l.About[d.Linked]
	}
}

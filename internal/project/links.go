// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

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
	l, err := store.FindJSON[Links](tx, bucketProject, linksKey)
	if err != nil {
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

// RereadLinks puts the stored links to use, after a removal or an import has changed them.
func (ws *Workspace) RereadLinks() error {
	var l Links
	err := ws.View(func(tx *store.Tx) (err error) {
		l, err = store.GetJSON[Links](tx, bucketProject, linksKey)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err == nil {
		ws.TakeLinks(&l)
	}
	return err
}

// RecordsLeft are the records with notes in a project or in its bin, other than these notes.
func RecordsLeft(tx *store.Tx, gone map[annotate.DocumentID]bool) (map[string]bool, error) {
	left := map[string]bool{}
	err := eachStatus(tx, func(doc annotate.DocumentID, st *Status) {
		if !gone[doc] {
			left[st.Group] = true
		}
	})
	return left, errors.Join(err, tx.Scan(bucketBin, nil, func(key, raw []byte) error {
		b, err := store.DecodeJSON[Binned](bucketBin, raw)
		if !gone[b.Document] {
			left[b.Status.Group] = true
		}
		return err
	}))
}

// PurgeLinks deletes records from the stored links, and what is known of the patients of records
// that lost notes.
func PurgeLinks(tx *store.Tx, erased, touched map[string]bool) error {
	l, err := store.GetJSON[Links](tx, bucketProject, linksKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	members, changed := map[string][]string{}, false
	for record, head := range l.Of {
		if touched[record] || erased[record] {
			delete(l.About, head)
			changed = true
		}
		if !erased[record] {
			members[head] = append(members[head], record)
		}
	}
	if !changed {
		return nil
	}
	l.Version++
	l.Of = map[string]string{}
	for head, records := range members {
		if len(records) < 2 {
			delete(l.About, head)
			continue
		}
		slices.Sort(records)
		if erased[head] {
			head = records[len(records)-1] // with a patient's key if one of them has one
		}
		for _, record := range records {
			l.Of[record] = head
		}
	}
	return store.PutJSON(tx, bucketProject, linksKey, l)
}

// NotesByRecord gives the first note of each record.
func (ws *Workspace) NotesByRecord() map[string]annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	out := make(map[string]annotate.DocumentID, ws.all.Len())
	for doc := range ws.all.All() {
		record := ws.record(ws.at(doc))
		if _, known := out[record]; !known {
			out[record] = doc
		}
	}
	return out
}

// Same reports whether links join the same records.
func (l *Links) Same(of map[string]string) bool { return maps.Equal(l.Of, of) }

// Unit is the person that a document counts for.
func (l *Links) Unit(d annotate.Document) string { return cmp.Or(l.Of[d.Record()], d.Record()) }

// RecordKey is the key of a record as the files have it: the patient's, or the name of a note
// without one.
func RecordKey(record string) string {
	_, key, _ := strings.Cut(record, "\x00")
	return key
}

// link completes a document that was read.
func (l *Links) link(d *annotate.Document) {
	if d.Linked = l.Of[d.Record()]; d.Linked != "" {
		d.Also = l.About[d.Linked]
	}
}

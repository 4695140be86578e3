// SPDX-License-Identifier: Apache-2.0

package project

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"sync"

	"hide/internal/annotate"
)

// marks keeps the fingerprints of the project's documents until something in them changes:
// each reads the state of many documents, and pages ask for them often.
type marks struct {
	revisions, notes mark
}

// mark is a fingerprint and what it was made from. The documents are those of the index after
// so many changes.
type mark struct {
	mu      sync.Mutex // guards what follows
	changes uint64
	names   *Names
	links   int
	value   string // "" before the first
}

// of returns the fingerprint that write makes. The caller holds ws.mu.
func (m *mark) of(ws *Workspace, write func(h *batchHash)) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	names, links := ws.Names(), ws.Links()
	if m.value != "" && m.changes == ws.changes && m.names == names && m.links == links.Version {
		return m.value
	}
	h := &batchHash{Hash: sha256.New()}
	write(h)
	h.flush()
	hashNames(h, names)
	hashLinks(h, links)
	m.changes, m.names, m.links, m.value = ws.changes, names, links.Version, hex.EncodeToString(h.Sum(nil))
	return m.value
}

// batchHash hashes numbers in large pieces.
type batchHash struct {
	hash.Hash
	batch []byte
}

func (h *batchHash) number(n int) {
	if h.batch = binary.BigEndian.AppendUint64(h.batch, uint64(n)); len(h.batch) > 1<<12 {
		h.flush()
	}
}

func (h *batchHash) flush() {
	h.Write(h.batch) // never fails
	h.batch = h.batch[:0]
}

// Revisions is the current fingerprint of the finished documents. It changes
// whenever their set, the spans of one of them or the name of a label change.
func (ws *Workspace) Revisions() string {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.marks.revisions.of(ws, func(h *batchHash) {
		for doc := range ws.states[stateDone].All() {
			h.number(int(doc))
			h.number(ws.content(doc))
		}
	})
}

// content is [Status.content] of the newest revision of a document.
func (x *index) content(doc annotate.DocumentID) int {
	b, at := x.at(doc)
	if same := b.rare[at].same; same > 0 {
		return same - 1
	}
	return int(b.rows[at].revision)
}

// NotesMark changes with every note that is added, edited, finished or reopened, and when a
// label is renamed or merged.
func (ws *Workspace) NotesMark() string {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.marks.notes.of(ws, func(h *batchHash) {
		for doc := range ws.all.All() {
			r := ws.row(doc)
			h.number(int(doc))
			h.number(int(r.revision))
			h.number(len(stateNames[r.state])) // separates states of different length
		}
	})
}

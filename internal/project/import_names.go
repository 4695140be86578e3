// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/store"
)

// The keys of names are hashes, so each name belongs to another page of its bucket. An
// import that wrote each name with its document would change most pages of a large project
// again and again. It holds many names back, and writes them in the order of their keys.
var (
	namesHeld    = 250_000 // 10 MB; tests change it
	namesPortion = 5_000   // in one transaction; tests change it
)

// heldName is the key of a name, and its document.
type heldName struct {
	key [32]byte
	doc annotate.DocumentID
}

// hold keeps the name of a document for [intake.writeNames].
func (in *intake) hold(tx *store.Tx, name string, doc annotate.DocumentID) {
	in.names = append(in.names, heldName{[32]byte(nameKey(tx, name)), doc})
}

// writeNames writes the names that are held, but for a rest of at most so many.
func (in *intake) writeNames(rest int) error {
	slices.SortFunc(in.names, func(a, b heldName) int { return bytes.Compare(a.key[:], b.key[:]) })
	object, done := in.ws.ID.Object("imports", in.record.Number), 0
	for len(in.names)-done > rest {
		part := in.names[done:min(done+namesPortion, len(in.names))]
		ev := EventBy(in.by, "import", object, fmt.Sprintf("names of %d documents", len(part)))
		if err := in.service.Update(in.ws.ID, ev, func(tx *store.Tx) error { return putNames(tx, part) }); err != nil {
			return err
		}
		done += len(part)
	}
	in.names = append(in.names[:0], in.names[done:]...)
	return nil
}

func putNames(tx *store.Tx, names []heldName) error {
	for _, n := range names {
		if err := tx.Put(bucketNames, n.key[:], docKey(n.doc)); err != nil {
			return err
		}
	}
	return nil
}

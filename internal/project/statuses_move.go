// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/store"
)

// bucketEarlierStatus is where earlier versions of hide stored a status as JSON, by the number of its
// document.
const bucketEarlierStatus = "status"

// movePortion bounds one transaction of the move into blocks, in documents.
const movePortion = 20_000

// moveStatuses stores the statuses of an earlier version in blocks. A status is in one of the
// two places at any time: if the program dies between two portions, the next start moves the
// others.
func (s *Service) moveStatuses(id ID) error {
	var docs []annotate.DocumentID
	err := s.View(id, func(tx *store.Tx) error {
		return tx.Keys(bucketEarlierStatus, nil, func(key []byte) error {
			docs = append(docs, annotate.DocumentID(store.Number(key)))
			return nil
		})
	})
	for part := range slices.Chunk(docs, movePortion) {
		if err == nil {
			ev := store.Event{Actor: "system", Action: "move statuses", Object: id.Object(), Detail: fmt.Sprintf("%d documents", len(part))}
			err = s.Update(id, ev, func(tx *store.Tx) error { return moveStatuses(tx, part) })
		}
	}
	return err
}

func moveStatuses(tx *store.Tx, docs []annotate.DocumentID) error {
	list := newStatuses(tx)
	for _, doc := range docs {
		st, err := store.GetJSON[Status](tx, bucketEarlierStatus, docKey(doc))
		if err != nil {
			return err
		}
		if err := errors.Join(list.put(doc, st), tx.Delete(bucketEarlierStatus, docKey(doc))); err != nil {
			return err
		}
	}
	return list.flush()
}

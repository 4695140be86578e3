// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"errors"

	"hide/internal/store"
)

// The buckets of the store's system space. The ledger of a data folder is one for
// all projects, so that it outlives them.
const (
	storeEntries = "budget"
	storeAnswers = "budget-answers"
)

// storeBook keeps the ledger in an encrypted data folder, each entry with its
// audit row.
type storeBook struct{ st *store.Store }

// InStore opens the ledger of a data folder. It fails with ErrNotBegun when there is
// none and o.Create does not ask for one.
func InStore(st *store.Store, o Options) (*Ledger, error) {
	if !o.Look {
		sweepHead(storeHead(st, o))
	}
	return open(storeBook{st}, storeHead(st, o), o)
}

// storeHead is beside the folder, not in it, where a backup would take it along.
func storeHead(st *store.Store, o Options) string {
	return cmp.Or(o.Head, st.Dir()+".budget")
}

// RecoverInStore is [RecoverFile] for the ledger of a data folder.
func RecoverInStore(st *store.Store, o Options) ([]Charge, error) {
	return recoverBook(storeBook{st}, storeHead(st, o), o)
}

func (b storeBook) Load() ([][]byte, error) {
	var out [][]byte
	err := b.st.View(store.System, func(tx *store.Tx) error {
		return tx.Scan(storeEntries, nil, func(_, v []byte) error {
			out = append(out, v)
			return nil
		})
	})
	return out, err
}

func (b storeBook) Append(seq uint64, entry []byte, key string, answer []byte, n Note) error {
	return b.st.Update(store.System, func(tx *store.Tx) error {
		if _, err := tx.Get(storeEntries, store.Key(seq)); !errors.Is(err, store.ErrNotFound) {
			return errors.Join(errThere(seq), err)
		}
		if err := tx.Put(storeEntries, store.Key(seq), entry); err != nil {
			return err
		}
		if key != "" {
			if err := tx.Put(storeAnswers, []byte(key), answer); err != nil {
				return err
			}
		}
		return tx.Audit(store.Event{Actor: n.Actor, Action: n.Action, Object: n.Object, Detail: n.Detail})
	})
}

func (b storeBook) Answer(key string) ([]byte, error) {
	var out []byte
	err := b.st.View(store.System, func(tx *store.Tx) (err error) {
		out, err = tx.Get(storeAnswers, []byte(key))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return out, err
}

// Restored is what the store knows of itself.
func (b storeBook) Restored() (bool, error) { return b.st.Restored() }

// Close leaves the store open: it is not the ledger's.
func (b storeBook) Close() error { return nil }

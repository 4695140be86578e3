// SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"

	"go.etcd.io/bbolt"
)

// firstSchema is the schema of new files before any step. A new step may rely on
// all steps before it.
const firstSchema = 1

// step brings a store from one schema to the next. It runs in one transaction
// with the new schema number and an audit row.
type step func(s *Store, btx *bbolt.Tx, st *state) error

// steps lists the steps in order: the first one leads from schema 1 to 2. Never
// remove or reorder them.
func steps() []step { return nil }

func (s *Store) migrate(steps []step) error {
	for s.root.Schema < firstSchema+len(steps) {
		next := *s.root
		next.Schema++
		next.Check = s.keys.check.seal(next.place(), nil)
		err := s.change(func(btx *bbolt.Tx, st *state) error {
			if err := steps[s.root.Schema-firstSchema](s, btx, st); err != nil {
				return err
			}
			if err := btx.Bucket(metaBucket).Put(rootKey, next.encode()); err != nil {
				return err
			}
			ev := Event{Actor: System, Action: "store.migrate", Detail: fmt.Sprintf("schema %d", next.Schema)}
			return appendAudit(btx, s.keys, st, System, ev, s.opts.Now())
		})
		if err != nil {
			return fmt.Errorf("bring the data to schema %d: %w", next.Schema, err)
		}
		s.root = &next
	}
	return nil
}

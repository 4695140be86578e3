// SPDX-License-Identifier: Apache-2.0

// Package store keeps bytes: encrypted, audited and checked, in one bbolt file.
// It knows no domain type.
//
// Open a data folder, then read with View and change with Update:
//
//	s, err := store.Open(store.Options{Dir: "hide-data", Create: true})
//	...
//	err = s.Update("p1", func(tx *store.Tx) error {
//		if err := tx.Put("layer", store.Key(7), value); err != nil {
//			return err
//		}
//		return tx.Audit(store.Event{Actor: user, Action: "note.edit", Object: "7"})
//	})
//
// When Update returns nil the change and its audit row are on disk. A change
// without an audit row is refused.
//
// A store is made of spaces: "system", and one per project. Each has its own
// random data key, wrapped by the root key, which lives in a file beside the
// data folder or comes from a passphrase. Values are sealed with
// XChaCha20-Poly1305, and the place (space, bucket, key, schema) is bound to
// them: a damaged, moved or foreign value does not open. Each bucket has a
// sealed count and a digest of what is in it, so that a lost key or an old value
// put back is noticed too. Audit rows form one hash chain over the whole store,
// and the head of the chain is also kept in a file beside the data folder, so
// that a chain cut at its end, or an old data file put back, is noticed.
//
// Damage is never served and never panics: it comes back as a [*DamageError].
//
// # Caveats
//
// Keys of values, names of spaces and buckets, sizes and counts are not
// encrypted: put no name and no text in them. Transactions do not nest: an
// Update inside an Update, or inside a View, waits for ever. While the file is
// open, a key that the disk loses under it is noticed by Scan over a whole
// bucket and by Check, not by Get. Backups made before DestroySpace still hold
// the space's wrapped key: destroy them too. The holder of the root key can rewrite
// everything, the audit trail included; a copy of the head kept elsewhere is the
// only witness against that.
//
// # Compatibility
//
// A data file carries a schema number. Newer files are refused; older ones are
// brought forward, one step per transaction, when they are opened.
package store

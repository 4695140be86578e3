// SPDX-License-Identifier: Apache-2.0

// Package store keeps bytes, encrypted, audited and checked, in one bbolt file. It
// knows no domain type.
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
// without an audit row is refused; only [Store.PutAuditCursor] writes without one.
//
// A store consists of spaces: "system", and one per project. Each has its own random
// data key. It is wrapped by the root key, which is in a file next to the data folder
// or derived from a passphrase. The data keys of projects are wrapped a second time, each
// by its own secret in a folder beside the root key, which is in no backup: destroying
// the secret makes the space unreadable in every backup too. Values are compressed, and
// then encrypted with XChaCha20-Poly1305. Their place (space, bucket, key) and format are
// the associated data: a damaged, moved or foreign value does not decrypt. Each bucket has
// an encrypted count and a digest of its entries, so that a lost key or an old value put
// back is noticed too. Audit rows form one hash chain over the whole store. The head of the
// chain is also kept in a file next to the data folder, so that a truncated chain or an old
// data file put back is noticed.
//
// Damaged values are never returned, and damage never panics: the error is a
// [*DamageError].
//
// # Caveats
//
// Keys of values, names of spaces and buckets, sizes and counts are not encrypted: put
// no name and no text in them. Each value is compressed on its own, so its size also tells
// how repetitive it is. A person who chooses a part of a value and sees the size can guess
// other parts: keep what two strangers write in two values.
//
// Transactions do not nest: an Update inside an Update, or inside a View, deadlocks. While
// the file is open, if the disk loses a key, a Scan over the whole bucket and Check notice
// it, but Get does not. Copies of a secret, and backups of schema 1 (which need no secret),
// survive DestroySpace: destroy them too. The holder of the root key can rewrite
// everything, including the audit trail; only a copy of the head kept elsewhere can reveal
// that.
//
// # Compatibility
//
// A data file carries a schema number. Newer files are refused; older ones are migrated
// when they are opened, one step per transaction. A file that was made before values were
// compressed (schema 2) keeps the size of its pages. Its values are compressed when they
// are next written.
package store

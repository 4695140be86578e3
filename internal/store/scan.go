// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"

	"go.etcd.io/bbolt"
)

// Scan calls fn for each key that starts with prefix, in order, with copies of
// the key and the value. An error of fn ends it and comes back unchanged. fn may
// change the bucket: keys after the present one are then seen as they are when
// their turn comes. With an empty prefix Scan also verifies, at its end, that
// nothing of the bucket is missing: what fn gathered is only good when Scan
// returns nil.
func (tx *Tx) Scan(bucket string, prefix []byte, fn func(key, value []byte) error) error {
	return tx.walk(bucket, prefix, func(key, sealed []byte) error {
		value, err := tx.open(bucket, key, sealed)
		if err != nil {
			return err
		}
		return fn(key, value)
	})
}

// Keys is Scan without opening the values.
func (tx *Tx) Keys(bucket string, prefix []byte, fn func(key []byte) error) error {
	return tx.walk(bucket, prefix, func(key, _ []byte) error { return fn(key) })
}

// walk visits the sealed entries under prefix.
func (tx *Tx) walk(bucket string, prefix []byte, fn func(key, sealed []byte) error) error {
	var found digest
	changes := tx.changes
	w := &walk{tx: tx, bucket: bucket, prefix: prefix}
	key, sealed, err := w.first()
	for ; err == nil && key != nil; key, sealed, err = w.next(key) {
		if len(prefix) == 0 {
			found.add(&tx.keys.digest, key, sealed)
		}
		if err := fn(key, sealed); err != nil {
			return err
		}
	}
	if err != nil || len(prefix) > 0 || tx.changes != changes {
		return err
	}
	return tx.complete(bucket, found)
}

// complete compares what was found in a bucket with its ledger.
func (tx *Tx) complete(bucket string, found digest) (err error) {
	defer tx.guard(bucket, &err)
	l, err := tx.ledger(dataBucket(tx.space, bucket))
	if err != nil {
		return tx.damage(bucket, err)
	}
	if l.digest != found {
		return tx.damage(bucket, errMissing)
	}
	return nil
}

// walk is a cursor that survives changes of its bucket.
type walk struct {
	tx      *Tx
	bucket  string
	prefix  []byte
	cursor  *bbolt.Cursor
	changes int
}

func (w *walk) first() (key, sealed []byte, err error) {
	defer w.tx.guard(w.bucket, &err)
	b := w.tx.btx.Bucket(dataBucket(w.tx.space, w.bucket))
	if b == nil {
		return nil, nil, nil
	}
	w.cursor, w.changes = b.Cursor(), w.tx.changes
	k, v := w.cursor.Seek(w.prefix)
	return w.within(k, v)
}

func (w *walk) next(last []byte) (key, sealed []byte, err error) {
	defer w.tx.guard(w.bucket, &err)
	if w.changes == w.tx.changes {
		k, v := w.cursor.Next()
		return w.within(k, v)
	}
	w.changes = w.tx.changes
	k, v := w.cursor.Seek(last)
	if bytes.Equal(k, last) {
		k, v = w.cursor.Next()
	}
	return w.within(k, v)
}

func (w *walk) within(k, v []byte) (key, sealed []byte, err error) {
	if k == nil || !bytes.HasPrefix(k, w.prefix) {
		return nil, nil, nil
	}
	return bytes.Clone(k), v, nil
}

// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// Tx is one transaction on one space. It is valid until the function that received it
// returns, and for one goroutine. Buckets need not be created: a missing one is empty.
type Tx struct {
	store *Store
	btx   *bbolt.Tx
	space string
	keys  *spaceKeys
	state *state // nil in View

	ledgers map[string]*ledger // by data bucket, as read or changed in this transaction
	dirty   map[string]bool
	changes int
	audited bool
	fault   error // the first damage found: the transaction cannot succeed any more
}

const maxKey = 1024

var (
	errReadOnly = errors.New("a change inside View")
	errBadKey   = fmt.Errorf("a key must have 1 to %d bytes", maxKey)
	errMissing  = errors.New("entries are missing, foreign or from another time")
)

func (s *Store) newTx(btx *bbolt.Tx, space string, keys *spaceKeys) *Tx {
	return &Tx{store: s, btx: btx, space: space, keys: keys, ledgers: map[string]*ledger{}, dirty: map[string]bool{}}
}

// run calls the caller's function, and sets *foreign meanwhile: a panic is then the
// caller's. Damage takes precedence over the function's result.
func (tx *Tx) run(foreign *bool, fn func(*Tx) error) error {
	*foreign = true
	err := fn(tx)
	*foreign = false
	if tx.fault != nil {
		return tx.fault
	}
	return err
}

// guard turns a panic of bbolt into a [*DamageError].
func (tx *Tx) guard(bucket string, err *error) {
	r := recover()
	if r == nil {
		return
	}
	*err = tx.damage(bucket, fmt.Errorf("%v", r))
	if tx.state != nil {
		tx.store.fail(*err)
	}
}

func (tx *Tx) damage(bucket string, err error) error {
	err = tx.store.damaged(fmt.Sprintf("space %s, bucket %s", tx.space, bucket), err)
	if tx.fault == nil {
		tx.fault = err
	}
	return err
}

func (tx *Tx) place(bucket string, key []byte) []byte {
	return bind("value", tx.space, bucket, string(key))
}

func (tx *Tx) ledger(name []byte) (*ledger, error) {
	if l, ok := tx.ledgers[string(name)]; ok {
		return l, nil
	}
	l := &ledger{generation: tx.keys.generation}
	if sealed := tx.btx.Bucket(ledgerBucket).Get(name); sealed != nil {
		var err error
		if l, err = openLedger(tx.keys, name, sealed); err != nil {
			return nil, err
		}
	}
	tx.ledgers[string(name)] = l
	return l, nil
}

// Get returns a copy of the value, or ErrNotFound.
func (tx *Tx) Get(bucket string, key []byte) (value []byte, err error) {
	defer tx.guard(bucket, &err)
	b := tx.btx.Bucket(dataBucket(tx.space, bucket))
	if b == nil || len(key) == 0 {
		return nil, fmt.Errorf("%s %x: %w", bucket, key, ErrNotFound)
	}
	sealed := b.Get(key)
	if sealed == nil {
		return nil, fmt.Errorf("%s %x: %w", bucket, key, ErrNotFound)
	}
	return tx.open(bucket, key, sealed)
}

func (tx *Tx) open(bucket string, key, sealed []byte) ([]byte, error) {
	value, err := tx.keys.open(tx.place(bucket, key), sealed)
	if err != nil {
		return nil, tx.damage(bucket, err)
	}
	return value, nil
}

// Put stores the value under the key of 1 to 1024 bytes. Keys are not encrypted: they
// must not reveal anything.
func (tx *Tx) Put(bucket string, key, value []byte) (err error) {
	defer tx.guard(bucket, &err)
	if len(key) == 0 || len(key) > maxKey {
		return errBadKey
	}
	name, b, l, err := tx.writable(bucket)
	if err != nil {
		return err
	}
	old := b.Get(key)
	if old != nil {
		tx.uncount(l, key, old)
	}
	if old == nil {
		b.FillPercent = fillFor(b, key)
	}
	sealed := tx.keys.value.sealShort(tx.place(bucket, key), value)
	tx.count(l, key, sealed)
	tx.touch(name)
	return b.Put(bytes.Clone(key), sealed)
}

// count adds an entry to the totals of its bucket.
func (tx *Tx) count(l *ledger, key, sealed []byte) {
	l.add(tx.keys.digestKey(l), key, sealed)
	if l.moved.has(key) {
		l.moved.before.add(&tx.keys.old.digest, key, sealed)
		l.moved.after.add(&tx.keys.digest, key, sealed)
	}
}

func (tx *Tx) uncount(l *ledger, key, sealed []byte) {
	l.remove(tx.keys.digestKey(l), key, sealed)
	if l.moved.has(key) {
		l.moved.before.remove(&tx.keys.old.digest, key, sealed)
		l.moved.after.remove(&tx.keys.digest, key, sealed)
	}
}

// appendFill is how full pages become to which keys are only appended.
const appendFill = 0.98

// fillFor is how full the pages become that a new key splits. Keys that come later may
// belong between others: then the pages keep room for them.
func fillFor(b *bbolt.Bucket, key []byte) float64 {
	if last, _ := b.Cursor().Last(); bytes.Compare(key, last) > 0 {
		return appendFill
	}
	return bbolt.DefaultFillPercent
}

// Delete removes the key. A missing key is not an error.
func (tx *Tx) Delete(bucket string, key []byte) (err error) {
	defer tx.guard(bucket, &err)
	if len(key) == 0 {
		return errBadKey
	}
	if tx.state != nil && bucket != "" && tx.btx.Bucket(dataBucket(tx.space, bucket)) == nil {
		return nil // writable would leave an empty bucket without a ledger
	}
	name, b, l, err := tx.writable(bucket)
	if err != nil {
		return err
	}
	old := b.Get(key)
	if old == nil {
		return nil
	}
	tx.uncount(l, key, old)
	tx.touch(name)
	return b.Delete(key)
}

// Next returns the next number of the bucket's sequence, from 1. A number returned in a
// failed transaction is returned again.
func (tx *Tx) Next(bucket string) (n uint64, err error) {
	defer tx.guard(bucket, &err)
	name, _, l, err := tx.writable(bucket)
	if err != nil {
		return 0, err
	}
	l.next++
	tx.touch(name)
	return l.next, nil
}

func (tx *Tx) touch(name []byte) {
	tx.dirty[string(name)] = true
	tx.changes++
}

func (tx *Tx) writable(bucket string) ([]byte, *bbolt.Bucket, *ledger, error) {
	if tx.state == nil {
		return nil, nil, nil, errReadOnly
	}
	if bucket == "" {
		return nil, nil, nil, errors.New("a bucket must have a name")
	}
	name := dataBucket(tx.space, bucket)
	l, err := tx.ledger(name)
	if err != nil {
		return nil, nil, nil, tx.damage(bucket, err)
	}
	b, err := tx.btx.CreateBucketIfNotExists(name)
	return name, b, l, err
}

// Count is the number of keys in the bucket.
func (tx *Tx) Count(bucket string) (n int, err error) {
	defer tx.guard(bucket, &err)
	l, err := tx.ledger(dataBucket(tx.space, bucket))
	if err != nil {
		return 0, tx.damage(bucket, err)
	}
	return int(l.count), nil
}

// HMAC is a keyed hash of data (HMAC-SHA-256, 32 bytes), different in each space. Use
// it for index keys of values that may be names.
func (tx *Tx) HMAC(data []byte) []byte { return mac(&tx.keys.hmac, data) }

// Audit writes an audit row, in this transaction.
func (tx *Tx) Audit(ev Event) (err error) {
	defer tx.guard("audit", &err)
	if tx.state == nil {
		return errReadOnly
	}
	if err := appendAudit(tx.btx, tx.store.keys, tx.state, tx.space, ev, tx.store.opts.Now()); err != nil {
		return err
	}
	tx.audited = true
	return nil
}

// Wipe asks that the pages which this transaction frees be overwritten: see [Store.Wipe].
func (tx *Tx) Wipe() (err error) {
	defer tx.guard("meta", &err)
	if tx.state == nil {
		return errReadOnly
	}
	return tx.btx.Bucket(metaBucket).Put(wipeKey, []byte{1})
}

// flush writes the encrypted ledgers of the changed buckets.
func (tx *Tx) flush() (err error) {
	defer tx.guard("ledger", &err)
	if tx.changes > 0 && !tx.audited {
		return ErrUnaudited
	}
	for name := range tx.dirty {
		sealed := tx.ledgers[name].seal(tx.keys, []byte(name))
		if err := tx.state.replace(tx.btx, tx.store.keys, ledgerBucket, []byte(name), sealed); err != nil {
			return err
		}
	}
	return nil
}

// Scan calls fn for each key that starts with prefix, in order, with copies of the key
// and the value. An error of fn ends it and is returned unchanged. fn may change the
// bucket: later keys are then seen with the changes. With an empty prefix Scan also
// verifies at its end that nothing of the bucket is missing: use what fn collected only
// if Scan returns nil.
func (tx *Tx) Scan(bucket string, prefix []byte, fn func(key, value []byte) error) error {
	return tx.walk(bucket, prefix, func(key, sealed []byte) error {
		value, err := tx.open(bucket, key, sealed)
		if err != nil {
			return err
		}
		return fn(key, value)
	})
}

// Keys is Scan without decrypting the values.
func (tx *Tx) Keys(bucket string, prefix []byte, fn func(key []byte) error) error {
	return tx.walk(bucket, prefix, func(key, _ []byte) error { return fn(key) })
}

// DeletePrefix deletes the entries of a bucket whose keys start with prefix; all with an empty
// one.
func (tx *Tx) DeletePrefix(bucket string, prefix []byte) error {
	return tx.Keys(bucket, prefix, func(key []byte) error { return tx.Delete(bucket, key) })
}

// DeleteOthers deletes the entries of buckets whose keys do not start with a number.
func (tx *Tx) DeleteOthers(number uint64, buckets ...string) error {
	for _, bucket := range buckets {
		err := tx.Keys(bucket, nil, func(key []byte) error {
			if Number(key) == number {
				return nil
			}
			return tx.Delete(bucket, key)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// walk visits the encrypted entries under prefix.
func (tx *Tx) walk(bucket string, prefix []byte, fn func(key, sealed []byte) error) error {
	var found digest
	changes := tx.changes
	digestKey, err := tx.digestKeyOf(bucket)
	if err != nil {
		return err
	}
	w := &walk{tx: tx, bucket: bucket, prefix: prefix}
	key, sealed, err := w.first()
	for ; err == nil && key != nil; key, sealed, err = w.next(key) {
		if len(prefix) == 0 {
			found.add(digestKey, key, sealed)
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

// digestKeyOf is the key of a bucket's digest.
func (tx *Tx) digestKeyOf(bucket string) (key *[keySize]byte, err error) {
	defer tx.guard(bucket, &err)
	l, err := tx.ledger(dataBucket(tx.space, bucket))
	if err != nil {
		return nil, tx.damage(bucket, err)
	}
	return tx.keys.digestKey(l), nil
}

// complete compares the entries found in a bucket with its ledger.
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

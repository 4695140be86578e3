// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// Buckets of the bbolt file. The entries of a space's bucket are in another top-level
// bucket, named by dataBucket.
var (
	metaBucket   = []byte("meta")   // rootKey, stateKey, wipeKey, shredKey, restoredKey
	spacesBucket = []byte("spaces") // name: wrapped data key
	ledgerBucket = []byte("ledger") // data bucket's name: encrypted ledger
	auditBucket  = []byte("audit")  // sequence number: encrypted row

	rootKey  = []byte("root")
	stateKey = []byte("state")
	wipeKey  = []byte("wipe")
	shredKey = []byte("shred")

	restoredKey = []byte("restored") // present if the file came from elsewhere
)

// dataBucket is the name of the bbolt bucket for a space's bucket.
func dataBucket(space, bucket string) []byte {
	b := append([]byte{'d'}, byte(len(space)))
	b = append(b, space...)
	return append(b, bucket...)
}

// splitBucket is the reverse of dataBucket.
func splitBucket(name []byte) (space, bucket string, ok bool) {
	if len(name) < 2 || name[0] != 'd' || len(name) < 2+int(name[1]) {
		return "", "", false
	}
	n := 2 + int(name[1])
	return string(name[2:n]), string(name[n:]), true
}

// state is the root of the verification: the end of the audit chain, and the digest of
// all ledgers and wrapped keys. Each transaction writes a new encrypted one.
type state struct {
	head   chainHead
	ledger digest
	quiet  bool // this transaction changes no content: it is kept without an audit row
}

var statePlace = bind("state")

var errNoState = errors.New("its state record is missing or does not open")

func putState(btx *bbolt.Tx, keys *rootKeys, st *state) error {
	b := binary.BigEndian.AppendUint64(nil, st.head.seq)
	b = append(b, st.head.hash[:]...)
	b = st.ledger.append(b)
	return btx.Bucket(metaBucket).Put(stateKey, keys.state.seal(statePlace, b))
}

func getState(btx *bbolt.Tx, keys *rootKeys) (*state, error) {
	b := btx.Bucket(metaBucket)
	if b == nil {
		return nil, errNoState
	}
	v, err := keys.state.open(statePlace, b.Get(stateKey))
	if err != nil || len(v) != 40+digestSize {
		return nil, errNoState
	}
	st := new(state)
	st.head.seq = binary.BigEndian.Uint64(v)
	copy(st.head.hash[:], v[8:])
	return st, st.ledger.decode(v[40:])
}

// totals is the digest of the current ledger and spaces buckets.
func totals(btx *bbolt.Tx, keys *rootKeys) (digest, error) {
	var d digest
	for _, name := range [][]byte{spacesBucket, ledgerBucket} {
		b := btx.Bucket(name)
		if b == nil {
			return d, errors.New("its " + string(name) + " are missing")
		}
		for c, k, v := first(b); k != nil; k, v = c.Next() {
			d.add(&keys.digest, entry(name, k), v)
		}
	}
	return d, nil
}

func first(b *bbolt.Bucket) (*bbolt.Cursor, []byte, []byte) {
	c := b.Cursor()
	k, v := c.First()
	return c, k, v
}

// entry is a key with its bucket.
func entry(bucket, key []byte) []byte { return bind(string(bucket), string(key)) }

// replace puts an encrypted value into the spaces or ledger bucket, or deletes it if
// sealed is nil, and updates the digest.
func (st *state) replace(btx *bbolt.Tx, keys *rootKeys, bucket, key, sealed []byte) error {
	b := btx.Bucket(bucket)
	if old := b.Get(key); old != nil {
		st.ledger.remove(&keys.digest, entry(bucket, key), old)
	}
	if sealed == nil {
		return b.Delete(key)
	}
	st.ledger.add(&keys.digest, entry(bucket, key), sealed)
	return b.Put(key, sealed)
}

// ledger holds the totals of one bucket of a space.
type ledger struct {
	digest
	next       uint64     // last number returned by Next
	generation uint32     // of the data key whose digest key made the digest
	moved      *movedPart // nil unless the data key is being rotated
}

// movedPart is the part of a bucket that is encrypted with the new data key, during a
// rotation.
type movedPart struct {
	cursor []byte // its last key
	before digest // of its entries, with the old digest key
	after  digest // of its entries, with the new digest key
}

func ledgerPlace(name []byte) []byte { return bind("ledger", string(name)) }

// A ledger is its digest and its last number. If the data key was ever rotated, the
// generation follows, and during a rotation the part that was moved.
const (
	ledgerFirst = digestSize + 8
	ledgerLater = ledgerFirst + 4
	ledgerMoved = ledgerLater + 2*digestSize
)

func (l *ledger) seal(keys *spaceKeys, name []byte) []byte {
	b := binary.BigEndian.AppendUint64(l.digest.append(nil), l.next)
	if l.generation > 0 || l.moved != nil {
		b = binary.BigEndian.AppendUint32(b, l.generation)
	}
	if m := l.moved; m != nil {
		b = append(m.after.append(m.before.append(b)), m.cursor...)
	}
	return keys.value.seal(ledgerPlace(name), b)
}

func (l *ledger) decode(v []byte) error {
	l.next = binary.BigEndian.Uint64(v[digestSize:])
	if len(v) > ledgerFirst {
		l.generation = binary.BigEndian.Uint32(v[ledgerFirst:])
	}
	if len(v) >= ledgerMoved {
		l.moved = &movedPart{cursor: bytes.Clone(v[ledgerMoved:])}
		if err := errors.Join(l.moved.before.decode(v[ledgerLater:ledgerLater+digestSize]), l.moved.after.decode(v[ledgerLater+digestSize:ledgerMoved])); err != nil {
			return err
		}
	}
	return l.digest.decode(v[:digestSize])
}

// has reports whether a key is in the part that was moved.
func (m *movedPart) has(key []byte) bool {
	return m != nil && len(m.cursor) > 0 && bytes.Compare(key, m.cursor) <= 0
}

func openLedger(keys *spaceKeys, name, sealed []byte) (*ledger, error) {
	v, err := keys.open(ledgerPlace(name), sealed)
	if err != nil || len(v) != ledgerFirst && len(v) != ledgerLater && len(v) < ledgerMoved {
		return nil, errors.New("the ledger of a bucket does not open")
	}
	l := new(ledger)
	if err := l.decode(v); err != nil {
		return nil, err
	}
	if keys.digestKey(l) == nil {
		return nil, errors.New("the ledger of a bucket is from another time")
	}
	return l, nil
}

// PutJSON stores v as JSON.
func PutJSON(tx *Tx, bucket string, key []byte, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", bucket, err)
	}
	return tx.Put(bucket, key, raw)
}

// GetJSON reads what [PutJSON] stored. It returns [ErrNotFound] if there is nothing.
func GetJSON[T any](tx *Tx, bucket string, key []byte) (T, error) {
	var v T
	raw, err := tx.Get(bucket, key)
	if err != nil {
		return v, err
	}
	return DecodeJSON[T](bucket, raw)
}

// FindJSON is [GetJSON] with the zero value where there is nothing.
func FindJSON[T any](tx *Tx, bucket string, key []byte) (T, error) {
	v, err := GetJSON[T](tx, bucket, key)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return v, err
}

// ListJSON reads every value of a bucket in the order of the keys.
func ListJSON[T any](tx *Tx, bucket string) ([]T, error) {
	var all []T
	err := tx.Scan(bucket, nil, func(_, raw []byte) error {
		v, err := DecodeJSON[T](bucket, raw)
		all = append(all, v)
		return err
	})
	return all, err
}

// DecodeJSON reads a value of a bucket.
func DecodeJSON[T any](bucket string, raw []byte) (T, error) {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("decode %s: %w", bucket, err)
	}
	return v, nil
}

// firstSchema is the schema before any step. A new step may rely on all steps before it.
// New files have the newest schema.
const firstSchema = 1

// step migrates a store from one schema to the next. It runs in one transaction with
// the new schema number and an audit row.
type step func(s *Store, btx *bbolt.Tx, st *state) error

// steps lists the steps in order: the first one leads from schema 1 to 2. Never
// remove or reorder them.
func steps() []step { return []step{addSecrets, allowCompressed, allowRotation} }

// allowCompressed is the migration to schema 3, whose values may be compressed. The format
// of a value says whether it is, so old values stay as they are until they are written
// again. The number keeps programs away that do not know the format.
func allowCompressed(*Store, *bbolt.Tx, *state) error { return nil }

// allowRotation is the migration to schema 4, in which data keys are rotated. Nothing
// changes until one is.
func allowRotation(*Store, *bbolt.Tx, *state) error { return nil }

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

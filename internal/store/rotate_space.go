// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"
)

// Rotating the data key of a space begins with one transaction that makes a new data key
// and keeps the old one beside it. From then on every value is written under the new key;
// a value that does not open with it is tried with the old one. Portions of old values are
// encrypted anew, bucket by bucket, in the order of the keys. The ledger of a bucket says
// how far it is. The last transaction drops the old key, and the freed pages of the file
// are overwritten.

// ring is the data keys of a space, as they are wrapped.
type ring struct {
	current    []byte
	generation uint32 // how often the data key was rotated
	index      []byte // the key of HMAC, which stays; nil in generation 0, where it is derived
	old        []byte // the data key before, during a rotation
}

func (r *ring) encode() []byte {
	if r.generation == 0 {
		return r.current
	}
	b := binary.BigEndian.AppendUint32(bytes.Clone(r.current), r.generation)
	return slices.Concat(b, r.index, r.old)
}

// The sizes of an encoded ring. They differ from those of a ring that a secret wraps.
const (
	ringFirst    = keySize
	ringLater    = 2*keySize + 4
	ringRotating = 3*keySize + 4
)

func isRing(size int) bool { return size == ringFirst || size == ringLater || size == ringRotating }

func decodeRing(b []byte) (*ring, error) {
	if !isRing(len(b)) {
		return nil, errSeal
	}
	r := &ring{current: b[:keySize]}
	if len(b) > ringFirst {
		r.generation, r.index = binary.BigEndian.Uint32(b[keySize:]), b[keySize+4:ringLater]
	}
	if len(b) == ringRotating {
		r.old = b[ringLater:]
	}
	return r, nil
}

// ringKeys derives the keys of a space from its encoded ring.
func ringKeys(encoded []byte) (*spaceKeys, error) {
	r, err := decodeRing(encoded)
	if err != nil {
		return nil, err
	}
	return r.keys(), nil
}

// keys derives the keys of a space.
func (r *ring) keys() *spaceKeys {
	k := deriveSpace(r.current)
	k.generation = r.generation
	if r.index != nil {
		k.hmac = [keySize]byte(r.index)
	}
	if r.old != nil {
		k.old = deriveSpace(r.old)
	}
	return k
}

// RotateSpace replaces the data key of a space while others work, and audits ev. It waits
// twice for a moment without readers. If ctx ends, the rotation is continued by
// [Store.FinishRotation] or by another call. A rotation that has begun is continued.
func (s *Store) RotateSpace(ctx context.Context, name string, ev Event, progress func(done, total int)) error {
	err := s.alone(ctx, func() error {
		keys, err := s.space(name)
		if err != nil || keys.old != nil {
			return err
		}
		var next *ring
		err = s.changeLocked(new(bool), func(btx *bbolt.Tx, st *state) error {
			next, err = s.changeRing(btx, st, name, func(r *ring) *ring {
				return &ring{current: random(keySize), generation: r.generation + 1, index: bytes.Clone(keys.hmac[:]), old: r.current}
			})
			if err != nil {
				return err
			}
			return appendAudit(btx, s.keys, st, name, ev, s.opts.Now())
		})
		if err == nil {
			s.setKeys(name, next.keys())
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.finishSpace(ctx, name, progress)
}

func (s *Store) setKeys(name string, keys *spaceKeys) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spaces[name] = keys
}

// changeRing wraps what fn makes of the data keys of a space.
func (s *Store) changeRing(btx *bbolt.Tx, st *state, name string, fn func(*ring) *ring) (*ring, error) {
	sealed := btx.Bucket(spacesBucket).Get([]byte(name))
	if sealed == nil {
		return nil, fmt.Errorf("space %s: %w", name, ErrNotFound)
	}
	id, inner, err := unwrapOuter(s.keys, name, sealed)
	if err != nil {
		return nil, s.damaged("key of space "+name, err)
	}
	var secret []byte
	if !isRing(len(inner)) {
		if secret, err = readSecret(s.opts.secretFile(name, id)); err != nil {
			return nil, &MissingSecretError{Space: name, File: s.opts.secretFile(name, id), Err: err}
		}
		if inner, err = unwrapInner(name, id, secret, inner); err != nil {
			return nil, err
		}
	}
	was, err := decodeRing(inner)
	if err != nil {
		return nil, s.damaged("key of space "+name, err)
	}
	next := fn(was)
	wrapped := s.keys.wrap.seal(spacePlace(name), next.encode())
	if secret != nil {
		wrapped = wrapKey(s.keys, name, id, secret, next.encode())
	}
	return next, st.replace(btx, s.keys, spacesBucket, []byte(name), wrapped)
}

// finishSpace encrypts the values of a space anew that are under its old data key, and drops
// the key.
func (s *Store) finishSpace(ctx context.Context, name string, progress func(done, total int)) error {
	total, err := s.oldValues(name)
	if err != nil {
		return err
	}
	for moved := 0; ; {
		n, left := 0, false
		err := s.portion(ctx, func() error {
			return s.changeLocked(new(bool), func(btx *bbolt.Tx, st *state) (err error) {
				n, left, err = s.moveValues(btx, st, name)
				return err
			})
		})
		if errors.Is(err, ErrNotFound) {
			return nil // the space was destroyed meanwhile
		}
		if err != nil {
			return err
		}
		moved += n
		if progress != nil {
			progress(moved, max(moved, total))
		}
		if !left {
			return s.dropOld(ctx, name)
		}
	}
}

// oldValues is how many values at most are still to be encrypted anew.
func (s *Store) oldValues(name string) (n int, err error) {
	err = s.viewIfThere(name, func(tx *Tx) error {
		for _, bucket := range spaceBuckets(tx.btx, name) {
			l, err := tx.ledger(bucket)
			if err != nil {
				return s.damaged("", err)
			}
			if l.generation != tx.keys.generation {
				n += int(l.count)
			}
		}
		return nil
	})
	return n, err
}

// What one transaction encrypts anew at most: others wait meanwhile.
const (
	valuesAtOnce = 128
	bytesAtOnce  = 512 << 10
)

// moveValues encrypts one portion anew. left says that there may be more.
func (s *Store) moveValues(btx *bbolt.Tx, st *state, name string) (n int, left bool, err error) {
	keys, err := s.space(name)
	if err != nil || keys.old == nil {
		return 0, false, err
	}
	tx := s.newTx(btx, name, keys)
	tx.state = st
	for c, k, _ := first(btx.Bucket(ledgerBucket)); k != nil; k, _ = c.Next() {
		space, bucket, ok := splitBucket(k)
		if !ok || space != name {
			continue
		}
		l, err := tx.ledger(bytes.Clone(k))
		if err != nil {
			return 0, false, tx.damage(bucket, err)
		}
		if l.generation != keys.generation {
			st.quiet = true
			if n, err = tx.moveBucket(bucket, l); err == nil {
				tx.audited = true // the rows are those of the begin and the end
				err = tx.flush()
			}
			return n, true, err
		}
	}
	return 0, false, nil
}

// moveBucket encrypts the next entries of a bucket anew. At its end the bucket's ledger
// belongs to the new key.
func (tx *Tx) moveBucket(bucket string, l *ledger) (n int, err error) {
	defer tx.guard(bucket, &err)
	name := dataBucket(tx.space, bucket)
	if l.moved == nil {
		l.moved = &movedPart{}
	}
	m := l.moved
	b := tx.btx.Bucket(name)
	keys, values := nextEntries(b, m.cursor)
	for i, key := range keys {
		sealed, err := tx.keys.value.reseal(tx.place(bucket, key), values[i], &tx.keys.old.value)
		if err != nil {
			return 0, tx.damage(bucket, err)
		}
		b.FillPercent = appendFill
		if err := b.Put(key, sealed); err != nil {
			return 0, err
		}
		l.remove(&tx.keys.old.digest, key, values[i])
		l.add(&tx.keys.old.digest, key, sealed)
		m.before.add(&tx.keys.old.digest, key, sealed)
		m.after.add(&tx.keys.digest, key, sealed)
		m.cursor = key
	}
	if len(keys) == 0 {
		// Nothing that was lost or put back may become part of the new digest.
		if m.before != l.digest {
			return 0, tx.damage(bucket, errMissing)
		}
		l.digest, l.generation, l.moved = m.after, tx.keys.generation, nil
	}
	tx.touch(name)
	return len(keys), nil
}

// nextEntries copies the entries of one portion after a key.
func nextEntries(b *bbolt.Bucket, after []byte) (keys, values [][]byte) {
	if b == nil {
		return nil, nil
	}
	c := b.Cursor()
	k, v := c.Seek(after)
	if k != nil && bytes.Equal(k, after) {
		k, v = c.Next()
	}
	for size := 0; k != nil && len(keys) < valuesAtOnce && size < bytesAtOnce; k, v = c.Next() {
		keys, values = append(keys, bytes.Clone(k)), append(values, bytes.Clone(v))
		size += len(v)
	}
	return keys, values
}

// dropOld ends the rotation of a space.
func (s *Store) dropOld(ctx context.Context, name string) error {
	err := s.alone(ctx, func() error {
		keys, err := s.space(name)
		if err != nil || keys.old == nil {
			return err
		}
		var next *ring
		err = s.changeLocked(new(bool), func(btx *bbolt.Tx, st *state) error {
			next, err = s.changeRing(btx, st, name, func(r *ring) *ring {
				return &ring{current: r.current, generation: r.generation, index: r.index}
			})
			if err != nil {
				return err
			}
			if err := btx.Bucket(metaBucket).Put(wipeKey, []byte{1}); err != nil {
				return err
			}
			ev := Event{Actor: System, Action: "key rotated", Object: name, Detail: fmt.Sprintf("generation %d; the old key is dropped", next.generation)}
			return appendAudit(btx, s.keys, st, name, ev, s.opts.Now())
		})
		if err == nil {
			s.setKeys(name, next.keys())
		}
		return err
	})
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return errors.Join(err, s.resumeWipe())
}

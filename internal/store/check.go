// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"go.etcd.io/bbolt"
)

// checkTotals verifies the digest over all ledgers and keys, and that every bucket has
// a ledger. In small files it also verifies each bucket's digest.
func (s *Store) checkTotals() error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	var buckets []bucketName
	if err := s.read(func(btx *bbolt.Tx) (err error) {
		buckets, err = s.ledgers(btx)
		return err
	}); err != nil || info.Size() > smallFile {
		return err
	}
	for _, b := range buckets {
		err := s.viewIfThere(b.space, func(tx *Tx) error {
			return tx.Keys(b.bucket, nil, func([]byte) error { return nil })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

type bucketName struct{ space, bucket string }

// ledgers verifies the totals and lists the buckets of all spaces.
func (s *Store) ledgers(btx *bbolt.Tx) ([]bucketName, error) {
	st, err := getState(btx, s.keys)
	if err != nil {
		return nil, s.damaged("", err)
	}
	found, err := totals(btx, s.keys)
	if err != nil {
		return nil, s.damaged("", err)
	}
	if found != st.ledger {
		return nil, s.damaged("", errors.New("keys of spaces or ledgers of buckets are missing, foreign or from another time"))
	}
	var names []bucketName
	for c, k, _ := first(btx.Bucket(ledgerBucket)); k != nil; k, _ = c.Next() {
		space, bucket, ok := splitBucket(k)
		if !ok {
			return nil, s.damaged("", errors.New("a ledger belongs to no bucket"))
		}
		names = append(names, bucketName{space, bucket})
	}
	return names, s.noStray(btx)
}

// noStray fails if there is a bucket without a ledger.
func (s *Store) noStray(btx *bbolt.Tx) error {
	own := [][]byte{metaBucket, spacesBucket, ledgerBucket, auditBucket}
	l := btx.Bucket(ledgerBucket)
	c := btx.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		mine := slices.ContainsFunc(own, func(o []byte) bool { return string(o) == string(k) })
		if !mine && l.Get(k) == nil {
			return s.damaged("", fmt.Errorf("bucket %q belongs to nothing", k))
		}
	}
	for _, o := range own {
		if btx.Bucket(o) == nil {
			return s.damaged("", fmt.Errorf("bucket %q is missing", o))
		}
	}
	return nil
}

// Check reads everything: each page of the file, each value, each bucket's digest, and
// the audit trail. progress, which may be nil, is called with the number of finished and
// of all values. It stops within a few values when ctx ends.
func (s *Store) Check(ctx context.Context, progress func(done, total int)) error {
	if progress == nil {
		progress = func(int, int) {}
	}
	if err := s.checkStructure(); err != nil {
		return err
	}
	var buckets []bucketName
	if err := s.read(func(btx *bbolt.Tx) (err error) {
		buckets, err = s.ledgers(btx)
		return err
	}); err != nil {
		return err
	}
	if err := s.checkValues(ctx, buckets, progress); err != nil {
		return err
	}
	_, err := s.VerifyAudit()
	return err
}

// checkStructure verifies the pages of a current reader, because bbolt does not reuse
// them while it reads.
func (s *Store) checkStructure() error {
	return s.read(func(btx *bbolt.Tx) error {
		info, err := s.file.Stat()
		if err != nil {
			return err
		}
		metas, err := readMetas(s.file)
		if err != nil {
			return s.damaged("", err)
		}
		for _, m := range metas {
			if m.txid == uint64(btx.ID()) {
				_, err := checkPages(s.file, info.Size(), m, false)
				if err != nil {
					return s.damaged("", err)
				}
			}
		}
		return nil // writers were faster twice: the next Check covers their pages
	})
}

func (s *Store) checkValues(ctx context.Context, buckets []bucketName, progress func(done, total int)) error {
	total := 0
	for _, b := range buckets {
		err := s.viewIfThere(b.space, func(tx *Tx) error {
			n, err := tx.Count(b.bucket)
			total += n
			return err
		})
		if err != nil {
			return err
		}
	}
	done := 0
	for _, b := range buckets {
		err := s.viewIfThere(b.space, func(tx *Tx) error {
			return tx.Scan(b.bucket, nil, func(_, _ []byte) error {
				done++
				progress(done, max(done, total))
				return ctx.Err()
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// viewIfThere is View, but ignores a space that was destroyed in the meantime or that has
// lost its secret.
func (s *Store) viewIfThere(space string, fn func(*Tx) error) error {
	_, err := s.space(space)
	if _, sealed := errors.AsType[*MissingSecretError](err); sealed || errors.Is(err, ErrNotFound) {
		return nil
	}
	return s.View(space, fn)
}

// digest is the digest of a set of encrypted entries: their number, and the sum modulo
// 2^256 of a keyed hash of each (key, mark). It does not depend on the order, and
// entries can be added and removed. Without the key nobody can make two sets with the
// same sum. The mark is different for every encryption, so an old value put back at its
// place changes the sum.
type digest struct {
	count uint64
	sum   [4]uint64 // least significant word first
}

const digestSize = 8 + 32

func item(key *[keySize]byte, k, sealed []byte) [4]uint64 {
	h := mac(key, bind(string(k), string(mark(sealed))))
	var w [4]uint64
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(h[8*i:])
	}
	return w
}

func (d *digest) add(key *[keySize]byte, k, sealed []byte) {
	var carry uint64
	for i, w := range item(key, k, sealed) {
		d.sum[i], carry = bits.Add64(d.sum[i], w, carry)
	}
	d.count++
}

func (d *digest) remove(key *[keySize]byte, k, sealed []byte) {
	var borrow uint64
	for i, w := range item(key, k, sealed) {
		d.sum[i], borrow = bits.Sub64(d.sum[i], w, borrow)
	}
	d.count--
}

func (d *digest) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, d.count)
	for _, w := range d.sum {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

var errStateSize = errors.New("a state record has the wrong size")

func (d *digest) decode(b []byte) error {
	if len(b) != digestSize {
		return errStateSize
	}
	d.count = binary.BigEndian.Uint64(b)
	for i := range d.sum {
		d.sum[i] = binary.LittleEndian.Uint64(b[8+8*i:])
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"time"

	"go.etcd.io/bbolt"
)

// AuditLine is an audit row with the bytes that its hash covers: the SHA-256 of JSON is the
// member prev of the next row. The reader of a copy can verify the chain.
type AuditLine struct {
	Seq  uint64
	Time time.Time
	JSON []byte // one line, without a line end
}

// AuditAfter returns the rows after number seq, oldest first: at most limit rows, and no
// further row once they have maxBytes bytes together. Each row is verified against the row
// before it. The result is empty if no row follows.
func (s *Store) AuditAfter(seq uint64, limit, maxBytes int) (lines []AuditLine, err error) {
	err = s.read(func(btx *bbolt.Tx) error {
		st, err := getState(btx, s.keys)
		if err != nil {
			return s.damaged("", err)
		}
		lines, err = s.linesUp(btx, st, seq, limit, maxBytes)
		return err
	})
	return lines, err
}

func (s *Store) linesUp(btx *bbolt.Tx, st *state, seq uint64, limit, maxBytes int) (lines []AuditLine, err error) {
	if seq >= st.head.seq {
		return nil, nil
	}
	b := btx.Bucket(auditBucket)
	var last [32]byte // zeros before the first row
	if seq > 0 {
		if _, last, err = openAudit(s.keys, seq, Key(seq), b.Get(Key(seq))); err != nil {
			return nil, s.badRow(seq, err)
		}
	}
	for size := 0; seq < st.head.seq && len(lines) < limit && size < maxBytes; {
		seq++
		row, text, err := openAuditText(s.keys, seq, Key(seq), b.Get(Key(seq)))
		if err == nil && !bytes.Equal(row.Prev, last[:]) {
			err = errChain
		}
		if err != nil {
			return nil, s.badRow(seq, err)
		}
		lines = append(lines, AuditLine{Seq: seq, Time: row.Time, JSON: text})
		size, last = size+len(text), sha256.Sum256(text)
	}
	if len(lines) > 0 && seq == st.head.seq && last != st.head.hash {
		return nil, s.badRow(seq, errForeign)
	}
	return lines, nil
}

// bucketCursors holds how far the copies of the audit trail have come, in the system space.
const bucketCursors = "audit-copies"

// PutAuditCursor stores how far a copy of the audit trail has come. This change alone needs
// no audit row: with one, each copied row would make another row to copy. The name may be
// anything; the key of the value does not show it.
func (s *Store) PutAuditCursor(name string, value []byte) error {
	var foreign bool
	return s.changeFor(&foreign, func(btx *bbolt.Tx, st *state) error {
		keys, err := s.space(System)
		if err != nil {
			return err
		}
		tx := s.newTx(btx, System, keys)
		tx.state = st
		if err := tx.Put(bucketCursors, tx.HMAC([]byte(name)), value); err != nil {
			return err
		}
		st.quiet, tx.audited = true, true
		return tx.flush()
	})
}

// AuditCursor returns what [Store.PutAuditCursor] stored, or [ErrNotFound].
func (s *Store) AuditCursor(name string) (value []byte, err error) {
	err = s.View(System, func(tx *Tx) error {
		value, err = tx.Get(bucketCursors, tx.HMAC([]byte(name)))
		if errors.Is(err, ErrNotFound) {
			return ErrNotFound // the key of a bucket says nothing to the reader
		}
		return err
	})
	return value, err
}

// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"sort"
	"time"

	"go.etcd.io/bbolt"
)

// ScanAudit visits rows from the newest to older ones: those with a number below before (0:
// all), at most `most` rows, until visit returns false. It returns the number of the oldest
// visited row, from which a next scan goes on as its before, and 0 if no row is left. Each row
// is verified against the one after it.
func (s *Store) ScanAudit(before uint64, most int, visit func(AuditRow) (more bool)) (next uint64, err error) {
	var foreign bool
	err = s.readFor(&foreign, func(btx *bbolt.Tx) error {
		st, err := getState(btx, s.keys)
		if err != nil {
			return s.damaged("", err)
		}
		seq := st.head.seq
		if before > 0 && before <= seq {
			seq = before - 1
		}
		var want []byte // hash of the next row, if known
		if seq == st.head.seq {
			want = st.head.hash[:]
		}
		b := btx.Bucket(auditBucket)
		for ; seq > 0 && most > 0; most-- {
			row, hash, err := openAudit(s.keys, seq, Key(seq), b.Get(Key(seq)))
			if err == nil && want != nil && !bytes.Equal(want, hash[:]) {
				err = errForeign
			}
			if err != nil {
				return s.badRow(seq, err)
			}
			want, next = row.Prev, seq
			seq--
			foreign = true
			more := visit(row)
			foreign = false
			if !more {
				break
			}
		}
		if seq == 0 {
			next = 0
		}
		return nil
	})
	return next, err
}

// AuditBefore returns a number from which a scan misses no row that was written before a
// time, for the argument before of [Store.ScanAudit]; 0 means the end of the trail. Rows that
// are newer may come first. It reads a few rows.
func (s *Store) AuditBefore(t time.Time) (before uint64, err error) {
	err = s.read(func(btx *bbolt.Tx) error {
		st, err := getState(btx, s.keys)
		if err != nil {
			return s.damaged("", err)
		}
		b := btx.Bucket(auditBucket)
		late := t.Add(clockSlack)
		var bad error
		n := sort.Search(int(st.head.seq), func(i int) bool {
			seq := uint64(i) + 1
			row, _, err := openAudit(s.keys, seq, Key(seq), b.Get(Key(seq)))
			if err != nil {
				bad = s.badRow(seq, err)
			}
			return bad != nil || row.Time.After(late)
		})
		if uint64(n) < st.head.seq {
			before = uint64(n) + 1
		}
		return bad
	})
	return before, err
}

// AuditEnded reports whether a row is so old that rows before it are from before a time, as
// far as clocks can be trusted.
func AuditEnded(r AuditRow, since time.Time) bool { return r.Time.Before(since.Add(-clockSlack)) }

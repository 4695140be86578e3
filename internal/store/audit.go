// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

// Event is an action as reported by its author. None of its fields may contain a name or
// a document's text.
type Event struct {
	Actor  string // id of a person, or "system"
	Action string // "note.edit"; must be given
	Object string // id of the object
	Detail string // counts and settings
}

const maxEvent = 4096

// AuditRow is an event with its place in the chain.
type AuditRow struct {
	Seq    uint64    `json:"seq"` // from 1, without gaps
	Time   time.Time `json:"time"`
	Space  string    `json:"space"`
	Actor  string    `json:"actor"`
	Action string    `json:"action"`
	Object string    `json:"object,omitempty"`
	Detail string    `json:"detail,omitempty"`
	Prev   []byte    `json:"prev"` // SHA-256 of the row before; zeros for the first
}

func auditPlace(seq uint64) []byte { return bind("audit", string(Key(seq))) }

// appendAudit adds a row to the chain. A row's hash covers its plaintext: the number, the
// time, the event and the previous hash.
func appendAudit(btx *bbolt.Tx, keys *rootKeys, st *state, space string, ev Event, now time.Time) error {
	if ev.Action == "" {
		return errors.New("an audit row needs an action")
	}
	if len(ev.Actor)+len(ev.Action)+len(ev.Object)+len(ev.Detail) > maxEvent {
		return fmt.Errorf("an audit row may have at most %d bytes", maxEvent)
	}
	row := AuditRow{
		Seq: st.head.seq + 1, Time: now.UTC().Round(0), Space: space,
		Actor: ev.Actor, Action: ev.Action, Object: ev.Object, Detail: ev.Detail,
		Prev: bytes.Clone(st.head.hash[:]),
	}
	plain, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("audit row %d: %w", row.Seq, err)
	}
	b := btx.Bucket(auditBucket)
	b.FillPercent = appendFill
	if err := b.Put(Key(row.Seq), keys.audit.sealShort(auditPlace(row.Seq), plain)); err != nil {
		return err
	}
	st.head = chainHead{seq: row.Seq, hash: sha256.Sum256(plain)}
	return nil
}

// openAudit decrypts the entry k, v as row number seq, and returns its hash.
func openAudit(keys *rootKeys, seq uint64, k, v []byte) (row AuditRow, hash [32]byte, err error) {
	row, plain, err := openAuditText(keys, seq, k, v)
	return row, sha256.Sum256(plain), err
}

// openAuditText is openAudit with the plaintext that the hash covers.
func openAuditText(keys *rootKeys, seq uint64, k, v []byte) (row AuditRow, plain []byte, err error) {
	if len(k) != 8 || binary.BigEndian.Uint64(k) != seq {
		return row, nil, errors.New("it is missing")
	}
	plain, err = keys.audit.open(auditPlace(seq), v)
	if err != nil && keys.oldAudit != nil {
		plain, err = keys.oldAudit.open(auditPlace(seq), v)
	}
	if err != nil {
		return row, nil, err
	}
	if err := json.Unmarshal(plain, &row); err != nil || row.Seq != seq {
		return row, nil, errors.New("it is not an audit row")
	}
	return row, plain, nil
}

func (s *Store) badRow(seq uint64, err error) error {
	return s.damaged(fmt.Sprintf("audit row %d", seq), err)
}

var (
	errChain   = errors.New("it does not follow from the row before")
	errCut     = errors.New("the end of the audit trail is missing, or an older data file was put in place of a newer one")
	errForeign = errors.New("the audit trail is not the one that was written")
)

const defaultRows = 100

// AuditRows returns rows, newest first: those with a number below before (0: all) for
// which keep returns true (nil: all), at most limit (0: 100). Each row is verified
// against the one after it.
func (s *Store) AuditRows(before uint64, limit int, keep func(AuditRow) bool) ([]AuditRow, error) {
	return s.auditRows(before, limit, time.Time{}, keep)
}

// clockSlack is by how much the times of rows may disagree with their order, because a
// clock was set back.
const clockSlack = 24 * time.Hour

// AuditRowsSince is [Store.AuditRows] for the rows at or after a time. It reads no rows from
// much before.
func (s *Store) AuditRowsSince(since time.Time, limit int, keep func(AuditRow) bool) ([]AuditRow, error) {
	return s.auditRows(0, limit, since.Add(-clockSlack), func(r AuditRow) bool { return !r.Time.Before(since) && keep(r) })
}

// AuditRowsAfter returns those of the next rows after a number, at most most of them, for
// which keep returns true, oldest first. last is the number of the last row that it has read;
// there are no more rows while last is after. Each row is verified against the next.
func (s *Store) AuditRowsAfter(after uint64, most int, keep func(AuditRow) bool) (rows []AuditRow, last uint64, err error) {
	var foreign bool
	choose := func(r AuditRow) bool {
		foreign = true
		ok := keep(r)
		foreign = false
		return ok
	}
	err = s.readFor(&foreign, func(btx *bbolt.Tx) error {
		st, err := getState(btx, s.keys)
		if err != nil {
			return s.damaged("", err)
		}
		last = max(after, min(st.head.seq, after+uint64(most)))
		rows, err = s.rowsUp(btx, st, after, last, choose)
		return err
	})
	if err != nil {
		return nil, after, err
	}
	return rows, last, nil
}

// rowsUp goes from the row after a number to the last.
func (s *Store) rowsUp(btx *bbolt.Tx, st *state, after, last uint64, keep func(AuditRow) bool) ([]AuditRow, error) {
	var rows []AuditRow
	var before [32]byte // hash of the row before, if known
	b := btx.Bucket(auditBucket)
	for seq := after + 1; seq <= last; seq++ {
		row, hash, err := openAudit(s.keys, seq, Key(seq), b.Get(Key(seq)))
		if err != nil {
			return nil, s.badRow(seq, err)
		}
		if seq > after+1 && !bytes.Equal(row.Prev, before[:]) || seq == st.head.seq && hash != st.head.hash {
			return nil, s.badRow(seq, errChain)
		}
		before = hash
		if keep(row) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func (s *Store) auditRows(before uint64, limit int, oldest time.Time, keep func(AuditRow) bool) ([]AuditRow, error) {
	if limit <= 0 {
		limit = defaultRows
	}
	var rows []AuditRow
	var foreign bool
	choose := func(r AuditRow) bool {
		foreign = true
		ok := keep == nil || keep(r)
		foreign = false
		return ok
	}
	err := s.readFor(&foreign, func(btx *bbolt.Tx) error {
		st, err := getState(btx, s.keys)
		if err != nil {
			return s.damaged("", err)
		}
		seq := st.head.seq
		if before > 0 && before <= seq {
			seq = before - 1
		}
		rows, err = s.rowsDown(btx, st, seq, limit, oldest, choose)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// rowsDown goes from a row to older ones, until it has enough or comes to one from before
// oldest.
func (s *Store) rowsDown(btx *bbolt.Tx, st *state, seq uint64, limit int, oldest time.Time, keep func(AuditRow) bool) ([]AuditRow, error) {
	var rows []AuditRow
	var want []byte // hash of the next row, if known
	if seq == st.head.seq {
		want = st.head.hash[:]
	}
	b := btx.Bucket(auditBucket)
	for ; seq > 0 && len(rows) < limit; seq-- {
		row, hash, err := openAudit(s.keys, seq, Key(seq), b.Get(Key(seq)))
		if err != nil {
			return nil, s.badRow(seq, err)
		}
		if want != nil && !bytes.Equal(want, hash[:]) {
			return nil, s.badRow(seq, errForeign)
		}
		if row.Time.Before(oldest) {
			break
		}
		want = row.Prev
		if keep(row) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// AuditSummary summarizes a verified audit trail.
type AuditSummary struct {
	Rows        uint64    `json:"rows"`
	First, Last time.Time // of the rows; zero when there are none
	Head        []byte    `json:"head"` // hash of the last row, to be noted in another place
	// Gaps are the rows recorded when the head next to the data folder was missing at
	// opening: before each of them rows may have been cut off undetected.
	Gaps []uint64 `json:"gaps,omitempty"`
}

// VerifyAudit reads the whole audit trail and verifies every row, the chain and its end.
// The first error is a [*DamageError]. Work continues meanwhile.
func (s *Store) VerifyAudit() (AuditSummary, error) {
	var sum AuditSummary
	s.write.Lock() // until both the snapshot and the head of the same moment are there
	unlock := sync.OnceFunc(s.write.Unlock)
	defer unlock()
	err := s.read(func(btx *bbolt.Tx) error {
		st, err := getState(btx, s.keys)
		if err != nil {
			return s.damaged("", err)
		}
		head, err := s.readOwnHead()
		unlock()
		if err != nil {
			return err
		}
		if sum, err = s.verifyChain(btx, st); err != nil {
			return err
		}
		return s.follows(btx, st, head)
	})
	if err != nil {
		return AuditSummary{}, err
	}
	return sum, nil
}

func (s *Store) verifyChain(btx *bbolt.Tx, st *state) (AuditSummary, error) {
	var sum AuditSummary
	var last [32]byte
	seq := uint64(0)
	for c, k, v := first(btx.Bucket(auditBucket)); k != nil; k, v = c.Next() {
		seq++
		row, hash, err := openAudit(s.keys, seq, k, v)
		if err != nil {
			return sum, s.badRow(seq, err)
		}
		if !bytes.Equal(row.Prev, last[:]) {
			return sum, s.badRow(seq, errChain)
		}
		sum.note(row)
		last = hash
	}
	if seq != st.head.seq || last != st.head.hash {
		return sum, s.badRow(seq+1, errCut)
	}
	sum.Head = last[:]
	return sum, nil
}

func (sum *AuditSummary) note(row AuditRow) {
	sum.Rows = row.Seq
	sum.Last = row.Time
	if row.Seq == 1 {
		sum.First = row.Time
	}
	if row.Action == actionHeadMissing {
		sum.Gaps = append(sum.Gaps, row.Seq)
	}
}

// readOwnHead reads the head that is kept beside the data folder.
func (s *Store) readOwnHead() (chainHead, error) {
	head, ok, err := readHead(s.opts.head(), &s.keys.head)
	if err != nil {
		return head, fmt.Errorf("audit head: %w", plain(err))
	}
	if !ok {
		return head, &DamageError{Place: "audit head " + s.opts.head(), Err: errors.New("it is missing or not of this store")}
	}
	return head, nil
}

// follows fails unless the chain has the row that head names.
func (s *Store) follows(btx *bbolt.Tx, st *state, head chainHead) error {
	if head.seq > st.head.seq {
		return s.badRow(st.head.seq+1, errCut)
	}
	if head.seq == 0 {
		return nil
	}
	_, hash, err := openAudit(s.keys, head.seq, Key(head.seq), btx.Bucket(auditBucket).Get(Key(head.seq)))
	if err != nil {
		return s.badRow(head.seq, err)
	}
	if hash != head.hash {
		return s.badRow(head.seq, errForeign)
	}
	return nil
}

const actionHeadMissing = "audit.head-missing"

// startHead verifies the head next to the data folder and opens it for writing. A
// missing head is created again, and that is audited.
func (s *Store) startHead() error {
	head, ok, err := readHead(s.opts.head(), &s.keys.head)
	if err == nil && !ok && s.keys.oldHead != nil { // killed after the root key was replaced
		head, ok, err = readHead(s.opts.head(), s.keys.oldHead)
	}
	if err != nil {
		return fmt.Errorf("audit head: %w", plain(err))
	}
	var st *state
	if err := s.read(func(btx *bbolt.Tx) (err error) {
		if st, err = getState(btx, s.keys); err != nil {
			return s.damaged("", err)
		}
		if fresh := st.head.seq == 1 && head.seq <= 1; fresh {
			head, ok = st.head, true // this process created the head file and holds the lock
			return errors.Join(s.follows(btx, st, head), writeHeadFile(s.opts.head(), &s.keys.head, head))
		}
		if ok {
			return s.follows(btx, st, head)
		}
		return s.follows(btx, st, st.head)
	}); err != nil {
		return err
	}
	if !ok || head != st.head {
		if err := writeHeadFile(s.opts.head(), &s.keys.head, st.head); err != nil {
			return fmt.Errorf("audit head: %w", plain(err))
		}
	}
	if s.head, err = openHead(s.opts.head(), &s.keys.head); err != nil {
		return fmt.Errorf("audit head: %w", plain(err))
	}
	ev := Event{Actor: System, Action: actionHeadMissing}
	switch {
	case s.opts.restoredTo != "":
		s.came = st.head
		if ev, err = s.restoreEvent(st.head.seq); err != nil {
			return err
		}
	case ok:
		return nil
	}
	return s.auditRestored(ev)
}

// auditRestored records that the file came from elsewhere, and audits how.
func (s *Store) auditRestored(ev Event) error {
	return s.change(func(btx *bbolt.Tx, st *state) error {
		if err := btx.Bucket(metaBucket).Put(restoredKey, []byte{1}); err != nil {
			return err
		}
		return appendAudit(btx, s.keys, st, System, ev, s.opts.Now())
	})
}

// Restored reports whether the data ever came from a backup, or were opened without the
// audit head (as in a copied or renamed folder). Later changes made elsewhere are then
// missing. The answer is stored in the data file, and so in its backups.
func (s *Store) Restored() (yes bool, err error) {
	err = s.read(func(btx *bbolt.Tx) error {
		yes = btx.Bucket(metaBucket).Get(restoredKey) != nil
		return nil
	})
	return yes, err
}

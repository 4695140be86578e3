// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hide/internal/outfile"
)

// Kind is the kind of an entry.
type Kind string

// The kinds of entries. They are on disk: do not change them.
const (
	KindNew       Kind = "new"       // the ledger itself: only the first entry
	KindOpen      Kind = "open"      // an account and its limit
	KindPartition Kind = "partition" // parts of a lineage that share no unit
	KindDebit     Kind = "debit"     // an amount spent, even if the release failed afterwards
	KindRelease   Kind = "release"   // the stored answer to a debit
	KindWeak      Kind = "weak"      // another release of the same lineage with weaker guarantees
	KindRestore   Kind = "restore"   // a charge because an older copy was restored
	KindRaise     Kind = "raise"     // a higher limit, with the reason
	KindApart     Kind = "apart"     // two lineages that are not compared, with the reason
)

const schema = "hide ledger 1"

// Entry is one line of the ledger.
type Entry struct {
	Seq     uint64    `json:"seq"` // from 0, without gaps
	Time    time.Time `json:"time"`
	Kind    Kind      `json:"kind"`
	Lineage string    `json:"lineage,omitempty"`
	Unit    string    `json:"unit,omitempty"`          // open
	Micro   Micro     `json:"micro_epsilon,omitempty"` // open, raise: the limit; debit, restore: the amount
	Part    Part      `json:"part,omitzero"`           // debit of a part; restore of all parts of a partition, which it names
	Parts   []string  `json:"parts,omitempty"`         // partition
	Request string    `json:"request,omitempty"`       // debit, release: SHA-256 of the canonical request
	Data    string    `json:"data,omitempty"`          // debit: keyed fingerprint of the data
	Units   string    `json:"units,omitempty"`         // open, debit: sketch of units that are new to the lineage
	By      string    `json:"by,omitempty"`            // debit: the column with the unit of a row
	From    string    `json:"from,omitempty"`          // apart: the other lineage
	Who     string    `json:"who,omitempty"`           // open, raise, apart: who decided
	What    string    `json:"what,omitempty"`          // in words: mechanism, rule, weak release, reason; open: why although a backup was restored
	Result  string    `json:"result,omitempty"`        // release: SHA-256 of the stored bytes
	Debit   uint64    `json:"debit,omitempty"`         // release: the debit that it answers
	ID      string    `json:"id,omitempty"`            // new: of the ledger
	Key     string    `json:"key,omitempty"`           // new: of fingerprints of data
	Schema  string    `json:"schema,omitempty"`        // new
	Prev    string    `json:"prev"`                    // SHA-256 of the entry before; zeros for the first
}

// Part is one of the parts of a declared partition.
type Part struct {
	Partition string `json:"partition"`
	Part      string `json:"part"`
}

func (p Part) whole() bool { return p == Part{} }

var firstPrev = hex.EncodeToString(make([]byte, sha256.Size))

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// readChain decodes entries and checks that each follows from the previous one.
func readChain(raw [][]byte) ([]Entry, string, error) {
	entries := make([]Entry, len(raw))
	prev := firstPrev
	for i, text := range raw {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		e := &entries[i]
		if err := dec.Decode(e); err != nil || dec.More() {
			return nil, "", damaged(i, "is not an entry of this schema")
		}
		again, err := json.Marshal(e)
		switch {
		case err != nil || !bytes.Equal(again, text):
			return nil, "", damaged(i, "is not written as it should be")
		case e.Seq != uint64(i):
			return nil, "", damaged(i, "has the wrong number")
		case e.Prev != prev:
			return nil, "", damaged(i, "does not follow from the previous entry")
		case (i == 0) != (e.Kind == KindNew), i == 0 && e.Schema != schema:
			return nil, "", damaged(i, "is not the beginning of a ledger")
		}
		prev = hashOf(text)
	}
	return entries, prev, nil
}

// ErrDamaged is wrapped by every error about a ledger that was damaged or changed.
var ErrDamaged = errors.New("the ledger is damaged")

func damaged(entry int, what string) error {
	return fmt.Errorf("%w: entry %d %s", ErrDamaged, entry, what)
}

// state is the sum of all entries.
type state struct {
	id, key  string
	seq      uint64 // of the last entry
	hash     string // of the last entry
	entries  int
	accounts map[string]*account
	order    []string          // lineages as they were opened
	data     map[string]string // fingerprint -> the lineage that was debited for this data
	debits   map[uint64]*Debit // by entry
	answers  map[string]uint64 // request -> the debit with the stored answer
	receipts map[uint64]Receipt
	apart    map[[2]string]bool // pairs of lineages, in both orders
	restored bool               // an older copy was restored, and charged
}

// replay adds up the entries of a chain.
func replay(entries []Entry, hashes []string) (*state, error) {
	st := &state{accounts: map[string]*account{}, data: map[string]string{}, debits: map[uint64]*Debit{}, answers: map[string]uint64{}, receipts: map[uint64]Receipt{}, apart: map[[2]string]bool{}}
	for i, e := range entries {
		if err := st.apply(e, hashes[i]); err != nil {
			return nil, damaged(i, err.Error())
		}
	}
	return st, nil
}

// apply adds one entry, or returns why it is invalid.
func (st *state) apply(e Entry, hash string) error {
	if err := st.check(e); err != nil {
		return err
	}
	switch a := st.accounts[e.Lineage]; e.Kind {
	case KindNew:
		st.id, st.key = e.ID, e.Key
	case KindOpen:
		st.open(e)
	case KindPartition:
		a.declare(e.What, e.Parts)
	case KindDebit:
		st.debit(a, e, hash)
	case KindRelease:
		st.release(a, e)
	case KindWeak:
		a.Weak = append(a.Weak, Weak{Entry: e.Seq, Time: e.Time, What: e.What})
	case KindRestore:
		st.restored = true
		a.restore(e)
	case KindRaise:
		a.Raises = append(a.Raises, Raise{e.Seq, e.Time, a.Limit, e.Micro, e.What, e.Who})
		a.Limit = e.Micro
	case KindApart:
		st.setApart(a, e)
	}
	st.seq, st.hash = e.Seq, hash
	st.entries++
	return nil
}

func (st *state) open(e Entry) {
	a := &account{Account: Account{Lineage: e.Lineage, Unit: e.Unit, Limit: e.Micro}, parts: map[string]map[string]Micro{}, seen: map[Part]sketch{}}
	a.learn(Part{}, e.Units)
	if e.What != "" {
		a.Despite = &Despite{e.Seq, e.Time, e.What, e.Who}
	}
	st.accounts[e.Lineage] = a
	st.order = append(st.order, e.Lineage)
}

// release records the stored answer of a debit.
func (st *state) release(a *account, e Entry) {
	st.answers[e.Request] = e.Debit
	st.debits[e.Debit].Result = e.Result
	for i := range a.Debits {
		if a.Debits[i].Entry == e.Debit {
			a.Debits[i].Result = e.Result
		}
	}
}

func (st *state) setApart(a *account, e Entry) {
	other := st.accounts[e.From]
	st.apart[[2]string{e.Lineage, e.From}], st.apart[[2]string{e.From, e.Lineage}] = true, true
	a.Apart = append(a.Apart, Apart{e.Seq, e.Time, e.From, e.What, e.Who})
	other.Apart = append(other.Apart, Apart{e.Seq, e.Time, e.Lineage, e.What, e.Who})
}

func (st *state) debit(a *account, e Entry, hash string) {
	r := Receipt{Ledger: st.id, Entry: e.Seq, Hash: hash, Lineage: e.Lineage, Unit: a.Unit, Epsilon: e.Micro, Part: e.Part, Before: a.spent(), Limit: a.Limit}
	for _, w := range a.Weak {
		r.Weak = append(r.Weak, w.What)
	}
	r.Notes = a.notes()
	a.add(e.Part, e.Micro)
	a.learn(e.Part, e.Units)
	a.By = cmp.Or(a.By, e.By)
	r.After = a.spent()
	d := Debit{Entry: e.Seq, Time: e.Time, Micro: e.Micro, Part: e.Part, What: e.What, Request: e.Request}
	a.Debits = append(a.Debits, d)
	st.debits[e.Seq] = &d
	st.receipts[e.Seq] = r
	if e.Data != "" {
		st.data[e.Data] = e.Lineage
	}
}

// check refuses entries that a ledger must never contain.
func (st *state) check(e Entry) error {
	a := st.accounts[e.Lineage]
	switch {
	case e.Kind == KindNew:
		return nil
	case e.Kind == KindOpen && a != nil:
		return errors.New("opens an account that already exists")
	case e.Kind == KindOpen:
		return checkAmount(e)
	case a == nil:
		return errors.New("is about an unknown account")
	}
	switch e.Kind {
	case KindPartition:
		if _, there := a.parts[e.What]; there {
			return errors.New("declares a partition a second time")
		}
	case KindDebit:
		return a.checkDebit(e)
	case KindRelease:
		if d := st.debits[e.Debit]; d == nil || d.Request != e.Request || d.Result != "" {
			return errors.New("belongs to no debit")
		}
	case KindRestore:
		return a.checkRestore(e)
	case KindRaise:
		if e.Micro <= a.Limit || e.Micro.check() != nil || e.What == "" {
			return errors.New("raises no limit, or has no reason")
		}
	case KindApart:
		if st.accounts[e.From] == nil || e.From == e.Lineage || e.What == "" {
			return errors.New("is about an unknown account, or has no reason")
		}
	case KindWeak:
	default:
		return errors.New("is of an unknown kind")
	}
	return nil
}

// head is the state as stored outside the database.
func (st *state) head() Head {
	h := Head{Schema: headSchema, ID: st.id, Seq: st.seq, Hash: st.hash, Spent: map[string]Micro{}}
	for name, a := range st.accounts {
		h.Spent[name] = a.spent()
		if a.Void() {
			h.Void = append(h.Void, name)
		}
	}
	slices.Sort(h.Void)
	return h
}

// list returns all accounts in the order of opening.
func (st *state) list() []Account {
	out := make([]Account, 0, len(st.order))
	for _, name := range st.order {
		out = append(out, st.public(name))
	}
	return out
}

// public is an account with the accounts that share its units.
func (st *state) public(lineage string) Account {
	a := st.accounts[lineage]
	out := a.public()
	out.Shared = st.overlaps(lineage, a.units)
	return out
}

const headSchema = "hide ledger head 1"

// Head is the end of the chain, as stored outside the database.
type Head struct {
	Schema string           `json:"schema"`
	ID     string           `json:"ledger"`
	Seq    uint64           `json:"seq"`
	Hash   string           `json:"hash"`           // of entry Seq
	Spent  map[string]Micro `json:"spent"`          // by lineage
	Void   []string         `json:"void,omitempty"` // lineages with a weaker release, sorted
}

func (h Head) equal(o Head) bool {
	return h.Schema == o.Schema && h.ID == o.ID && h.Seq == o.Seq && h.Hash == o.Hash && maps.Equal(h.Spent, o.Spent) && slices.Equal(h.Void, o.Void)
}

// readHead reads a head file. ok is false if there is none.
func readHead(path string) (h Head, ok bool, err error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, false, nil
	}
	if err != nil {
		return h, false, fmt.Errorf("ledger head: %w", err)
	}
	if err := json.Unmarshal(raw, &h); err != nil || h.Schema != headSchema {
		return h, false, fmt.Errorf("%s is not the head of a ledger", path)
	}
	return h, true, nil
}

// writeHead replaces a head file atomically and makes it durable. step is called between
// its writes.
func writeHead(path string, h Head, step func(string)) error {
	raw, err := json.Marshal(h)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-")
	if err != nil {
		return fmt.Errorf("ledger head: %w", err)
	}
	_, err = f.Write(append(raw, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("ledger head: %w", err), os.Remove(f.Name()))
	}
	step("head written")
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(fmt.Errorf("ledger head: %w", err), os.Remove(f.Name()))
	}
	step("head renamed")
	return outfile.SyncFolder(filepath.Dir(path))
}

// sweepHead removes the unfinished head files of a killed process.
func sweepHead(path string) {
	left, _ := filepath.Glob(path + ".new-*") // an invalid pattern only leaves unused files behind
	for _, name := range left {
		os.Remove(name)
	}
}

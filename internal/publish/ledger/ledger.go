// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
	"time"
	"unicode"
)

// Options say how to open a ledger.
type Options struct {
	// Create makes the ledger at the first write if it does not exist: a refusal before
	// leaves nothing.
	Create bool
	// Look opens read-only: nothing is written, not even an outdated head. A data folder
	// without a ledger appears to have no accounts.
	Look bool
	// Head is the path of the head file. "" means the path of the ledger plus ".head", or
	// of the data folder plus ".budget".
	Head string
	// Actor is the acting person, for the audit trail of a data folder.
	Actor string
	// Now is the clock. Nil means time.Now.
	Now func() time.Time

	step func(name string) // tests only: called between any two writes
}

// Ledger is an open ledger. It is safe for concurrent use; no other process can open it
// at the same time.
type Ledger struct {
	book Book
	head string
	opts Options

	mu     sync.Mutex // guards state, first, broken and flight, and is held while an entry is written
	state  *state
	first  *Entry                   // the first entry, until it is written
	broken error                    // why nothing can be written any more
	flight map[string]chan struct{} // requests in progress
	// recovering keeps the head unchanged until everything is charged.
	recovering bool
	restored   bool // the database is a restored backup or a copy: [Book].Restored
}

var (
	// ErrBehind is returned if a ledger is older than its head: an older copy was
	// restored.
	ErrBehind = errors.New("this is an older copy of the ledger, which lacks later debits")
	// ErrNoHead is returned if the head file is missing.
	ErrNoHead = errors.New("the ledger's head file is missing, so an older copy could not be detected")
	// ErrNotBegun is returned if there is no ledger and Create is not set.
	ErrNotBegun = fmt.Errorf("%w: entry 0 is missing", ErrDamaged)
	// ErrUnused is the ErrNotBegun of a data folder that comes from no backup: nothing is
	// missing, because no account was ever opened.
	ErrUnused = fmt.Errorf("%w", ErrNotBegun)

	errLook = errors.New("the ledger was opened read-only")
)

// OpenFile opens a ledger file, waiting half a minute for another process to close it. It
// fails with ErrBehind, ErrNoHead, ErrDamaged or fs.ErrNotExist. The caller closes it.
func OpenFile(path string, o Options) (*Ledger, error) {
	book, err := openFileBook(path, o)
	if err != nil {
		return nil, err
	}
	l, err := open(book, headPath(path, o), o)
	if err != nil {
		return nil, errors.Join(err, book.Close())
	}
	return l, nil
}

func headPath(path string, o Options) string {
	return cmp.Or(o.Head, path+".head")
}

func openFileBook(path string, o Options) (*fileBook, error) {
	book, err := openBook(path, o.Create)
	if err == nil && book.db != nil && !o.Look { // nobody else is writing a head
		sweepHead(headPath(path, o))
	}
	return book, err
}

// open reads a book and compares it with its head.
func open(book Book, head string, o Options) (*Ledger, error) {
	l := &Ledger{book: book, head: head, opts: o.complete(), flight: map[string]chan struct{}{}}
	if o.Look {
		l.broken = errLook
	}
	if err := l.load(); err != nil {
		return nil, err
	}
	h, ok, err := readHead(head)
	if err != nil {
		return nil, err
	}
	if l.state.entries == 0 {
		if ok {
			return nil, ErrBehind
		}
		switch {
		case o.Look:
			return l, nil
		case !o.Create:
			return nil, ErrNotBegun
		}
		l.begin("")
		return l, nil
	}
	return l, l.compare(h, ok)
}

func (o Options) complete() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.step == nil {
		o.step = func(string) {}
	}
	o.Actor = cmp.Or(o.Actor, "system")
	return o
}

// load reads everything. After an error the ledger is unchanged.
func (l *Ledger) load() error {
	restored, err := l.book.Restored()
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	st, err := l.read()
	if err == nil {
		l.state, l.restored = st, restored
	}
	return err
}

// read adds up the entries on disk.
func (l *Ledger) read() (*state, error) {
	raw, err := l.book.Load()
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	entries, _, err := readChain(raw)
	if err != nil {
		return nil, err
	}
	hashes := make([]string, len(raw))
	for i, text := range raw {
		hashes[i] = hashOf(text)
	}
	return replay(entries, hashes)
}

// begin prepares the first entry. id is that of the head from which a ledger is
// recovered, "" for a new one.
func (l *Ledger) begin(id string) {
	fresh, key := make([]byte, 8), make([]byte, 32)
	rand.Read(fresh) // never fails: it ends the program instead
	rand.Read(key)
	l.first = &Entry{Kind: KindNew, Schema: schema, ID: cmp.Or(id, hex.EncodeToString(fresh)), Key: hex.EncodeToString(key)}
	l.state.id, l.state.key = l.first.ID, l.first.Key
}

// start writes the first entry, if it is not written yet.
func (l *Ledger) start() error {
	first := l.first
	if first == nil {
		return nil
	}
	l.first = nil
	return l.write(*first, "", nil)
}

// compare compares the ledger with its head. The head may lag behind by entries that were
// written when a process ended: it is updated.
func (l *Ledger) compare(h Head, ok bool) error {
	if !ok && l.state.entries > 1 {
		return fmt.Errorf("%s: %w", l.head, ErrNoHead)
	}
	if err := l.follows(h, ok); err != nil {
		return err
	}
	if now := l.state.head(); !l.opts.Look && (!ok || !now.equal(h)) {
		return writeHead(l.head, now, l.opts.step)
	}
	return nil
}

// follows fails unless the chain contains the entry that the head names.
func (l *Ledger) follows(h Head, ok bool) error {
	switch {
	case !ok:
		return nil
	case h.ID != l.state.id:
		return fmt.Errorf("%w: %s is the head of another ledger", ErrDamaged, l.head)
	case h.Seq > l.state.seq:
		return ErrBehind
	}
	raw, err := l.book.Load()
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	if hashOf(raw[h.Seq]) != h.Hash {
		return fmt.Errorf("%w: its history differs from that of its head", ErrBehind)
	}
	for name, m := range h.Spent {
		if a := l.state.accounts[name]; a == nil || a.spent() < m {
			return fmt.Errorf("%w: it was not charged completely", ErrBehind)
		}
	}
	for _, name := range h.Void {
		if a := l.state.accounts[name]; a == nil || !a.Void() {
			return fmt.Errorf("%w: not every lineage is marked as void", ErrBehind)
		}
	}
	return nil
}

// Close closes the ledger.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.broken = errors.New("the ledger is closed")
	}
	return l.book.Close()
}

// append checks and writes an entry; in a new ledger it writes the first one before. The
// caller holds mu, or is the only user.
func (l *Ledger) append(e Entry, key string, answer []byte) error {
	if l.broken != nil {
		return l.broken
	}
	if err := l.state.check(e); err != nil {
		return err
	}
	if err := l.start(); err != nil {
		return err
	}
	return l.write(e, key, answer)
}

// write writes an entry and then the head.
func (l *Ledger) write(e Entry, key string, answer []byte) error {
	e.Seq, e.Prev = uint64(l.state.entries), firstPrev
	if e.Seq > 0 {
		e.Prev = l.state.hash
	}
	e.Time = l.opts.Now().UTC().Round(0)
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	l.opts.step("before " + string(e.Kind))
	if err := l.book.Append(e.Seq, raw, key, answer, l.note(e)); err != nil {
		// Whether it is on disk is unknown until everything is read again.
		l.broken = fmt.Errorf("write the ledger: %w", err)
		return l.broken
	}
	l.opts.step(string(e.Kind) + " is written")
	if err := l.state.apply(e, hashOf(raw)); err != nil {
		return err
	}
	if l.recovering {
		return nil
	}
	if err := writeHead(l.head, l.state.head(), l.opts.step); err != nil {
		return fmt.Errorf("the ledger has entry %d, whose debit stands, but its head could not be written: %w", e.Seq, err)
	}
	return nil
}

func (l *Ledger) note(e Entry) Note {
	n := Note{Actor: l.opts.Actor, Action: "budget " + string(e.Kind), Object: fmt.Sprintf("budget/%d", e.Seq)}
	if e.Micro != 0 {
		n.Detail = "epsilon " + e.Micro.String()
	}
	if e.Kind == KindOpen && e.What != "" {
		n.Detail += ", although a backup was restored: " + e.What
	}
	return n
}

// Fingerprint is a keyed hash of data, for [Request.Data]: each ledger has its own key.
func (l *Ledger) Fingerprint(data io.WriterTo) (string, error) {
	mac, err := l.keyed()
	if err != nil {
		return "", err
	}
	if _, err := data.WriteTo(mac); err != nil {
		return "", err
	}
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// keyed is a hash with the ledger's key.
func (l *Ledger) keyed() (hash.Hash, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key, err := hex.DecodeString(l.state.key)
	if err != nil {
		return nil, damaged(0, "has no key")
	}
	return hmac.New(sha256.New, key), nil
}

// mostName bounds names, in bytes.
const mostName = 200

func checkName(what, s string) error {
	if s == "" || len(s) > mostName {
		return fmt.Errorf("%s must have a name of 1 to %d bytes", what, mostName)
	}
	for _, r := range s {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return fmt.Errorf("the name of %s must be printable", what)
		}
	}
	return nil
}

// mostParts bounds the parts of a partition.
const mostParts = 10_000

// Declare divides a lineage into parts by a public rule that assigns each unit to one
// part, for example the hospital where a patient was first seen, from a public list.
// Debits of different parts do not add up. A declaration is permanent.
func (l *Ledger) Declare(lineage, partition string, parts []string) error {
	if len(parts) < 2 || len(parts) > mostParts {
		return fmt.Errorf("a partition must have 2 to %d parts", mostParts)
	}
	seen := map[string]bool{}
	err := checkName("a partition", partition)
	for _, p := range parts {
		err = errors.Join(err, checkName("a part", p))
		if seen[p] {
			err = errors.Join(err, errors.New("a part is named twice"))
		}
		seen[p] = true
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a, err := l.account(lineage)
	if err != nil {
		return err
	}
	if a.parts[partition] != nil {
		return fmt.Errorf("%s already has a partition of this name", lineage)
	}
	return l.append(Entry{Kind: KindPartition, Lineage: lineage, What: partition, Parts: parts}, "", nil)
}

// Weak records a release of the lineage without differential privacy: together with it,
// the budget limits nothing.
func (l *Ledger) Weak(lineage, what string) error {
	if err := checkName("a release", what); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.account(lineage); err != nil {
		return err
	}
	return l.append(Entry{Kind: KindWeak, Lineage: lineage, What: what}, "", nil)
}

// NoAccountError says that a lineage has no account.
type NoAccountError struct{ Lineage string }

func (e *NoAccountError) Error() string {
	return fmt.Sprintf("the ledger has no account for %q", e.Lineage)
}

func (l *Ledger) account(lineage string) (*account, error) {
	if a := l.state.accounts[lineage]; a != nil {
		return a, nil
	}
	return nil, &NoAccountError{lineage}
}

// Accounts lists all accounts in the order of opening.
func (l *Ledger) Accounts() []Account {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.list()
}

// Account returns the account of one lineage. It fails with a [*NoAccountError].
func (l *Ledger) Account(lineage string) (Account, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.account(lineage); err != nil {
		return Account{}, err
	}
	return l.state.public(lineage), nil
}

// Head is the end of the chain. Keep a copy elsewhere.
func (l *Ledger) Head() Head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.head()
}

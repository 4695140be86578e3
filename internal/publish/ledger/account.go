// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Account is what one lineage may spend and has spent.
type Account struct {
	Lineage  string `json:"lineage"`
	Unit     string `json:"unit"`
	Limit    Micro  `json:"limit_micro_epsilon"`
	Spent    Micro  `json:"spent_micro_epsilon"`
	Left     Micro  `json:"left_micro_epsilon"`
	Restored Micro  `json:"restored_micro_epsilon,omitempty"` // of Spent: charged because an older copy was put back
	// Unknown says that an older copy was put back without its head: its limit may have
	// been raised since, and spent, so that Spent may be too little.
	Unknown bool    `json:"unknown_spent,omitempty"`
	Debits  []Debit `json:"debits"`
	Weak    []Weak  `json:"weak,omitempty"` // releases beside these, which promise less
	By      string  `json:"by,omitempty"`   // the column that says which unit a row is of; "" before the first debit, or when rows have no key
	// Raises are how the limit was lifted, Apart which lineages with the same keys
	// were declared to be about others, and Shared those that were not.
	Raises []Raise   `json:"raises,omitempty"`
	Apart  []Apart   `json:"apart,omitempty"`
	Shared []Overlap `json:"shared,omitempty"`
	// Despite is why it was opened where a backup had been restored; nil where none was.
	Despite *Despite `json:"despite_restore,omitempty"`
}

// Void says that what was spent does not bound what has become known of the
// lineage.
func (a Account) Void() bool { return len(a.Weak) > 0 }

// Debit is one amount spent.
type Debit struct {
	Entry   uint64    `json:"entry"`
	Time    time.Time `json:"time"`
	Micro   Micro     `json:"micro_epsilon"`
	Part    Part      `json:"part,omitzero"`
	What    string    `json:"what"`
	Request string    `json:"request"`
	Result  string    `json:"result,omitempty"` // SHA-256 of the stored answer; "" when there never was one
}

// Weak is a release that promises less than differential privacy.
type Weak struct {
	Entry uint64    `json:"entry"`
	Time  time.Time `json:"time"`
	What  string    `json:"what"`
}

// Raise is a limit that was lifted.
type Raise struct {
	Entry uint64    `json:"entry"`
	Time  time.Time `json:"time"`
	From  Micro     `json:"from_micro_epsilon"`
	To    Micro     `json:"to_micro_epsilon"`
	Why   string    `json:"why"`
	Who   string    `json:"who"`
}

// Apart is another lineage that is not compared with this one.
type Apart struct {
	Entry uint64    `json:"entry"`
	Time  time.Time `json:"time"`
	From  string    `json:"from"`
	Why   string    `json:"why"`
	Who   string    `json:"who"`
}

// Despite is an account that was opened although what was spent before is not known.
type Despite struct {
	Entry uint64    `json:"entry"`
	Time  time.Time `json:"time"`
	Why   string    `json:"why"`
	Who   string    `json:"who"`
}

// account is an Account being added up.
type account struct {
	Account
	units sketch                      // of all debits
	whole Micro                       // debits of the whole lineage, and what was charged
	parts map[string]map[string]Micro // partition -> part -> debits
	seen  map[Part]sketch             // who was in a part that was debited
}

// spent is by sequential composition; of parts that share no unit only the most
// expensive one counts.
func (a *account) spent() Micro {
	sum := a.whole
	for _, parts := range a.parts {
		var most Micro
		for _, m := range parts {
			most = max(most, m)
		}
		sum += most
	}
	return sum
}

// with is what would be spent after a debit.
func (a *account) with(part Part, m Micro) Micro {
	before := a.spent()
	if part.whole() {
		return before + m
	}
	var most Micro
	for _, other := range a.parts[part.Partition] {
		most = max(most, other)
	}
	return before - most + max(most, a.parts[part.Partition][part.Part]+m)
}

func (a *account) add(part Part, m Micro) {
	if part.whole() {
		a.whole += m
		return
	}
	a.parts[part.Partition][part.Part] += m
}

// charge adds what was charged because an older copy was put back: to the whole, or,
// of a partition, to each part that has spent less.
func (a *account) charge(part Part, m Micro) {
	if part.whole() {
		a.whole += m
		return
	}
	for name, before := range a.parts[part.Partition] {
		a.parts[part.Partition][name] = max(before, m)
	}
}

// public is a copy that callers may keep.
func (a *account) public() Account {
	out := a.Account
	out.Spent = a.spent()
	out.Left = max(0, out.Limit-out.Spent)
	out.Debits, out.Weak = slices.Clone(a.Debits), slices.Clone(a.Weak)
	out.Raises, out.Apart = slices.Clone(a.Raises), slices.Clone(a.Apart)
	if out.Debits == nil {
		out.Debits = []Debit{}
	}
	return out
}

// state is what the entries amount to.
type state struct {
	id, key  string
	seq      uint64 // of the last entry
	hash     string // of the last entry
	entries  int
	accounts map[string]*account
	order    []string          // lineages as they were opened
	data     map[string]string // fingerprint -> the lineage that was debited for it
	debits   map[uint64]*Debit // by entry
	answers  map[string]uint64 // request -> the debit whose answer is kept
	receipts map[uint64]Receipt
	apart    map[[2]string]bool // pairs of lineages, both ways round
	restored bool               // an older copy was put back, and charged
}

// replay adds up entries that form a chain.
func replay(entries []Entry, hashes []string) (*state, error) {
	st := &state{accounts: map[string]*account{}, data: map[string]string{}, debits: map[uint64]*Debit{}, answers: map[string]uint64{}, receipts: map[uint64]Receipt{}, apart: map[[2]string]bool{}}
	for i, e := range entries {
		if err := st.apply(e, hashes[i]); err != nil {
			return nil, damaged(i, err.Error())
		}
	}
	return st, nil
}

// apply adds one entry; its error says why it cannot be.
func (st *state) apply(e Entry, hash string) error {
	if err := st.check(e); err != nil {
		return err
	}
	a := st.accounts[e.Lineage]
	switch e.Kind {
	case KindNew:
		st.id, st.key = e.ID, e.Key
	case KindOpen:
		st.accounts[e.Lineage] = &account{Account: Account{Lineage: e.Lineage, Unit: e.Unit, Limit: e.Micro}, parts: map[string]map[string]Micro{}, seen: map[Part]sketch{}}
		st.accounts[e.Lineage].learn(Part{}, e.Units)
		if e.What != "" {
			st.accounts[e.Lineage].Despite = &Despite{e.Seq, e.Time, e.What, e.Who}
		}
		st.order = append(st.order, e.Lineage)
	case KindPartition:
		a.parts[e.What] = map[string]Micro{}
		for _, p := range e.Parts {
			a.parts[e.What][p] = 0
		}
	case KindDebit:
		st.debit(a, e, hash)
	case KindRelease:
		d := st.debits[e.Debit]
		st.answers[e.Request] = e.Debit
		for i := range a.Debits {
			if a.Debits[i].Entry == e.Debit {
				a.Debits[i].Result = e.Result
			}
		}
		d.Result = e.Result
	case KindWeak:
		a.Weak = append(a.Weak, Weak{Entry: e.Seq, Time: e.Time, What: e.What})
	case KindRestore:
		st.restored = true
		before := a.spent()
		a.charge(e.Part, e.Micro)
		a.Restored += a.spent() - before
		a.Unknown = a.Unknown || e.What == headLost
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
	if a.By == "" {
		a.By = e.By
	}
	r.After = a.spent()
	d := Debit{Entry: e.Seq, Time: e.Time, Micro: e.Micro, Part: e.Part, What: e.What, Request: e.Request}
	a.Debits = append(a.Debits, d)
	st.debits[e.Seq] = &d
	st.receipts[e.Seq] = r
	if e.Data != "" {
		st.data[e.Data] = e.Lineage
	}
}

// notes are what everybody who gets a release should know of its account.
func (a *account) notes() []string {
	var out []string
	if a.Despite != nil {
		out = append(out, "The budget was opened where a backup had been restored, or in a copy: what was spent before is not known, so that it may be spent twice. The reason given: "+a.Despite.Why)
	}
	if a.Unknown {
		out = append(out, "An older copy of the ledger was put back and its head is lost: what was spent after the copy was made, if the limit had been raised, is not known, and comes on top of what is told of releases before this one.")
	}
	for _, r := range a.Raises {
		out = append(out, fmt.Sprintf("The limit was raised from %v to %v: %s", r.From, r.To, r.Why))
	}
	for _, o := range a.Apart {
		out = append(out, fmt.Sprintf("Keys of %q, whose budget is another one, look like those of the same people: %s", o.From, o.Why))
	}
	return out
}

// mostCharged bounds what is charged for an older copy, so that sums do not overflow
// and give back a budget.
const mostCharged = Micro(1) << 50

// check refuses what must never be in a ledger.
func (st *state) check(e Entry) error {
	a := st.accounts[e.Lineage]
	switch {
	case e.Kind == KindNew:
		return nil
	case e.Kind == KindOpen:
		if a != nil {
			return fmt.Errorf("opens an account that there is")
		}
		_, err := readSketch(e.Units)
		return errors.Join(err, e.Micro.check())
	case a == nil:
		return fmt.Errorf("is about an account that there is not")
	}
	switch e.Kind {
	case KindPartition:
		if _, there := a.parts[e.What]; there {
			return fmt.Errorf("declares a partition again")
		}
	case KindDebit:
		return st.checkDebit(a, e)
	case KindRelease:
		if d := st.debits[e.Debit]; d == nil || d.Request != e.Request || d.Result != "" {
			return fmt.Errorf("answers no debit")
		}
	case KindRestore:
		if e.Micro < 0 || e.Micro == 0 && e.What != headLost || e.Micro > mostCharged || a.spent() > mostCharged {
			return fmt.Errorf("charges nothing, or more than can be counted")
		}
		if _, there := a.parts[e.Part.Partition]; !e.Part.whole() && (!there || e.Part.Part != "") {
			return fmt.Errorf("charges a partition that was not declared")
		}
	case KindRaise:
		if e.Micro <= a.Limit || e.Micro.check() != nil || e.What == "" {
			return fmt.Errorf("raises no limit, or without a reason")
		}
	case KindApart:
		if st.accounts[e.From] == nil || e.From == e.Lineage || e.What == "" {
			return fmt.Errorf("is about an account that there is not, or has no reason")
		}
	case KindWeak:
	default:
		return fmt.Errorf("is of no known kind")
	}
	return nil
}

func (st *state) checkDebit(a *account, e Entry) error {
	_, err := readSketch(e.Units)
	if err := errors.Join(err, e.Micro.check()); err != nil {
		return err
	}
	if !e.Part.whole() {
		if _, there := a.parts[e.Part.Partition][e.Part.Part]; !there {
			return fmt.Errorf("debits a part that was not declared")
		}
	}
	if after := a.with(e.Part, e.Micro); after > a.Limit {
		return fmt.Errorf("spends %v of %v", after, a.Limit)
	}
	return nil
}

// head is the state as it is kept outside of the database.
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

// list is all accounts, as they were opened.
func (st *state) list() []Account {
	out := make([]Account, 0, len(st.order))
	for _, name := range st.order {
		out = append(out, st.public(name))
	}
	return out
}

// public is an account with those that share its units.
func (st *state) public(lineage string) Account {
	a := st.accounts[lineage]
	out := a.public()
	out.Shared = st.overlaps(lineage, a.units)
	return out
}

// partsOf are the names of the parts of a partition, sorted.
func (a *account) partsOf(partition string) []string {
	return slices.Sorted(maps.Keys(a.parts[partition]))
}

// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Account is the limit of one lineage and what it has spent.
type Account struct {
	Lineage  string `json:"lineage"`
	Unit     string `json:"unit"`
	Limit    Micro  `json:"limit_micro_epsilon"`
	Spent    Micro  `json:"spent_micro_epsilon"`
	Left     Micro  `json:"left_micro_epsilon"`
	Restored Micro  `json:"restored_micro_epsilon,omitempty"` // part of Spent that was charged because an older copy was restored
	// Unknown says that an older copy was restored without its head. The limit may have
	// been raised and spent since, so Spent may be too small.
	Unknown bool    `json:"unknown_spent,omitempty"`
	Debits  []Debit `json:"debits"`
	Weak    []Weak  `json:"weak,omitempty"` // other releases of the lineage with weaker guarantees
	By      string  `json:"by,omitempty"`   // the column with the unit of a row; "" before the first debit, or if rows have no key
	// Raises are the raises of the limit, Apart the lineages with the same keys that were
	// declared to be about other people, and Shared those that were not.
	Raises []Raise   `json:"raises,omitempty"`
	Apart  []Apart   `json:"apart,omitempty"`
	Shared []Overlap `json:"shared,omitempty"`
	// Despite is the reason to open it although a backup was restored; nil otherwise.
	Despite *Despite `json:"despite_restore,omitempty"`
}

// Void reports whether the budget no longer limits what can be learned about the lineage.
func (a Account) Void() bool { return len(a.Weak) > 0 }

// Debit is one amount spent.
type Debit struct {
	Entry   uint64    `json:"entry"`
	Time    time.Time `json:"time"`
	Micro   Micro     `json:"micro_epsilon"`
	Part    Part      `json:"part,omitzero"`
	What    string    `json:"what"`
	Request string    `json:"request"`
	Result  string    `json:"result,omitempty"` // SHA-256 of the stored answer; "" if there is none
}

// Weak is a release without differential privacy.
type Weak struct {
	Entry uint64    `json:"entry"`
	Time  time.Time `json:"time"`
	What  string    `json:"what"`
}

// Raise is a raised limit.
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

// Despite is an account that was opened although earlier debits are unknown.
type Despite struct {
	Entry uint64    `json:"entry"`
	Time  time.Time `json:"time"`
	Why   string    `json:"why"`
	Who   string    `json:"who"`
}

// account is an Account while entries are added up.
type account struct {
	Account
	units sketch                      // of all debits
	whole Micro                       // debits of the whole lineage, and charges
	parts map[string]map[string]Micro // partition -> part -> debits
	seen  map[Part]sketch             // units of each debited part
}

// spent is the total by sequential composition; of disjoint parts only the most expensive
// one counts.
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

// with is the total after another debit.
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

// declare makes the parts of a partition, with nothing spent.
func (a *account) declare(partition string, parts []string) {
	a.parts[partition] = map[string]Micro{}
	for _, p := range parts {
		a.parts[partition][p] = 0
	}
}

// charge adds the charge for a restored older copy: to the whole lineage, or, for a
// partition, to each part that has spent less.
func (a *account) charge(part Part, m Micro) {
	if part.whole() {
		a.whole += m
		return
	}
	for name, before := range a.parts[part.Partition] {
		a.parts[part.Partition][name] = max(before, m)
	}
}

// restore charges an account and returns how much the total rose.
func (a *account) restore(e Entry) {
	before := a.spent()
	a.charge(e.Part, e.Micro)
	a.Restored += a.spent() - before
	a.Unknown = a.Unknown || e.What == headLost
}

// checkAmount refuses an entry without an amount, or with an unreadable sketch.
func checkAmount(e Entry) error {
	_, err := readSketch(e.Units)
	return errors.Join(err, e.Micro.check())
}

func (a *account) checkDebit(e Entry) error {
	if err := checkAmount(e); err != nil {
		return err
	}
	if _, there := a.parts[e.Part.Partition][e.Part.Part]; !there && !e.Part.whole() {
		return errors.New("debits an undeclared part")
	}
	if after := a.with(e.Part, e.Micro); after > a.Limit {
		return fmt.Errorf("spends %v of %v", after, a.Limit)
	}
	return nil
}

// mostCharged limits the charge for an older copy, so that sums do not overflow.
const mostCharged = Micro(1) << 50

func (a *account) checkRestore(e Entry) error {
	if e.Micro < 0 || e.Micro == 0 && e.What != headLost || e.Micro > mostCharged || a.spent() > mostCharged {
		return errors.New("charges nothing, or too large an amount")
	}
	if _, there := a.parts[e.Part.Partition]; !e.Part.whole() && (!there || e.Part.Part != "") {
		return errors.New("charges an undeclared partition")
	}
	return nil
}

// public is a copy for callers.
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

// notes are facts about the account that every release carries.
func (a *account) notes() []string {
	var out []string
	if a.Despite != nil {
		out = append(out, "The budget was opened after a backup was restored, or in a copy. Earlier spending is unknown, so the same epsilon may be spent twice. The reason given: "+a.Despite.Why)
	}
	if a.Unknown {
		out = append(out, "An older copy of the ledger was restored and its head is lost. If the limit had been raised after the copy was made, the spending above the old limit is unknown and comes on top of the figures here.")
	}
	for _, r := range a.Raises {
		out = append(out, fmt.Sprintf("The limit was raised from %v to %v: %s", r.From, r.To, r.Why))
	}
	for _, o := range a.Apart {
		out = append(out, fmt.Sprintf("Keys of %q, which has a budget of its own, look like those of the same people: %s", o.From, o.Why))
	}
	return out
}

// partsOf returns the sorted names of the parts of a partition.
func (a *account) partsOf(partition string) []string {
	return slices.Sorted(maps.Keys(a.parts[partition]))
}

// Micro is an amount of epsilon in millionths. Sums are exact.
type Micro int64

const (
	// One is an epsilon of 1.
	One Micro = 1_000_000
	// Most is the largest epsilon of one request or account. At 20 an answer may be e^20,
	// half a billion, times more likely with a patient than without.
	Most = 20 * One
)

// ParseEpsilon reads a decimal number with at most six places, above 0 and at most
// [Most]. Numbers with more places are refused, not rounded.
func ParseEpsilon(s string) (Micro, error) {
	whole, part, _ := strings.Cut(s, ".")
	if len(part) > 6 || !digits(whole) || !digits(part) || whole+part == "" || len(whole) > 9 {
		return 0, fmt.Errorf("epsilon must be a plain number above 0, at most %v, with at most six decimal places", Most)
	}
	var m Micro
	for _, c := range whole + part + strings.Repeat("0", 6-len(part)) {
		m = 10*m + Micro(c-'0')
	}
	return m, m.check()
}

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

func (m Micro) check() error {
	switch {
	case m <= 0:
		return fmt.Errorf("epsilon must be above 0")
	case m > Most:
		return fmt.Errorf("epsilon must be at most %v: a larger one promises nothing", Most)
	}
	return nil
}

// Float is the amount as a number.
func (m Micro) Float() float64 { return float64(m) / float64(One) }

// String is the shortest decimal number.
func (m Micro) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	s := fmt.Sprintf("%s%d.%06d", sign, m/One, m%One)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// UnmarshalJSON refuses anything but an integer.
func (m *Micro) UnmarshalJSON(raw []byte) error {
	var n int64
	if err := json.Unmarshal(raw, &n); err != nil {
		return fmt.Errorf("an amount must be an integer: millionths of epsilon")
	}
	*m = Micro(n)
	return nil
}

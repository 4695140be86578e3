// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// mostShared is the share of the smaller lineage's units above which two lineages are
// about the same people.
const mostShared = 0.05

// Overlap says that some of a lineage's units are also units of another.
type Overlap struct {
	Lineage string  `json:"lineage"`
	Share   float64 `json:"share"` // of the units of the smaller of both; estimated above [MostUnits]
}

// SameUnitsError says that the units of a lineage have a budget under another name.
type SameUnitsError struct {
	Lineage string
	Others  []Overlap // not empty
}

func (e *SameUnitsError) Error() string {
	var words []string
	for _, o := range e.Others {
		words = append(words, fmt.Sprintf("%.0f %% with %q", 100*o.Share, o.Lineage))
	}
	return fmt.Sprintf("%q seems to be about the same people as another budget. Overlap, as a share of the smaller lineage: about %s. Other columns or another name do not give the same people another budget", e.Lineage, strings.Join(words, ", "))
}

// overlaps lists the other lineages that share units with these sketches, except those
// declared to be about other people.
func (st *state) overlaps(lineage string, sketches ...sketch) []Overlap {
	var out []Overlap
	for _, name := range st.order {
		if name == lineage || st.apart[[2]string{lineage, name}] {
			continue
		}
		most := 0.0
		for _, own := range sketches {
			most = max(most, own.shared(st.accounts[name].units))
		}
		if most > mostShared {
			out = append(out, Overlap{name, most})
		}
	}
	return out
}

// together returns a sketch alone, and united with the lineage's earlier units, so that
// small overlaps add up over time.
func (st *state) together(lineage string, now sketch) []sketch {
	if a := st.accounts[lineage]; a != nil {
		return []sketch{now, a.units.union(now)}
	}
	return []sketch{now}
}

// Overlaps lists the other lineages that share units with a sketch or with this lineage's
// earlier units.
func (l *Ledger) Overlaps(lineage, units string) []Overlap {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, err := readSketch(units)
	if err != nil {
		now = nil
	}
	return l.state.overlaps(lineage, l.state.together(lineage, now)...)
}

// unknown is the part of a sketch that is new to the lineage, or to its part: an entry
// records no more.
func (a *account) unknown(part Part, now sketch) string {
	had := a.units
	if !part.whole() {
		had = a.seen[part]
	}
	return now.without(had).String()
}

// learn adds the units of an entry.
func (a *account) learn(part Part, units string) {
	now, err := readSketch(units)
	if err != nil || len(now) == 0 {
		return
	}
	a.units = a.units.union(now)
	if !part.whole() {
		a.seen[part] = a.seen[part].union(now)
	}
}

// SharedPartError says that a unit was in another part of a partition when that part was
// debited. Parts that share a unit cost the sum of their spending, not the maximum.
type SharedPartError struct {
	Part  Part
	Other string // part of the same partition
}

func (e *SharedPartError) Error() string {
	return fmt.Sprintf("some people in part %q of %q were in part %q when that part was debited: parts must be disjoint, so nothing was debited", e.Part.Part, e.Part.Partition, e.Other)
}

// checkPart refuses units that another part has had: a later table may assign them
// differently.
func (a *account) checkPart(part Part, now sketch) error {
	if part.whole() {
		return nil
	}
	for _, name := range a.partsOf(part.Partition) {
		if name != part.Part && now.shared(a.seen[Part{part.Partition, name}]) > 0 {
			return &SharedPartError{part, name}
		}
	}
	return nil
}

// Apart records, with a reason, that a lineage is not about the same people as others
// although their keys overlap, or that this is accepted. Every later release of all of
// them says so. It checks all of the others before it writes anything.
func (l *Ledger) Apart(lineage string, from []string, reason, who string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	if len(from) == 0 {
		return fmt.Errorf("name the lineages that %q does not share people with", lineage)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, name := range append([]string{lineage}, from...) {
		if _, err := l.account(name); err != nil {
			return err
		}
		if i > 0 && (name == lineage || slices.Contains(from[:i-1], name) || l.state.apart[[2]string{lineage, name}]) {
			return fmt.Errorf("%q and %q are the same, or already declared to be about other people", lineage, name)
		}
	}
	for _, name := range from {
		if err := l.declareApart(lineage, name, reason, who); err != nil {
			return err
		}
	}
	return nil
}

func (l *Ledger) declareApart(lineage, from, reason, who string) error {
	return l.append(Entry{Kind: KindApart, Lineage: lineage, From: from, What: reason, Who: l.who(who)}, "", nil)
}

// the acting person, unless the caller names one
func (l *Ledger) who(name string) string {
	if name == "" {
		return l.opts.Actor
	}
	return name
}

// leastReason is the minimum length of a reason in bytes.
const leastReason = 8

// checkReason refuses a reason that is too short.
func checkReason(reason string) error {
	if utf8.RuneCountInString(strings.TrimSpace(reason)) < leastReason {
		return fmt.Errorf("give a reason of at least %d letters: it stays on record", leastReason)
	}
	return checkName("a reason", reason)
}

// Opening is an account to open.
type Opening struct {
	Lineage, Unit string
	Limit         Micro
	// Units is their [Ledger.Sketch]; "" if unknown so far.
	Units string
	// Apart is the reason why these people need another budget although they have one; ""
	// refuses that.
	Apart string
	// Despite is the reason to open it although a backup was restored and earlier
	// spending is unknown; "" refuses that.
	Despite string
	Who     string // who opens it; "" is Options.Actor
}

func (o Opening) check() error {
	return errors.Join(checkName("a lineage", o.Lineage), checkName("a unit", o.Unit), o.Limit.check())
}

// Affords returns the error with which an account opened like this would refuse a
// request. It writes nothing, so that a refused request leaves no empty account.
func (l *Ledger) Affords(o Opening, r Request) error {
	now, err := readSketch(r.Units)
	if err := errors.Join(err, o.check(), r.Check()); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.checkRestored(o); err != nil {
		return err
	}
	return l.refuse(&account{Account: Account{Lineage: o.Lineage, Unit: o.Unit, Limit: o.Limit}}, r, now)
}

// Open opens an account. It fails with a [*SameUnitsError] if its units have a budget
// under another lineage, and with a [*RestoredError] if a backup was restored, each
// unless a reason is given.
func (l *Ledger) Open(o Opening) error {
	now, err := readSketch(o.Units)
	if err := errors.Join(err, o.check()); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state.accounts[o.Lineage] != nil {
		return fmt.Errorf("%s already has an account", o.Lineage)
	}
	if err := l.checkRestored(o); err != nil {
		return err
	}
	others := l.state.overlaps(o.Lineage, now)
	if len(others) > 0 {
		if o.Apart == "" {
			return &SameUnitsError{o.Lineage, others}
		}
		if err := checkReason(o.Apart); err != nil {
			return err
		}
	}
	e := Entry{Kind: KindOpen, Lineage: o.Lineage, Unit: o.Unit, Micro: o.Limit, Units: o.Units}
	if o.Despite != "" {
		e.What, e.Who = o.Despite, l.who(o.Who)
	}
	if err := l.append(e, "", nil); err != nil {
		return err
	}
	for _, other := range others {
		if err := l.declareApart(o.Lineage, other.Lineage, o.Apart, o.Who); err != nil {
			return err
		}
	}
	return nil
}

// Raise raises the limit of an account, with a reason that is recorded permanently. The
// old limit is no longer guaranteed: every later release says that it was raised.
func (l *Ledger) Raise(lineage string, limit Micro, reason, who string) error {
	if err := errors.Join(limit.check(), checkReason(reason)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a, err := l.account(lineage)
	if err != nil {
		return err
	}
	if limit <= a.Limit {
		return fmt.Errorf("the limit is already %v: it can only be raised", a.Limit)
	}
	return l.append(Entry{Kind: KindRaise, Lineage: lineage, Micro: limit, What: reason, Who: l.who(who)}, "", nil)
}

// MostUnits is how many units of a lineage are stored; of more, the ones with the
// smallest hashes.
const MostUnits = 1 << 16

// sketch is a sorted set of keyed hashes of units, the smallest MostUnits of them. Two
// sketches sample units alike (bottom-k; Cohen and Kaplan, Summarizing data using
// bottom-k sketches, PODC 2007): up to the lower of their largest hashes, both are
// complete.
type sketch []uint64

// Sketch is what the ledger stores about the units of a dataset, to recognize them under
// another lineage or with other columns: 8 bytes of a keyed hash of each key, at most
// [MostUnits]. "" is the empty sketch.
func (l *Ledger) Sketch(units iter.Seq[string]) (string, error) {
	mac, err := l.keyed()
	if err != nil {
		return "", err
	}
	var all sketch
	for unit := range units {
		mac.Reset()
		mac.Write([]byte("unit\x00" + unit)) // never fails
		all = append(all, binary.BigEndian.Uint64(mac.Sum(nil)))
		if len(all) >= 4*MostUnits {
			all = all.tidy()
		}
	}
	return all.tidy().String(), nil
}

// tidy sorts, removes duplicates and keeps the smallest hashes.
func (s sketch) tidy() sketch {
	slices.Sort(s)
	s = slices.Compact(s)
	return s[:min(len(s), MostUnits)]
}

// sketchSchema begins the sketches of this version. Sketches of older versions had 256
// bins, which cannot show an overlap: they are read as empty.
const sketchSchema = "8:"

func (s sketch) String() string {
	if len(s) == 0 {
		return ""
	}
	raw := make([]byte, 0, 8*len(s))
	for _, h := range s {
		raw = binary.BigEndian.AppendUint64(raw, h)
	}
	return sketchSchema + base64.StdEncoding.EncodeToString(raw)
}

var errSketch = errors.New("has no readable sketch of units")

// readSketch returns nil for "" and for sketches of older versions.
func readSketch(text string) (sketch, error) {
	body, ok := strings.CutPrefix(text, sketchSchema)
	raw, err := base64.StdEncoding.DecodeString(body)
	switch {
	case err == nil && !ok && (len(raw) == 256 || text == ""):
		return nil, nil
	case err != nil || !ok || len(raw) == 0 || len(raw)%8 != 0 || len(raw) > 8*MostUnits:
		return nil, errSketch
	}
	out := make(sketch, len(raw)/8)
	for i := range out {
		out[i] = binary.BigEndian.Uint64(raw[8*i:])
		if i > 0 && out[i] <= out[i-1] {
			return nil, errSketch
		}
	}
	return out, nil
}

// reach is the hash up to which the sketch has all units.
func (s sketch) reach() uint64 {
	if len(s) < MostUnits {
		return math.MaxUint64
	}
	return s[len(s)-1]
}

// upTo returns the units whose hashes are at most h.
func (s sketch) upTo(h uint64) sketch {
	at, found := slices.BinarySearch(s, h)
	if found {
		at++
	}
	return s[:at]
}

// shared is the share of the smaller sketch's units that are in both: exact up to
// MostUnits, else estimated from the range that both sketches cover.
func (s sketch) shared(t sketch) float64 {
	reach := min(s.reach(), t.reach())
	s, t = s.upTo(reach), t.upTo(reach)
	if len(s) == 0 || len(t) == 0 {
		return 0
	}
	return float64(len(s)-len(s.without(t))) / float64(min(len(s), len(t)))
}

// without returns the units of s that t does not have.
func (s sketch) without(t sketch) sketch {
	var out sketch
	for _, h := range s {
		for len(t) > 0 && t[0] < h {
			t = t[1:]
		}
		if len(t) == 0 || t[0] != h {
			out = append(out, h)
		}
	}
	return out
}

// union is the sketch of the units of both.
func (s sketch) union(t sketch) sketch {
	return slices.Concat(s, t).tidy()
}

// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

// sketchBins is into how many bins the units of a sketch fall.
const sketchBins = 256

// Sketch is what the ledger keeps of who the units of a dataset are, to find the
// same ones again under another lineage, with other columns: of each of 256 bins
// that keyed hashes of their keys fall into, one byte of the least hash. The share
// of bins that two sketches agree in is about the share of all units that are in
// both (Broder's min-wise hashing with one permutation). "" is the sketch of nobody.
func (l *Ledger) Sketch(units iter.Seq[string]) (string, error) {
	key, err := hex.DecodeString(l.state.key)
	if err != nil {
		return "", damaged(0, "has no key")
	}
	var least [sketchBins]uint64
	for i := range least {
		least[i] = math.MaxUint64
	}
	mac, any := hmac.New(sha256.New, key), false
	for unit := range units {
		mac.Reset()
		mac.Write([]byte("unit\x00" + unit)) // never fails
		sum := mac.Sum(nil)
		bin := sum[0]
		least[bin], any = min(least[bin], binary.BigEndian.Uint64(sum[1:])), true
	}
	if !any {
		return "", nil
	}
	out := make([]byte, sketchBins)
	for i, h := range least {
		if h != math.MaxUint64 {
			out[i] = byte(1 + h%255) // 0 is an empty bin
		}
	}
	return base64.StdEncoding.EncodeToString(out), nil
}

// readSketch is nil for "".
func readSketch(s string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(raw) != sketchBins && s != "" {
		return nil, errors.New("has no sketch of units that this program knows")
	}
	return raw, nil
}

// sharedUnits estimates how many of the units of two sketches are in both.
func sharedUnits(a, b []byte) float64 {
	same, all := 0, 0
	for i := range min(len(a), len(b)) {
		if a[i] != 0 || b[i] != 0 {
			all++
		}
		if a[i] != 0 && a[i] == b[i] {
			same++
		}
	}
	return float64(same) / float64(max(1, all))
}

// mostShared is the share of units in common above which two lineages are about the
// same people. Of people who share nobody one bin in 255 agrees by chance.
const mostShared = 0.05

// Overlap says that a part of a lineage's units are also those of another.
type Overlap struct {
	Lineage string  `json:"lineage"`
	Share   float64 `json:"share"` // estimated, of the units of both
}

// SameUnitsError says that the units of a lineage have a budget under other names.
type SameUnitsError struct {
	Lineage string
	Others  []Overlap // not empty
}

func (e *SameUnitsError) Error() string {
	var words []string
	for _, o := range e.Others {
		words = append(words, fmt.Sprintf("%.0f %% with %q", 100*o.Share, o.Lineage))
	}
	return fmt.Sprintf("%q seems to be about the same people as other budgets, of which it shares about %s: other columns or another name do not give them another budget", e.Lineage, strings.Join(words, ", "))
}

// overlaps are the other lineages with which units of this one are shared, but for
// those that it was declared to be apart from.
func (st *state) overlaps(lineage string, sketches ...[]byte) []Overlap {
	var out []Overlap
	for _, name := range st.order {
		if name == lineage || st.apart[[2]string{lineage, name}] {
			continue
		}
		most := 0.0
		for _, theirs := range st.accounts[name].sketches {
			for _, own := range sketches {
				most = max(most, sharedUnits(own, theirs))
			}
		}
		if most > mostShared {
			out = append(out, Overlap{name, most})
		}
	}
	return out
}

// Overlaps are the other lineages whose units are those of a sketch, or those that
// this lineage had before.
func (l *Ledger) Overlaps(lineage, units string) []Overlap {
	l.mu.Lock()
	defer l.mu.Unlock()
	sketches := [][]byte{}
	if a := l.state.accounts[lineage]; a != nil {
		sketches = append(sketches, a.sketches...)
	}
	if now, err := readSketch(units); err == nil && now != nil {
		sketches = append(sketches, now)
	}
	return l.state.overlaps(lineage, sketches...)
}

// learn keeps a sketch that an account does not have yet.
func (a *account) learn(sketch string) {
	raw, err := readSketch(sketch)
	if err != nil || raw == nil || slices.ContainsFunc(a.sketches, func(s []byte) bool { return slices.Equal(s, raw) }) {
		return
	}
	a.sketches = append(a.sketches, raw)
}

// Apart puts on record, with a reason, that two lineages are not about the same
// people although their keys look like it, or that it is accepted that they are.
// Every later release of both says so.
func (l *Ledger) Apart(lineage, from, reason, who string) error {
	if err := checkReason(reason); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range []string{lineage, from} {
		if _, err := l.account(name); err != nil {
			return err
		}
	}
	return l.declareApart(lineage, from, reason, who)
}

func (l *Ledger) declareApart(lineage, from, reason, who string) error {
	if lineage == from || l.state.apart[[2]string{lineage, from}] {
		return fmt.Errorf("%q and %q are the same, or declared to be apart already", lineage, from)
	}
	return l.append(Entry{Kind: KindApart, Lineage: lineage, From: from, What: reason, Who: l.who(who)}, "", nil)
}

// who acts, unless the caller says so.
func (l *Ledger) who(name string) string {
	if name == "" {
		return l.opts.Actor
	}
	return name
}

// leastReason is how short the words of a reason may be, in bytes.
const leastReason = 8

func checkReason(reason string) error {
	if len(reason) < leastReason {
		return fmt.Errorf("a reason of at least %d letters must be given: it stays on record", leastReason)
	}
	return checkName("a reason", reason)
}

// Opening is an account to open.
type Opening struct {
	Lineage, Unit string
	Limit         Micro
	// Units is their [Ledger.Sketch]; "" when nobody knows yet.
	Units string
	// Apart is why it is no budget for people who have one; "" refuses that.
	Apart string
	Who   string // opens it; "" is Options.Actor
}

// Open opens an account. It fails with a [*SameUnitsError] when its units have a
// budget under another lineage and no reason is given.
func (l *Ledger) Open(o Opening) error {
	sketch, err := readSketch(o.Units)
	if err := errors.Join(err, checkName("a lineage", o.Lineage), checkName("a unit", o.Unit), o.Limit.check()); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state.accounts[o.Lineage] != nil {
		return fmt.Errorf("%s has an account already", o.Lineage)
	}
	others := l.state.overlaps(o.Lineage, sketch)
	if len(others) > 0 {
		if o.Apart == "" {
			return &SameUnitsError{o.Lineage, others}
		}
		if err := checkReason(o.Apart); err != nil {
			return err
		}
	}
	if err := l.append(Entry{Kind: KindOpen, Lineage: o.Lineage, Unit: o.Unit, Micro: o.Limit, Units: o.Units}, "", nil); err != nil {
		return err
	}
	for _, other := range others {
		if err := l.declareApart(o.Lineage, other.Lineage, o.Apart, o.Who); err != nil {
			return err
		}
	}
	return nil
}

// Raise lifts the limit of an account, with a reason that stays on record. What was
// promised under the old limit is then no longer all that may be told: every later
// release says that it was raised.
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
		return fmt.Errorf("the limit of %q is %v already: it can only be raised", lineage, a.Limit)
	}
	return l.append(Entry{Kind: KindRaise, Lineage: lineage, Micro: limit, What: reason, Who: l.who(who)}, "", nil)
}

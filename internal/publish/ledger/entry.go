// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Kind is what an entry records.
type Kind string

// The kinds of entries. They are on disk: do not change them.
const (
	KindNew       Kind = "new"       // the ledger itself: always the first, and only that
	KindOpen      Kind = "open"      // an account and its limit
	KindPartition Kind = "partition" // parts of a lineage that share no unit
	KindDebit     Kind = "debit"     // spent, whatever came of it
	KindRelease   Kind = "release"   // what a debit was answered with
	KindWeak      Kind = "weak"      // another release of the same lineage, which promises less
	KindRestore   Kind = "restore"   // charged because an older copy was put back
	KindRaise     Kind = "raise"     // a higher limit, and why
	KindApart     Kind = "apart"     // two lineages that are not compared, and why
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
	Units   string    `json:"units,omitempty"`         // open, debit: sketch of units that the lineage has not had before
	By      string    `json:"by,omitempty"`            // debit: the column that says which unit a row is of
	From    string    `json:"from,omitempty"`          // apart: the other lineage
	Who     string    `json:"who,omitempty"`           // open, raise, apart: who decided
	What    string    `json:"what,omitempty"`          // in words: mechanism, rule, weak release, reason; open: why although a backup was restored
	Result  string    `json:"result,omitempty"`        // release: SHA-256 of the stored bytes
	Debit   uint64    `json:"debit,omitempty"`         // release: the debit that it is the answer to
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

// readChain decodes entries and verifies that each follows from the one before.
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

// ErrDamaged is wrapped by every complaint about a ledger that is not as it was
// written.
var ErrDamaged = errors.New("the ledger is damaged")

func damaged(entry int, what string) error {
	return fmt.Errorf("%w: entry %d %s", ErrDamaged, entry, what)
}

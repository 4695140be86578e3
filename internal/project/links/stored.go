// SPDX-License-Identifier: Apache-2.0

package links

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// The buckets of a project's space that this package writes. Keys begin with the number of the
// run, except those of decisions, which outlive runs.
const (
	bucketLinkage   = "linkage"           // "record" -> record, "figures" -> Figures, "run" -> Run
	bucketRecords   = "linkage-records"   // run, number of the record -> storedRecord
	bucketPairs     = "linkage-pairs"     // run, number of the portion -> []storedPair
	bucketBars      = "linkage-bars"      // run, numbers of two records -> []storedBar
	bucketDecisions = "linkage-decisions" // number -> storedDecision
)

var (
	recordKey  = []byte("record")
	figuresKey = []byte("figures")
	runKey     = []byte("run")
)

// record is a linkage without its records and pairs.
type record struct {
	Number uint64  `json:"number"` // of the run, from 1
	Last   uint64  `json:"last"`   // number of the newest record; numbers are not used again
	Link   float64 `json:"link"`
	Floor  float64 `json:"floor"`
	Below  float64 `json:"below"` // expected links below the kept pairs
	By     string  `json:"by"`    // account
}

// storedRecord is a record with what its notes say of the patient.
type storedRecord struct {
	Key    string                   `json:"key"`
	Keyed  bool                     `json:"keyed"`
	Docs   []annotate.DocumentID    `json:"docs"`          // none for one that is gone and has decisions
	Note   annotate.DocumentID      `json:"note,omitzero"` // that is the record, without a patient's key; another note may have its name later
	Like   uint64                   `json:"like,omitzero"` // number of the equal record that it was compared as
	Values map[string][]storedValue `json:"values,omitempty"`
}

type storedValue struct {
	Text  string                `json:"text"`
	From  Origin                `json:"from"`
	Notes []annotate.DocumentID `json:"notes"`
	Count int                   `json:"count"`
}

// String does not show the key: it is an identifier.
func (r storedRecord) String() string { return fmt.Sprintf("a record of %d notes", len(r.Docs)) }

// GoString is String.
func (r storedRecord) GoString() string { return r.String() }

// storedPair is a pair by the numbers of its records.
type storedPair struct {
	A    uint64  `json:"a"`
	B    uint64  `json:"b"`
	Odds float64 `json:"o"`

	Conflict bool `json:"c,omitzero"` // see scoredPair
}

type storedBar struct {
	Field  string  `json:"f"`
	Level  string  `json:"l"`
	Weight float64 `json:"w"`
	Rare   float64 `json:"r,omitzero"`
}

type storedDecision struct {
	Number uint64    `json:"number"`
	A      uint64    `json:"a"`
	B      uint64    `json:"b"`
	Same   bool      `json:"same"`
	By     string    `json:"by"` // account
	At     time.Time `json:"at"`
}

func recordsKey(run, number uint64) []byte { return append(store.Key(run), store.Key(number)...) }

func pairKey(run uint64, p PairID) []byte {
	return slices.Concat(store.Key(run), store.Key(p.A), store.Key(p.B))
}

// dropOthers deletes what belongs to other runs than this: the one before, and one that was
// interrupted.
func dropOthers(tx *store.Tx, run uint64) error {
	return tx.DeleteOthers(run, bucketRecords, bucketPairs, bucketBars)
}

// loaded is a linkage as memory holds it, without values of patients. It never changes: a
// decision makes another.
type loaded struct {
	record
	figures   Figures
	run       Run
	numbers   []uint64 // of the records, ascending
	known     map[uint64]kept
	pairs     []scoredPair
	decisions []storedDecision
	groups    *groups
	asked     []question
}

// kept is what memory holds of a record.
type kept struct {
	index int // in numbers, -1 for a record that is gone
	key   string
	keyed bool
	docs  []annotate.DocumentID
	like  uint64              // see storedRecord
	note  annotate.DocumentID // see storedRecord
}

// load gives the linkage, read from the store the first time.
func (s *Service) load(ws *workspace) (*loaded, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.loaded != nil {
		return ws.loaded, nil
	}
	l := &loaded{known: map[uint64]kept{}}
	err := ws.View(func(tx *store.Tx) (err error) {
		if l.record, err = store.GetJSON[record](tx, bucketLinkage, recordKey); err != nil {
			return err
		}
		return errors.Join(l.readFigures(tx), l.readRecords(tx), l.readPairs(tx), l.readDecisions(tx))
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, errNone
	}
	if err != nil {
		return nil, fmt.Errorf("read the linkage of %s: %w", ws.ID, err)
	}
	l.regroup()
	ws.loaded = l
	return l, nil
}

func (l *loaded) readFigures(tx *store.Tx) (err error) {
	var err2 error
	l.figures, err = store.FindJSON[Figures](tx, bucketLinkage, figuresKey)
	l.run, err2 = store.FindJSON[Run](tx, bucketLinkage, runKey)
	return errors.Join(err, err2)
}

func (l *loaded) readRecords(tx *store.Tx) error {
	return tx.Scan(bucketRecords, store.Key(l.Number), func(key, raw []byte) error {
		r, err := store.DecodeJSON[storedRecord](bucketRecords, raw)
		if err == nil {
			l.keep(store.Number(key[len(store.Key(0)):]), r)
		}
		return err
	})
}

// keep adds a record. Records come by rising number.
func (l *loaded) keep(number uint64, r storedRecord) {
	k := kept{index: -1, key: r.Key, keyed: r.Keyed, docs: r.Docs, like: r.Like, note: r.Note}
	if len(r.Docs) > 0 {
		k.index = len(l.numbers)
		l.numbers = append(l.numbers, number)
	}
	l.known[number] = k
}

func (l *loaded) readPairs(tx *store.Tx) error {
	return tx.Scan(bucketPairs, store.Key(l.Number), func(_, raw []byte) error {
		some, err := store.DecodeJSON[[]storedPair](bucketPairs, raw)
		for _, p := range some {
			if a, b := l.known[p.A], l.known[p.B]; a.key != "" && b.key != "" && a.index >= 0 && b.index >= 0 {
				l.pairs = append(l.pairs, scoredPair{a.index, b.index, p.Odds, p.Conflict})
			}
		}
		return err
	})
}

func (l *loaded) readDecisions(tx *store.Tx) (err error) {
	l.decisions, err = store.ListJSON[storedDecision](tx, bucketDecisions)
	return err
}

// decided are the decisions about records that are there.
func (l *loaded) decided() map[[2]int]bool {
	out := map[[2]int]bool{}
	for _, d := range l.decisions {
		if pair, ok := l.pair(d.pair()); ok {
			out[pair] = d.Same
		}
	}
	return out
}

func (d storedDecision) pair() PairID { return PairID{d.A, d.B} }

// pair are the indices of two records, lower first. ok is false if one is not there.
func (l *loaded) pair(p PairID) (pair [2]int, ok bool) {
	a, knownA := l.known[p.A]
	b, knownB := l.known[p.B]
	return [2]int{min(a.index, b.index), max(a.index, b.index)}, knownA && knownB && a.index >= 0 && b.index >= 0
}

// id names two records by their numbers. Indices rise with numbers.
func (l *loaded) id(a, b int) PairID { return PairID{l.numbers[min(a, b)], l.numbers[max(a, b)]} }

// regroup makes the groups and the questions of the present decisions and thresholds.
func (l *loaded) regroup() {
	l.groups = newNetwork(len(l.numbers), l.pairs, l.decided(), l.Link, l.like()).group()
	l.asked = l.groups.questions(l.Floor)
}

// like gives records that were compared as an equal one the index of that one.
func (l *loaded) like() map[int]int {
	out := map[int]int{}
	for i, n := range l.numbers {
		if other, ok := l.known[l.known[n].like]; ok && other.index >= 0 {
			out[i] = other.index
		}
	}
	return out
}

// standsFor is the record that stands for a group: one with a patient's key before others, then
// the oldest.
func (l *loaded) standsFor(members []int) uint64 {
	for _, i := range members {
		if n := l.numbers[i]; l.known[n].keyed {
			return n
		}
	}
	return l.numbers[members[0]]
}

// patient is the number of the record that stands for the patient of a record.
func (l *loaded) patient(i int) uint64 { return l.standsFor(l.groups.of(l.groups.root[i])) }

// use makes a linkage the one in memory, nil for none.
func (ws *workspace) use(l *loaded) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.loaded = l
}

// object names a part of the linkage in the audit trail.
func object(id project.ID, parts ...any) string {
	return id.Object(append([]any{"links"}, parts...)...)
}

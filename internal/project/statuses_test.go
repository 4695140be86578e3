// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/store"
)

// randomStatus has all fields, and none sometimes.
func randomStatus(r *rand.Rand) Status {
	st := Status{
		Name: fmt.Sprintf("%s%d", []string{"note-", "Note ", "", "Évaluation "}[r.IntN(4)], r.IntN(1_000)), State: stateNames[r.IntN(3)], Help: helpNames[r.IntN(4)],
		Annotations: r.IntN(300), Tokens: r.IntN(1 << 20), Import: r.Uint64N(300), Revision: r.IntN(200), Random: r.IntN(5) == 0, Counted: r.IntN(4) > 0,
	}
	st.Group = []string{aloneRecord + st.Name, fmt.Sprint("p", r.IntN(9)), aloneRecord}[r.IntN(3)]
	for i := range r.IntN(4) {
		if st.Counted {
			st.Labels = append(st.Labels, LabelCount{annotate.Label(fmt.Sprint("L", (i+r.IntN(2))*2)), 1 + r.IntN(200)})
		}
	}
	for range r.IntN(5) / 3 {
		st.Finals = append(st.Finals, final{r.IntN(200), r.Uint64()})
	}
	if r.IntN(9) == 0 {
		st.Same = r.IntN(200)
	}
	return st
}

// emptyProject is a project over a store in a temporary folder.
func emptyProject(t testing.TB) (*Service, ID) {
	t.Helper()
	st, err := store.Open(store.Options{Dir: t.TempDir() + "/data", Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s, err := New(st, Options{Releases: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Create(t.Context(), account.User{ID: "u1", Name: "Ann", Role: account.Broker}, "Ward", nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, p.ID
}

var testEvent = store.Event{Actor: "u1", Action: "test", Object: "p1"}

// stored reads all statuses of a project.
func stored(t *testing.T, s *Service, id ID) map[annotate.DocumentID]Status {
	t.Helper()
	all := map[annotate.DocumentID]Status{}
	err := s.View(id, func(tx *store.Tx) error {
		return eachStatus(tx, func(doc annotate.DocumentID, st *Status) { all[doc] = *st.clone() })
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestStoredStatusesAgreeWithAMap makes random changes in transactions, some of which fail, and
// compares what is stored with a map, and with what a project that is opened shows.
func TestStoredStatusesAgreeWithAMap(t *testing.T) {
	s, id := emptyProject(t)
	r := rand.New(rand.NewPCG(4, 4))
	want, fails := map[annotate.DocumentID]Status{}, errors.New("it fails")
	for range 40 {
		next := map[annotate.DocumentID]*Status{}
		err := s.Update(id, testEvent, func(tx *store.Tx) error {
			list := newStatuses(tx)
			for range r.IntN(60) {
				changeStored(t, r, list, want, next)
			}
			if r.IntN(4) == 0 {
				return errors.Join(list.flush(), fails)
			}
			return list.flush()
		})
		if errors.Is(err, fails) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for doc, st := range next {
			if delete(want, doc); st != nil {
				want[doc] = *st
			}
		}
		if got := stored(t, s, id); !reflect.DeepEqual(got, want) {
			t.Fatalf("%d statuses are stored, want %d; or one differs", len(got), len(want))
		}
	}
	ws, err := s.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	for doc, st := range want {
		if got, err := ws.Find(doc); err != nil || !reflect.DeepEqual(got, st) {
			t.Errorf("document %d: %+v, %v; want %+v", doc, got, err, st)
		}
	}
}

// changeStored puts or drops one of 700 documents; nil in next is a dropped one.
func changeStored(t *testing.T, r *rand.Rand, list *statuses, want map[annotate.DocumentID]Status, next map[annotate.DocumentID]*Status) {
	doc := annotate.DocumentID(1 + r.IntN(700))
	now, there := want[doc]
	if st, changed := next[doc]; changed {
		if there = st != nil; there {
			now = *st
		}
	}
	got, err := list.get(doc)
	if there && (err != nil || !reflect.DeepEqual(got, now)) || !there && !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("document %d: %+v, %v; want %+v, %v", doc, got, err, now, there)
	}
	if r.IntN(3) == 0 {
		next[doc], err = nil, list.drop(doc)
	} else {
		next[doc] = new(randomStatus(r))
		err = list.put(doc, *next[doc])
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestEarlierStatusesAreMoved opens a project with the statuses of earlier versions, half of
// which were moved before the program died.
func TestEarlierStatusesAreMoved(t *testing.T) {
	s, id := emptyProject(t)
	r := rand.New(rand.NewPCG(5, 5))
	want := map[annotate.DocumentID]Status{}
	var moved []annotate.DocumentID
	err := s.Update(id, testEvent, func(tx *store.Tx) error {
		for range 600 {
			doc, st := annotate.DocumentID(1+r.IntN(900)), randomStatus(r)
			if len(moved)%2 == 0 {
				st.State = "" // as the first versions stored new notes
			}
			if err := store.PutJSON(tx, bucketEarlierStatus, docKey(doc), st); err != nil {
				return err
			}
			if st.State == "" {
				st.State = annotate.New
			}
			want[doc], moved = st, append(moved, doc)
		}
		moved = moved[:1]
		return moveStatuses(tx, moved)
	})
	if err != nil {
		t.Fatal(err)
	}
	ws, err := s.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	if got := stored(t, s, id); !reflect.DeepEqual(got, want) {
		t.Errorf("%d statuses are stored, want %d; or one differs", len(got), len(want))
	}
	if n := ws.Overview().Documents; n != len(want) {
		t.Errorf("the project has %d notes, want %d", n, len(want))
	}
	err = s.View(id, func(tx *store.Tx) error {
		left, err := tx.Count(bucketEarlierStatus)
		if left > 0 {
			t.Errorf("%d statuses are left behind", left)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// someBlock is a stored block with documents at these places.
func someBlock(t testing.TB, seed uint64, places ...int) []byte {
	t.Helper()
	r, b := rand.New(rand.NewPCG(seed, 6)), new(storedBlock)
	for _, at := range places {
		b.docs[at] = new(randomStatus(r))
	}
	raw, err := b.encode()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// FuzzDecodeBlock: what can be read is written as the same bytes, so no block has two forms.
func FuzzDecodeBlock(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(someBlock(f, seed, 0, 1, 7, 8, 9, 10, 200, 255))
	}
	f.Add([]byte{blockVersion})
	f.Fuzz(func(t *testing.T, raw []byte) {
		b := new(storedBlock)
		if err := decodeBlock(raw, func(at int, st *Status) { b.docs[at] = st.clone() }); err != nil {
			if strings.Contains(err.Error(), "note") {
				t.Errorf("the error may show a name: %v", err)
			}
			return
		}
		again, err := b.encode()
		if err != nil || !bytes.Equal(raw, again) {
			t.Errorf("%x is read, and written as %x: %v", raw, again, err)
		}
	})
}

// TestDamagedBlocksAreRefused: every shortened block, and those with wrong parts.
func TestDamagedBlocksAreRefused(t *testing.T) {
	whole := someBlock(t, 3, 1, 2)
	nothing := func(int, *Status) {}
	if err := decodeBlock(whole, nothing); err != nil {
		t.Fatal(err)
	}
	first := 0
	if err := decodeBlock(someBlock(t, 3, 1), nothing); err == nil {
		first = len(someBlock(t, 3, 1)) // a block with the first document alone is whole
	}
	for n := range whole {
		if err := decodeBlock(whole[:n], nothing); err == nil && n != first {
			t.Errorf("the first %d of %d bytes are read", n, len(whole))
		}
	}
	plain := func(name string) []byte { return append([]byte{0, byte(len(name))}, name...) }
	doc := func(step, flags byte, name []byte, rest ...byte) []byte {
		return append(append(append([]byte{step, flags}, name...), 0, 0, 0, 0), rest...)
	}
	alone := byte(flagAlone)
	one := doc(1, alone, plain("a"))
	for _, c := range []struct {
		name string
		raw  [][]byte
		why  string
	}{
		{"version", [][]byte{{2}, one}, "version"},
		{"twice", [][]byte{{1}, one, doc(0, alone, plain("b"))}, "twice"},
		{"beyond", [][]byte{{1}, doc(0xff, alone, plain("a"))}, "range"},
		{"state", [][]byte{{1}, doc(1, alone|3, plain("a"))}, "state"},
		{"shared", [][]byte{{1}, one, doc(1, alone, plain("ab"))}, "repeats"},
		{"rare", [][]byte{{1}, doc(1, alone|flagRare, plain("a"), 0, 0)}, "flagged"},
		{"label twice", [][]byte{{1}, doc(1, alone|flagCounted, plain("a"), 2, 0, 1, 'L', 1, 1, 1, 'L', 1)}, "new twice"},
		{"label unknown", [][]byte{{1}, doc(1, alone|flagCounted, plain("a"), 1, 5, 1)}, "range"},
	} {
		err := decodeBlock(bytes.Join(c.raw, nil), nothing)
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", c.name, err, c.why)
		}
	}
	if err := decodeBlock(append([]byte{1}, one...), nothing); err != nil {
		t.Errorf("the rows of this test are wrong: %v", err)
	}
}

func TestNumbersOutOfRangeAreNotStored(t *testing.T) {
	for _, st := range []Status{{Tokens: -1}, {Annotations: 1 << 33}, {Import: 1 << 40}, {Same: -2}} {
		b := new(storedBlock)
		b.docs[3] = &st
		if raw, err := b.encode(); err == nil {
			t.Errorf("%d bytes for %+v", len(raw), st)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/testsize"
)

// linear computes every answer of the index from all documents, each time anew. It is how
// the queue worked before the index, and its oracle.
type linear struct {
	docs  map[annotate.DocumentID]Status
	links map[string]string
	draw  uint64
	hands map[string]hand
}

func (l linear) order() []annotate.DocumentID {
	var all []annotate.DocumentID
	for doc := range l.docs {
		all = append(all, doc)
	}
	slices.Sort(all)
	return all
}

func (l linear) drawn() []annotate.DocumentID {
	all := slices.DeleteFunc(l.order(), func(doc annotate.DocumentID) bool { return l.docs[doc].Random })
	slices.SortStableFunc(all, func(a, b annotate.DocumentID) int {
		x, y := mix(l.draw, uint64(a)), mix(l.draw, uint64(b))
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return all
}

func (l linear) held(user string) map[annotate.DocumentID]bool {
	held := map[annotate.DocumentID]bool{}
	for u, h := range l.hands {
		if u != user {
			held[h.doc] = true
		}
	}
	return held
}

func (l linear) list(f QueueFilter) (page QueuePage) {
	page.Offset = f.Offset
	for _, doc := range l.order() {
		st := l.docs[doc]
		page.Total++
		switch st.State {
		case annotate.Done:
			page.Done++
		case annotate.InProgress:
			page.InProgress++
		default:
			page.New++
		}
		if f.State != "" && st.State != f.State || !strings.Contains(strings.ToLower(st.Name), f.Query) {
			continue
		}
		if page.Matching >= f.Offset && len(page.Items) < f.Limit {
			page.Items = append(page.Items, newItem(doc, &st, 0))
		}
		page.Matching++
	}
	return page
}

// next is the choice that the three rules make: begun notes, the drawn order, usefulness.
func (l linear) next(user string, after annotate.DocumentID, looks map[annotate.DocumentID]bootstrap.Look) (annotate.DocumentID, bool) {
	held, done := l.held(user), 0
	var begun, open []annotate.DocumentID
	for _, doc := range l.order() {
		st := l.docs[doc]
		switch {
		case st.State == annotate.Done:
			done++
		case held[doc] || doc == after:
		case st.State == annotate.InProgress && st.Revision > 0:
			begun = append(begun, doc)
		default:
			open = append(open, doc)
		}
	}
	if len(begun) > 0 {
		return begun[0], false
	}
	if len(open) == 0 {
		return 0, false
	}
	if len(looks) > 0 && !bootstrap.Random(done) {
		if best := l.useful(held, open, looks); best != 0 {
			return best, false
		}
	}
	for _, doc := range l.drawn() {
		if slices.Contains(open, doc) {
			return doc, true
		}
	}
	return open[0], false
}

func (l linear) useful(held map[annotate.DocumentID]bool, open []annotate.DocumentID, all map[annotate.DocumentID]bootstrap.Look) annotate.DocumentID {
	var docs []annotate.DocumentID
	var looks, since []bootstrap.Look
	for _, doc := range open {
		if look, scored := all[doc]; scored {
			docs, looks = append(docs, doc), append(looks, look)
		}
	}
	for doc, look := range all {
		if st, known := l.docs[doc]; known && (st.State == annotate.Done || held[doc]) {
			since = append(since, look)
		}
	}
	if best := bootstrap.MostUseful(looks, since); best >= 0 {
		return docs[best]
	}
	return 0
}

func (l linear) counts() (c [6]int) {
	groups := map[string]bool{}
	for _, st := range l.docs {
		c[5] += st.Annotations
		if st.Help == HelpBlind {
			c[3]++
		}
		if st.State != annotate.Done {
			continue
		}
		c[0], c[1] = c[0]+1, c[1]+st.Annotations
		if to, linked := l.links[st.Group]; linked {
			groups[to] = true
		} else {
			groups[st.Group] = true
		}
		if st.Help == HelpShown {
			c[4]++
		}
	}
	c[2] = len(groups)
	return c
}

func (l linear) sample() map[annotate.DocumentID]bool {
	held, sample := l.held(""), map[annotate.DocumentID]bool{}
	for doc, st := range l.docs {
		if st.Random && st.State == annotate.Done {
			sample[doc] = true
		}
	}
	for _, doc := range l.drawn() {
		done := l.docs[doc].State == annotate.Done
		if !done && !held[doc] {
			break
		}
		if done {
			sample[doc] = true
		}
	}
	return sample
}

// standing is a service whose clock stands at the time at which all hands opened a note.
func standing() *Service {
	return &Service{opts: Options{Now: func() time.Time { return time.Time{} }}}
}

// TestIndexAgreesWithTheDocuments makes random imports, edits, deletions and openings, and
// compares all answers of the index with those computed from the documents.
func TestIndexAgreesWithTheDocuments(t *testing.T) {
	testsize.Slow(t)
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		l := linear{docs: map[annotate.DocumentID]Status{}, links: map[string]string{}, draw: random.Uint64(), hands: map[string]hand{}}
		ws := &Workspace{ID: "p1", service: standing(), index: newIndex(l.draw), hands: l.hands, model: nothing{}}
		ws.setNames()
		newest := annotate.DocumentID(0)
		for range 250 {
			newest = step(random, ws, l, newest)
			compare(t, random, ws, l, newest)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

var states = []annotate.State{annotate.New, annotate.InProgress, annotate.Done}

// step changes the index and its oracle alike.
func step(random *rand.Rand, ws *Workspace, l linear, newest annotate.DocumentID) annotate.DocumentID {
	some := func() annotate.DocumentID { return 1 + annotate.DocumentID(random.Uint64N(uint64(newest)+1)) }
	change := func(doc annotate.DocumentID, st Status) {
		l.docs[doc] = st
		ws.put(doc, &st)
	}
	status := func(doc annotate.DocumentID) Status {
		st := Status{Name: fmt.Sprintf("%s-%d", []string{"Note", "note"}[random.IntN(2)], doc), State: states[random.IntN(3)], Random: random.IntN(9) == 0, Annotations: random.IntN(5), Import: uint64(doc) / 7}
		st.Group = annotate.Document{Name: st.Name, Patient: []string{fmt.Sprint(doc / 3), ""}[random.IntN(2)]}.Record()
		return st
	}
	switch random.IntN(9) {
	case 8: // link records
		clear(l.links)
		record := func() string {
			st := l.docs[some()]
			return cmp.Or(st.Group, "p")
		}
		for range random.IntN(4) {
			to := record()
			if was := cmp.Or(l.links[to], to); was == to {
				l.links[to] = to
				l.links[cmp.Or(record(), to)] = to
			}
		}
		for _, to := range l.links {
			l.links[to] = to
		}
		ws.TakeLinks(&Links{Of: maps.Clone(l.links)})
	case 0, 1: // import
		for range 1 + random.IntN(4) {
			newest += 1 + annotate.DocumentID(random.IntN(2))
			if random.IntN(50) == 0 {
				newest += 130 // an import was dropped
			}
			change(newest, status(newest))
		}
	case 2: // delete some
		gone := []annotate.DocumentID{some(), some(), some()}
		for _, doc := range gone {
			delete(l.docs, doc)
		}
		ws.drop(gone...)
	case 3: // restore one
		if doc := some(); doc < newest {
			if _, there := l.docs[doc]; !there {
				change(doc, status(doc))
			}
		}
	case 4:
		l.hands[fmt.Sprint("u", random.IntN(4))] = hand{doc: some()}
	default: // edit one
		doc := some()
		if st, there := l.docs[doc]; there {
			st.State, st.Annotations, st.Revision = states[random.IntN(3)], random.IntN(9), st.Revision+random.IntN(2)
			st.Help = helpNames[random.IntN(4)]
			st.Same, st.Finals = random.IntN(2)*random.IntN(9), nil
			if random.IntN(3) == 0 {
				st.Finals = []final{{random.IntN(9), random.Uint64()}}
			}
			st.Labels, st.Counted = nil, true
			for _, l := range []annotate.Label{"A", "B", "C"}[random.IntN(3):] {
				st.Labels = append(st.Labels, LabelCount{l, 1 + random.IntN(300)})
			}
			change(doc, st)
		}
	}
	return newest
}

func docsOf(page QueuePage) (docs []annotate.DocumentID) {
	for _, item := range page.Items {
		docs = append(docs, item.Document)
	}
	return docs
}

func compare(t *testing.T, random *rand.Rand, ws *Workspace, l linear, newest annotate.DocumentID) {
	t.Helper()
	f := QueueFilter{State: append(states, "")[random.IntN(4)], Offset: random.IntN(30), Limit: 1 + random.IntN(20)}
	if random.IntN(3) == 0 {
		f.Query = fmt.Sprintf([]string{"note-%d", "%dnote"}[random.IntN(2)], random.IntN(10)) // the second is nowhere but between two names
	}
	if got, want := ws.list(f), l.list(f); !reflect.DeepEqual(got, want) {
		t.Errorf("list %+v:\n%+v, want\n%+v", f, got, want)
	}
	looks := map[annotate.DocumentID]bootstrap.Look{}
	for range random.IntN(6) {
		looks[1+annotate.DocumentID(random.IntN(int(newest)+1))] = bootstrap.Look{Doubt: random.Float64()}
	}
	user, after := fmt.Sprint("u", random.IntN(5)), annotate.DocumentID(random.IntN(int(newest)+1))
	want, drawn := l.next(user, after, looks)
	if got, _ := ws.choose(user, after, looks); got.Document != want || got.Random != drawn {
		t.Errorf("next for %s after %d: %+v, want %d, drawn %v", user, after, got, want, drawn)
	}
	compareDocuments(t, random, ws, l)
	documents, groups, spans := ws.FinishedCounts()
	blind, assisted := ws.HelpCounts()
	if got := [6]int{documents, spans, groups, blind, assisted, ws.Overview().Annotations}; got != l.counts() {
		t.Errorf("counts %v, want %v", got, l.counts())
	}
	if got, want := ws.RandomSample().Slice(), slices.Sorted(maps.Keys(l.sample())); !slices.Equal(got, want) {
		t.Errorf("sample %v, want %v", got, want)
	}
	order := l.order()
	if at := slices.Index(order, after); at >= 0 {
		page := ws.list(QueueFilter{Around: after, Limit: 4 + random.IntN(9)})
		near := order[max(0, at-1):min(len(order), at+2)]
		if got := docsOf(page); !slices.Equal(got, order[page.Offset:page.Offset+len(got)]) || !slices.Contains(got, near[0]) || !slices.Contains(got, near[len(near)-1]) {
			t.Errorf("around %d: %v from %d, of %v", after, got, page.Offset, order)
		}
	}
	if doc := after; doc != 0 {
		if got, want := ws.ImportedAfter(doc), len(order)-len(slices.DeleteFunc(slices.Clone(order), func(o annotate.DocumentID) bool { return o > doc })); got != want {
			t.Errorf("%d documents after %d, want %d", got, doc, want)
		}
	}
}

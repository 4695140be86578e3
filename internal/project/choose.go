// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/crf"
)

// How the next document is chosen.
const (
	firstAtRandom = 10  // the first documents are all drawn at random
	randomShare   = 4   // of those after, one in randomShare
	lookSample    = 200 // documents the model looks at after each training
	recentDone    = 20  // documents that the next one should differ from
)

// look is what the newest model made of a document that is not done.
type look struct {
	suggestions int
	doubt       float64 // sum of min(p, 1-p) over tokens, p = P(sensitive), per 100 tokens
	words       sketch
}

// sketch is a set of words, hashed to 1024 bits.
type sketch [16]uint64

func sketchOf(words []string, seed maphash.Seed) sketch {
	var s sketch
	for _, w := range words {
		h := maphash.String(seed, w) % 1024
		s[h/64] |= 1 << (h % 64)
	}
	return s
}

// likeness is the Jaccard coefficient of the two sets, from 0 to 1.
func (s sketch) likeness(t sketch) float64 {
	var both, either int
	for i := range s {
		both += bits.OnesCount64(s[i] & t[i])
		either += bits.OnesCount64(s[i] | t[i])
	}
	return float64(both) / math.Max(1, float64(either))
}

// lookAt lets a model read one document.
func lookAt(model *crf.Model, d annotate.Document, seed maphash.Seed) look {
	doc := crf.NewDoc(annotate.Annotated{Document: d})
	var doubt float64
	for _, p := range model.Sensitive(doc) {
		doubt += math.Min(p, 1-p)
	}
	return look{
		suggestions: len(model.Tag(doc)),
		doubt:       100 * doubt / math.Max(1, float64(len(doc.Words))),
		words:       sketchOf(doc.Words, seed),
	}
}

// Next says which document to annotate next, other than after, and why. It
// changes nothing: opening the document is what keeps it from others. Its kind
// is NotFound when there is none.
func (s *Service) Next(ctx context.Context, by account.User, id ID, after annotate.DocumentID) (Choice, error) {
	ws, err := s.enter(by, account.Annotate, id)
	if err != nil {
		return Choice{}, err
	}
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.choose(by.ID, after)
}

// choose needs ws.mu.
func (ws *workspace) choose(user string, after annotate.DocumentID) (Choice, error) {
	begun, open, left, done := ws.openTo(user, after)
	switch {
	case left == 0:
		return Choice{}, &Error{Kind: NotFound, Message: "every note is done", Hint: "sanitize next, or import more notes"}
	case len(begun)+len(open) == 0:
		return Choice{}, &Error{Kind: NotFound, Message: "the notes that are left are open at somebody else's", Hint: "choose one from the list, or come back later"}
	case len(begun) > 0:
		return Choice{Document: begun[0], Reason: "it was begun and is not done"}, nil
	case done < firstAtRandom || len(ws.model.looks) == 0 || done%randomShare == 0:
		return ws.drawnNext(open), nil
	}
	return ws.mostUseful(open), nil
}

// drawnNext is the first of the open documents in the drawn order.
func (ws *workspace) drawnNext(open []annotate.DocumentID) Choice {
	among := make(map[annotate.DocumentID]bool, len(open))
	for _, doc := range open {
		among[doc] = true
	}
	for _, doc := range ws.drawn {
		if among[doc] {
			return Choice{Document: doc, Reason: "drawn at random, so that the estimates stay honest", Random: true}
		}
	}
	return Choice{Document: open[0], Reason: "it is the first that is left"}
}

// hand is a document that a person has open.
type hand struct {
	doc annotate.DocumentID
	at  time.Time // when they opened it
}

// handLasts is how long an opened document is kept from others' next choice.
const handLasts = 30 * time.Minute

// hold remembers that a person has opened a document.
func (ws *workspace) hold(user string, doc annotate.DocumentID, now time.Time) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for u, h := range ws.hands {
		if now.Sub(h.at) > handLasts {
			delete(ws.hands, u)
		}
	}
	ws.hands[user] = hand{doc, now}
}

// heldBy is the documents in the hands of people other than user. The caller
// holds ws.mu.
func (ws *workspace) heldBy(user string) map[annotate.DocumentID]bool {
	held := map[annotate.DocumentID]bool{}
	for u, h := range ws.hands {
		if u != user {
			held[h.doc] = true
		}
	}
	return held
}

// openTo lists the documents that are not done and not in another person's
// hands, in order of import: those that somebody has begun to edit, and the
// others. left counts all that are not done, done the others.
func (ws *workspace) openTo(user string, after annotate.DocumentID) (begun, open []annotate.DocumentID, left, done int) {
	held := ws.heldBy(user)
	for _, doc := range ws.order {
		st := ws.docs[doc]
		if st.State == annotate.Done {
			done++
			continue
		}
		left++
		switch {
		case held[doc] || doc == after:
		case st.State == annotate.InProgress && st.Revision > 0:
			begun = append(begun, doc)
		default:
			open = append(open, doc)
		}
	}
	return begun, open, left, done
}

// mostUseful is the document with the greatest doubt times unlikeness to what
// was done of late, among those that the model has looked at.
func (ws *workspace) mostUseful(open []annotate.DocumentID) Choice {
	recent := ws.recentSketches()
	best, bestWorth, bestLook := open[0], -1.0, look{}
	for _, doc := range open {
		l, seen := ws.model.looks[doc]
		if !seen {
			continue
		}
		worth := l.doubt * (1 - nearest(l.words, recent))
		if worth > bestWorth {
			best, bestWorth, bestLook = doc, worth, l
		}
	}
	if bestWorth < 0 {
		return ws.drawnNext(open) // the model has not read any of them yet
	}
	reason := fmt.Sprintf("the model is unsure of about %.1f words in 100 here", bestLook.doubt)
	if nearest(bestLook.words, recent) < 0.5 {
		reason += ", and it is unlike the notes you did last"
	}
	return Choice{Document: best, Reason: reason}
}

func (ws *workspace) recentSketches() []sketch {
	var recent []sketch
	for _, doc := range slices.Backward(ws.order) {
		if l, seen := ws.model.looks[doc]; seen && ws.docs[doc].State == annotate.Done {
			recent = append(recent, l.words)
		}
		if len(recent) == recentDone {
			break
		}
	}
	return recent
}

func nearest(s sketch, others []sketch) float64 {
	var most float64
	for _, o := range others {
		most = math.Max(most, s.likeness(o))
	}
	return most
}

// lookAround lets the newest model read a sample of what is not done, for the
// queue and the next choice, until ctx ends.
func (s *Service) lookAround(ctx context.Context, ws *workspace, model *crf.Model) error {
	ws.mu.RLock()
	var open, done []annotate.DocumentID
	for _, doc := range ws.order {
		if ws.docs[doc].State == annotate.Done {
			done = append(done, doc)
		} else {
			open = append(open, doc)
		}
	}
	ws.mu.RUnlock()
	rand.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	sample := append(open[:min(len(open), lookSample)], done[max(0, len(done)-recentDone):]...)
	seed, looks := maphash.MakeSeed(), make(map[annotate.DocumentID]look, len(sample))
	for d, err := range s.documents(ctx, ws, sample) {
		if err != nil {
			return err
		}
		looks[d.id] = lookAt(model, d.Document, seed)
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.model.model == model {
		ws.model.looks = looks
	}
	return nil
}

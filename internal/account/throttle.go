// SPDX-License-Identifier: Apache-2.0

package account

import (
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"

	"hide/internal/words"
)

// Limits of failed tries. Waiting instead of locking means that a stranger who keeps
// trying cannot keep the owner of an account out: the wait ends, and a device that the
// owner has used before does not share it.
const (
	freeTries     = 5  // of a name or a device, before the first wait
	freePeerTries = 20 // of an address, which a whole hospital may share
	firstWait     = 2 * time.Second
	maxWait       = 15 * time.Minute
	forgetAfter   = time.Hour        // without a try
	halveAfter    = 15 * time.Minute // for an address, where somebody always mistypes
	maxTracked    = 10_000           // subjects remembered at once
)

// TooManyTriesError says that the next try has to wait after failed ones.
type TooManyTriesError struct {
	Wait time.Duration // until the next try is possible, in whole seconds
}

func (e *TooManyTriesError) Error() string {
	return "too many failed tries: wait " + waitWords(e.Wait) + " and try again"
}

// waitWords is a wait in words, rounded up so that nobody tries too early.
func waitWords(d time.Duration) string {
	n := int((d + time.Second - 1) / time.Second)
	if n > 90 {
		return words.Count((n+59)/60, "minute", "minutes")
	}
	return words.Count(n, "second", "seconds")
}

// subject is what failures are counted for. It holds a hash, so that none is larger than
// another.
type subject struct {
	hash [sha256.Size]byte
	peer bool // an address
}

func (s subject) free() int {
	if s.peer {
		return freePeerTries
	}
	return freeTries
}

func nameSubject(name string) subject {
	return subject{hash: sha256.Sum256([]byte("name:" + foldName(name)))}
}

func deviceSubject(nonce string) subject {
	return subject{hash: sha256.Sum256([]byte("device:" + nonce))}
}

// changeSubject counts guesses of the present password by somebody who has a session.
// Strangers cannot add to it.
func changeSubject(id string) subject {
	return subject{hash: sha256.Sum256([]byte("change:" + id))}
}

// factorSubject counts wrong codes. Only somebody with the password or a session can add to
// it.
func factorSubject(id string) subject {
	return subject{hash: sha256.Sum256([]byte("factor:" + id))}
}

// peerSubjects is empty for an address that does not identify the person. The addresses
// of an IPv6 network of one customer count as one: anybody there has 2^64.
func peerSubjects(peer string) []subject {
	if peer == "" {
		return nil
	}
	if a, err := netip.ParseAddr(peer); err == nil && a.Unmap().Is6() {
		peer = netip.PrefixFrom(a.WithZone(""), 64).Masked().String()
	}
	return []subject{{hash: sha256.Sum256([]byte("peer:" + peer)), peer: true}}
}

// tries are the failed tries of a subject since it was last forgotten.
type tries struct {
	failed int
	last   time.Time
	halved time.Time // for an address
}

// wait is how long after the last try the next one is possible.
func (t tries) wait(free int) time.Duration {
	if t.failed < free {
		return 0
	}
	wait := firstWait
	for n := free; n < t.failed && wait < maxWait; n++ {
		wait *= 2
	}
	return min(wait, maxWait)
}

// throttle slows down tries per subject. A try counts as failed from its start, so
// parallel tries count like sequential ones.
type throttle struct {
	mu    sync.Mutex // guards tries
	tries map[subject]tries
}

func newThrottle() *throttle { return &throttle{tries: map[subject]tries{}} }

// begin counts a try for all the subjects, or returns a [*TooManyTriesError] if one of
// them has to wait. A refused try is not counted: it does not make the wait longer.
func (t *throttle) begin(now time.Time, subjects ...subject) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forgetOld(now)
	var left time.Duration
	for _, s := range subjects {
		left = max(left, t.left(s, now))
	}
	if left > 0 {
		return &TooManyTriesError{Wait: (left + time.Second - 1).Truncate(time.Second)}
	}
	for _, s := range subjects {
		known := t.tries[s]
		if known.failed == 0 {
			known.halved = now
		}
		known.failed, known.last = known.failed+1, now
		t.tries[s] = known
	}
	return nil
}

// left is how long the subject still has to wait. If the clock was set back before the
// last try, the wait starts again: it never lasts longer than maxWait.
func (t *throttle) left(s subject, now time.Time) time.Duration {
	known, ok := t.tries[s]
	if !ok {
		return 0
	}
	since := now.Sub(known.last)
	if since >= forgetAfter {
		delete(t.tries, s)
		return 0
	}
	if since < 0 {
		known.last, known.halved, since = now, now, 0
	}
	if s.peer && now.Sub(known.halved) >= halveAfter {
		known.failed, known.halved = known.failed/2, now
	}
	t.tries[s] = known
	return max(0, known.wait(s.free())-since)
}

// succeed forgets the failures of a name or a device. Of an address it takes back only
// this try: a person with an account must not reset the count for guessing others'.
func (t *throttle) succeed(subjects ...subject) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range subjects {
		known := t.tries[s]
		if known.failed--; !s.peer || known.failed <= 0 {
			delete(t.tries, s)
			continue
		}
		t.tries[s] = known
	}
}

// forgetOld limits the size of the map. If no try is old enough, the subjects with the
// fewest tries go first: names that nobody attacks, not the one that somebody does.
func (t *throttle) forgetOld(now time.Time) {
	if len(t.tries) < maxTracked {
		return
	}
	for s, known := range t.tries {
		if now.Sub(known.last) >= forgetAfter {
			delete(t.tries, s)
		}
	}
	for fewest := 1; len(t.tries) >= maxTracked; fewest++ {
		for s, known := range t.tries {
			if known.failed <= fewest && len(t.tries) >= maxTracked*3/4 {
				delete(t.tries, s)
			}
		}
	}
}

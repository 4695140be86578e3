// SPDX-License-Identifier: Apache-2.0

package account

import (
	"slices"
	"sync"
	"time"
)

const (
	maxTries   = 10
	tryWindow  = 15 * time.Minute
	maxTracked = 10_000 // subjects remembered at once
)

// lockout counts tries per subject: a name, or an address. A try counts from its
// beginning, so that many at once are not more than many in turn.
type lockout struct {
	mu    sync.Mutex // guards tries
	tries map[string][]time.Time
}

func newLockout() *lockout { return &lockout{tries: map[string][]time.Time{}} }

// begin counts a try for all the subjects, or gives a [*LockoutError] when one of
// them has had too many; such a try is not counted.
func (l *lockout) begin(now time.Time, subjects ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgetOld(now)
	for _, s := range subjects {
		if t := recent(l.tries[s], now); len(t) >= maxTries {
			return &LockoutError{Until: t[len(t)-maxTries].Add(tryWindow)}
		}
	}
	for _, s := range subjects {
		l.tries[s] = append(recent(l.tries[s], now), now)
	}
	return nil
}

// succeed takes back the try that was counted at the time begun, and forgets all
// tries for name.
func (l *lockout) succeed(begun time.Time, name string, others ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tries, name)
	for _, s := range others {
		if i := slices.Index(l.tries[s], begun); i >= 0 {
			l.tries[s] = slices.Delete(l.tries[s], i, i+1)
		}
	}
}

// recent are the tries that still count. A clock that was set back does not make
// them count for longer.
func recent(tries []time.Time, now time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(tries), func(t time.Time) bool {
		return now.Sub(t) >= tryWindow || t.Sub(now) >= tryWindow
	})
}

// forgetOld keeps the map small.
func (l *lockout) forgetOld(now time.Time) {
	if len(l.tries) < maxTracked {
		return
	}
	for s, t := range l.tries {
		if len(recent(t, now)) == 0 {
			delete(l.tries, s)
		}
	}
}

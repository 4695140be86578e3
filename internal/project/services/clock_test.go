// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/ledger"
)

// clock is a clock that somebody sets, also while work is under way.
type clock struct {
	mu   sync.Mutex
	now  time.Time
	jump time.Duration // at the call after the next ones
	left int           // calls before the jump; it has none to make below 0
	step time.Duration // at every call
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		c.now = c.now.Add(c.jump)
	}
	c.now = c.now.Add(c.step)
	return c.now
}

// set moves the clock at once, or after some calls.
func (c *clock) set(jump time.Duration, calls int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if calls == 0 {
		c.now = c.now.Add(jump)
		return
	}
	c.jump, c.left = jump, calls
}

// TestAClockThatJumpsDoesNoHarm sets the clock back and forth by ten years and by the hour
// of summer time, while notes are open, a model is trained and a budget is spent.
func TestAClockThatJumpsDoesNoHarm(t *testing.T) {
	c := &clock{now: time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC), step: time.Millisecond}
	b := projecttest.NewAt(t, c.Now)
	id := b.Counted(ledger.One)
	b.MustImport(id, projecttest.Plain("Seen on Monday.", "Seen on Tuesday."), false)
	const years = 10 * 365 * 24 * time.Hour
	spent := ledger.Micro(0)
	trainedBackwards(t, b, c, id)
	for i, jump := range []time.Duration{-years, years, -time.Hour, time.Hour} {
		t.Run(fmt.Sprint(jump), func(t *testing.T) {
			heldAndRead(t, b, c, id, jump)
			epsilon := ledger.Micro(200_000 + i) // the same question again would cost nothing
			if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(epsilon)); err != nil {
				t.Fatal(err)
			}
			c.set(-jump/2, 1) // in the middle of publishing
			if _, st := b.Published(id); st.Error != "" {
				t.Fatal(st.Error)
			}
			if spent += epsilon; b.MustBudget(id).Spent != spent {
				t.Errorf("%v are spent, want %v", b.MustBudget(id).Spent, spent)
			}
		})
	}
	b.Reopen()
	if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(300_000)); err == nil {
		if _, st := b.Published(id); st.Error == "" {
			t.Error("more than the budget was published")
		}
	}
	if got := b.MustBudget(id).Spent; got != spent {
		t.Errorf("after reopening %v are spent, want %v", got, spent)
	}
	inOrder(t, b)
}

// heldAndRead opens a note before and after the clock jumps: the second reading is on
// record, and the note is not reserved for longer than usual.
func heldAndRead(t *testing.T, b *projecttest.Bench, c *clock, id project.ID, jump time.Duration) {
	t.Helper()
	const first, second = 49, 50 // the unfinished ones, after two notes of each patient
	b.MustNote(projecttest.Annotator, id, first)
	before := readings(t, b)
	c.set(jump, 0)
	b.MustNote(projecttest.Broker, id, second) // somebody else, whose reading was never recorded or long ago
	if after := readings(t, b); after != before+1 {
		t.Errorf("a reading after the jump is not on record: %d rows, then %d", before, after)
	}
	b.MustNote(projecttest.Broker, id, second)
	if again := readings(t, b); again != before+1 {
		t.Errorf("two readings within a minute make %d rows", again-before)
	}
	c.set(31*time.Minute, 0)
	next, err := b.Next(t.Context(), projecttest.Second, id, second)
	if err != nil || next.Document != first {
		t.Errorf("half an hour after the jump the note is still reserved: %+v, %v", next, err)
	}
	c.set(31*time.Minute, 0)
}

func readings(t *testing.T, b *projecttest.Bench) int {
	t.Helper()
	n := 0
	for _, r := range rows(t, b) {
		if r.Action == "read" {
			n++
		}
	}
	return n
}

func rows(t *testing.T, b *projecttest.Bench) []project.AuditRow {
	t.Helper()
	all, err := b.Audit(t.Context(), projecttest.Broker, "", 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// trainedBackwards trains the first model while the clock runs backwards.
func trainedBackwards(t *testing.T, b *projecttest.Bench, c *clock, id project.ID) {
	t.Helper()
	c.run(-time.Hour)
	defer c.run(time.Millisecond)
	if err := b.Train(t.Context(), projecttest.Broker, id); err != nil {
		t.Fatal(err)
	}
	if st := b.Trained(id); st.Error != "" || st.Took < 0 || st.Elapsed < 0 {
		t.Errorf("the training took %v, %q", st.Took, st.Error)
	}
}

func (c *clock) run(step time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step = step
}

// inOrder wants the audit trail whole and in the order of its numbers, whatever its times
// say.
func inOrder(t *testing.T, b *projecttest.Bench) {
	t.Helper()
	if _, err := b.Store().VerifyAudit(); err != nil {
		t.Error(err)
	}
	all := rows(t, b)
	if !slices.IsSortedFunc(all, func(a, b project.AuditRow) int { return int(b.Seq) - int(a.Seq) }) {
		t.Error("the audit trail is not in the order of its numbers")
	}
	back := 0
	for i := 1; i < len(all); i++ {
		if all[i].At.After(all[i-1].At) {
			back++
		}
	}
	if back == 0 {
		t.Error("no time in the audit trail goes back: the test shows nothing")
	}
}

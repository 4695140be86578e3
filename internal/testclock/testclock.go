// SPDX-License-Identifier: Apache-2.0

// Package testclock is a time that a test moves, also while others ask for it.
//
//	clock := testclock.New(time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC))
//	opts.Now = clock.Now
//	clock.Advance(time.Hour)
package testclock

import (
	"sync"
	"time"
)

// Clock is a time. It stands still until it is moved.
type Clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

// New makes a clock that stands at a time.
func New(now time.Time) *Clock { return &Clock{now: now} }

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves it on, or back.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

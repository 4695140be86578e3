// SPDX-License-Identifier: Apache-2.0

package auditsink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"hide/internal/store"
)

const (
	stopWithin = 4 * time.Second // for the last rows of a server that stops

	batchRows  = 500
	batchBytes = 1 << 20
	fewestRows = 16 // to hand over before they are confirmed
)

// cursor is how far a copy has come, as it is stored.
type cursor struct {
	Seq   uint64    `json:"seq"`   // the last row that has arrived; 0 before the first
	Again uint64    `json:"again"` // after a failure, rows after this one are sent again; at most Seq
	Begun time.Time `json:"begun"` // when the copy was first configured
}

// copier copies the trail to one target.
type copier struct {
	target target
	trail  Trail
	opts   Options

	// Only run uses these.
	written uint64    // the last row that was handed over
	settled uint64    // the last row that was confirmed, since the last failure
	handed  time.Time // when the first row after settled was handed over
	arrived []arrival // the confirmations of the last minute, oldest first
	most    uint64    // rows to hand over before they are confirmed; fewer after failures, so that a place that fails often gets on

	mu     sync.Mutex // guards what follows
	cursor cursor
	failed time.Time // since when it fails; zero while it works
	why    string    // the last error in words
}

// arrival is a confirmation: rows up to seq arrived at a time, and rows up to before earlier.
type arrival struct {
	before, seq uint64
	at          time.Time
}

func newCopier(t target, trail Trail, o Options) (*copier, error) {
	c := &copier{target: t, trail: trail, opts: o}
	raw, err := trail.AuditCursor(t.key())
	switch {
	case errors.Is(err, store.ErrNotFound):
		c.cursor.Begun = o.Now().UTC().Round(0)
		err = c.save(c.cursor)
	case err == nil:
		err = json.Unmarshal(raw, &c.cursor)
	}
	c.written, c.settled = c.cursor.Again, c.cursor.Again
	c.most, _ = t.patience()
	return c, err
}

func (c *copier) save(at cursor) error {
	raw, err := json.Marshal(at)
	if err != nil {
		return err
	}
	return c.trail.PutAuditCursor(c.target.key(), raw)
}

// run copies until ctx ends, and then what is left, if that works at once.
func (c *copier) run(ctx context.Context) {
	p := c.opts.pace
	retry := p.firstRetry
	for ctx.Err() == nil {
		wait := p.look
		if err := c.round(ctx, false); err != nil && ctx.Err() == nil {
			c.fail(err)
			wait, retry = retry, min(2*retry, p.lastRetry)
		} else if err == nil && c.settled == c.written {
			c.works()
			retry = p.firstRetry
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if err := c.round(last, true); err != nil {
		c.forget() // the next start sends them again
	}
}

// round copies the rows that there are. Rows that were written are confirmed once they are
// many or old, or at once if all is set.
func (c *copier) round(ctx context.Context, all bool) error {
	_, age := c.target.patience()
	for {
		lines, err := c.trail.AuditAfter(c.written, int(min(batchRows, c.most)), batchBytes)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			break
		}
		if c.written == c.settled {
			c.handed = time.Now()
		}
		if err := c.target.write(ctx, lines); err != nil {
			return err
		}
		c.written = lines[len(lines)-1].Seq
		if c.written-c.settled >= c.most {
			if err := c.confirm(ctx); err != nil {
				return err
			}
		}
	}
	if c.written > c.settled && (all || time.Since(c.handed) >= age) {
		return c.confirm(ctx)
	}
	return nil
}

func (c *copier) confirm(ctx context.Context) error {
	if err := c.target.confirm(ctx); err != nil {
		return err
	}
	next := c.cursor
	next.Seq, next.Again = max(next.Seq, c.written), c.again()
	if err := c.save(next); err != nil {
		return err
	}
	c.settled = c.written
	usual, _ := c.target.patience()
	c.most = min(2*c.most, usual)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cursor = next
	return nil
}

// again notes that the written rows have arrived, and says which row to go back to after a
// failure: a server that failed may have lost what it had only just read.
func (c *copier) again() uint64 {
	now := time.Now()
	c.arrived = append(c.arrived, arrival{c.settled, c.written, now})
	for len(c.arrived) > 0 && now.Sub(c.arrived[0].at) >= c.target.overlap() {
		c.arrived = c.arrived[1:]
	}
	if len(c.arrived) == 0 {
		return c.written
	}
	return c.arrived[0].before
}

// forget goes back: what was written and not confirmed, or confirmed only just, is written
// again.
func (c *copier) forget() {
	_ = c.target.close() // it has failed already
	c.written, c.settled = c.cursor.Again, c.cursor.Again
	c.arrived = nil
}

func (c *copier) fail(err error) {
	c.forget()
	c.most = max(c.most/8, fewestRows)
	why := reason(err)
	c.mu.Lock()
	defer c.mu.Unlock()
	if why != c.why {
		fmt.Fprintf(c.opts.Log, "hide: copy of the audit trail to %s: %v; it is tried again, and no row is lost. The page Audit trail and hide doctor say how far it is behind\n", c.target.name(), err)
	}
	c.why = why
	if c.failed.IsZero() {
		c.failed = c.opts.Now()
	}
}

func (c *copier) works() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why != "" {
		fmt.Fprintf(c.opts.Log, "hide: copy of the audit trail to %s works again\n", c.target.name())
	}
	c.why, c.failed = "", time.Time{}
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"hide/tools/rig"
)

const (
	trainEvery = 2 * time.Second // one running and one waiting: there is always one
	churnEvery = 5 * time.Second
	churned    = 5 // pages that are opened anew each time
)

// beside does what happens in a cell beside the edits.
func (c *cell) beside(ctx context.Context) error {
	var every time.Duration
	var do func(turn int) error
	switch {
	case c.training:
		every, do = trainEvery, func(int) error { return c.train() }
	case c.soak:
		every, do = churnEvery, func(turn int) error { return c.churn(ctx, turn) }
	default:
		return nil
	}
	for turn := 0; ; turn++ {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
		if err := do(turn); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

func (c *cell) train() error {
	answer, err := c.broker.Post("/p/"+projectID+"/training", url.Values{})
	if err == nil && answer.Status >= http.StatusInternalServerError {
		err = fmt.Errorf("starting a training: status %d", answer.Status)
	}
	return err
}

// churn opens some pages anew, and now and then trains, searches and exports.
func (c *cell) churn(ctx context.Context, turn int) error {
	for i := range min(churned, len(c.looking)) {
		at := (turn*churned + i) % len(c.looking)
		c.looking[at].close()
		var err error
		if c.looking[at], err = c.openViewer(ctx, at); err != nil {
			return err
		}
	}
	if turn%6 == 0 {
		if err := c.train(); err != nil {
			return err
		}
	}
	if turn%6 == 3 {
		if _, err := c.broker.Page("/p/" + projectID + "/download/notes/jsonl"); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	return nil
}

// watcher reads what the server uses, in equal intervals.
type watcher struct {
	uses  []rig.Usage
	ended chan error
}

func watch(ctx context.Context, s *rig.Server, every time.Duration) *watcher {
	w := &watcher{ended: make(chan error, 1)}
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				w.ended <- nil
				return
			case <-tick.C:
			}
			u, err := s.Usage()
			if err != nil {
				w.ended <- fmt.Errorf("the server ended: %w", err)
				return
			}
			w.uses = append(w.uses, u)
		}
	}()
	return w
}

func (w *watcher) wait() error { return <-w.ended }

// growth compares the second sixth of the time with the last one: of an hour, the minutes
// 10 to 20 with the last ten. It returns the growth as shares of what was before.
func growth(uses []rig.Usage) (memory, open float64) {
	n := len(uses) / 6
	if n == 0 {
		return 0, 0
	}
	early, late := uses[n:2*n], uses[len(uses)-n:]
	share := func(of func(rig.Usage) float64) float64 {
		var a, b float64
		for i := range n {
			a += of(early[i])
			b += of(late[i])
		}
		return b/a - 1
	}
	return share(func(u rig.Usage) float64 { return float64(u.Anonymous) }), share(func(u rig.Usage) float64 { return float64(u.Open) })
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hide/tools/rig"
)

// kind is what happens in a cell beside the edits.
type kind struct {
	together bool // all edit one note
	training bool // without a pause
	soak     bool // trainings, exports, and pages that come and go
}

var kinds = map[string]kind{"quiet": {}, "training": {training: true}, "one": {together: true}, "soak": {soak: true}}

// cell is a server under load.
type cell struct {
	*ward
	kind
	server  *rig.Server
	broker  *rig.Person
	team    []*annotator
	looking []*page // pages that nobody edits on
	watch   *watcher
}

// measure runs one cell on a server of its own.
func (w *ward) measure(ctx context.Context, name string) (f figures, err error) {
	c := &cell{ward: w, kind: kinds[name]}
	if c.server, err = w.hide.Serve(ctx); err != nil {
		return f, err
	}
	running := true
	defer func() {
		if running {
			err = errors.Join(err, c.server.Stop())
		}
	}()
	if err := c.arrive(ctx); err != nil {
		return f, err
	}
	if err := c.calm(ctx); err != nil {
		return f, err
	}
	if f, err = c.work(ctx); err != nil {
		return f, err
	}
	f.Cell = name
	c.leave()
	running = false
	if err := c.server.Stop(); err != nil {
		return f, fmt.Errorf("stop the server: %w", err)
	}
	f.Lost, err = c.lostEdits(ctx)
	return f, err
}

// arrive signs everybody in and opens their pages.
func (c *cell) arrive(ctx context.Context) error {
	how := liveness{c.fetch}
	for i, code := range c.codes {
		who, err := c.enter(i, code)
		if err != nil {
			return fmt.Errorf("account %d: %w", i, err)
		}
		if i == 0 {
			c.broker = who
			continue
		}
		a := &annotator{person: who, step: 1, how: how, tally: tally{failed: map[string]int{}}}
		if c.together {
			a.notes, a.step, a.first = []note{c.shared}, c.annotators, i-1
		} else {
			a.notes = c.share(i - 1)
		}
		if a.page, err = openPage(ctx, who, a.notes[0].path(), how, &a.notes[0]); err != nil {
			return err
		}
		c.team = append(c.team, a)
	}
	c.entered = true
	if !c.together {
		c.used += c.annotators * c.portion()
	}
	for i := range c.viewers {
		p, err := c.openViewer(ctx, i)
		if err != nil {
			return err
		}
		c.looking = append(c.looking, p)
	}
	return nil
}

func (c *cell) enter(i int, code string) (*rig.Person, error) {
	name := fmt.Sprintf("Annotator %d", i)
	if i == 0 {
		name = "Broker"
	}
	if c.entered {
		return c.server.SignIn(name)
	}
	return c.server.Accept(name, code)
}

// portion is how many notes each annotator gets in a cell: cells share what there is.
func (c *cell) portion() int { return max(1, (len(c.open)-restful)/c.annotators/len(c.cells)) }

// restful is how many notes nobody edits.
const restful = 20

// share are the notes of an annotator: none of an earlier cell's, none of another's.
func (c *cell) share(i int) []note {
	from := (c.used + i*c.portion()) % (len(c.open) - restful)
	return c.open[from:min(from+c.portion(), len(c.open)-restful)]
}

// openViewer opens a page that nobody edits on. Every second one shows a note that nobody
// edits, with the list of notes beside it, the others a note that is being edited.
func (c *cell) openViewer(ctx context.Context, i int) (*page, error) {
	a := c.team[(i/2)%len(c.team)]
	if i%2 == 0 {
		return openPage(ctx, a.person, c.open[len(c.open)-1-(i/2)%restful].path(), liveness{}, nil)
	}
	return openPage(ctx, a.person, a.notes[0].path(), liveness{c.fetch}, &a.notes[0])
}

// calm waits until the server has nothing to do, so that a cell does not measure the
// start.
func (c *cell) calm(ctx context.Context) error {
	before, err := c.server.Usage()
	if err != nil {
		return err
	}
	for range 60 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		now, err := c.server.Usage()
		if err != nil || now.CPU-before.CPU < 0.1 {
			return err
		}
		before = now
	}
	return nil // a server that is never calm is measured as it is
}

// work lets everybody work for the time of the cell.
func (c *cell) work(ctx context.Context) (figures, error) {
	if err := c.server.ForgetPeak(); err != nil {
		return figures{}, fmt.Errorf("peak memory: %w", err)
	}
	for _, p := range c.pages() {
		p.fresh()
	}
	before, err := c.server.Usage()
	if err != nil {
		return figures{}, err
	}
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, c.length)
	defer cancel()
	c.watch = watch(limited, c.server, max(time.Second, c.length/360))
	var all sync.WaitGroup
	failed := make(chan error, len(c.team)+1)
	for i, a := range c.team {
		all.Go(func() {
			failed <- a.edit(limited, began.Add(c.every*time.Duration(i)/time.Duration(len(c.team))), c.every)
		})
	}
	all.Go(func() { failed <- c.beside(limited) })
	all.Wait()
	took := time.Since(began)
	close(failed)
	for e := range failed {
		err = errors.Join(err, e)
	}
	time.Sleep(time.Second) // for the last broadcasts
	after, usageErr := c.server.Usage()
	if err := errors.Join(err, usageErr, c.watch.wait(), ctx.Err()); err != nil {
		return figures{}, err
	}
	return c.figure(took, before, after), nil
}

func (c *cell) pages() []*page {
	all := append([]*page(nil), c.looking...)
	for _, a := range c.team {
		all = append(all, a.page)
	}
	return all
}

func (c *cell) leave() {
	for _, p := range c.pages() {
		p.close()
	}
}

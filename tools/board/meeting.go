// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"hide/tools/rig"
)

const (
	readers   = 3
	bursts    = 12 // of moves
	moves     = 20 // in a burst
	pace      = 100 * time.Millisecond
	questions = 6
)

// meeting is a running server with everybody in the session.
type meeting struct {
	server *rig.Server
	broker *viewer
	board  []*viewer
	lcs    []string
	bs     []string
	made   []sight // moves, when they were sent
}

// gather signs everybody in.
func gather(ctx context.Context, server *rig.Server, codes []string) (*meeting, error) {
	m := &meeting{server: server}
	for i, code := range codes {
		p, err := server.Accept(nameOf(i), code)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", nameOf(i), err)
		}
		v := &viewer{Person: p}
		if i == 0 {
			m.broker = v
		} else {
			m.board = append(m.board, v)
		}
	}
	return m, ctx.Err()
}

func (m *meeting) all() []*viewer { return append([]*viewer{m.broker}, m.board...) }

func (m *meeting) leave() {
	for _, v := range m.all() {
		if v.conn != nil {
			v.conn.Close()
			<-v.ended
		}
	}
}

// hold opens all pages, and lets everything happen that happens in a session.
func (m *meeting) hold(ctx context.Context, c config) (f figures, err error) {
	if err := m.server.ForgetPeak(); err != nil {
		return f, fmt.Errorf("peak memory: %w", err)
	}
	before, err := m.server.Usage()
	if err != nil {
		return f, err
	}
	began := time.Now()
	for _, v := range m.all() {
		if err := v.open(ctx); err != nil {
			return f, err
		}
	}
	if err := m.sliders(); err != nil {
		return f, err
	}
	if err := m.draw(c); err != nil {
		return f, err
	}
	var acts sync.WaitGroup
	acts.Go(func() { m.move(ctx, c.length/bursts) })
	for _, v := range m.board[1 : 1+readers] {
		acts.Go(func() { m.read(ctx, v, c.length*readers/time.Duration(c.passages)) })
	}
	acts.Go(func() { m.talk(ctx, c.length/questions) })
	acts.Wait()
	m.vote()
	time.Sleep(2 * behind) // for the last fetches
	if err := ctx.Err(); err != nil {
		return f, err
	}
	after, err := m.server.Usage()
	f = m.figures(time.Since(began))
	f.CPU, f.Peak = after.CPU-before.CPU, after.Peak
	return f, errors.Join(err, m.decided())
}

var (
	lcsPattern = regexp.MustCompile(`data-lcs="([^"]+)" data-bs="([^"]*)"`)
	drawField  = regexp.MustCompile(`name="(draw|position)" value="(\d+)"`)
)

// sliders reads what the sliders can be moved to.
func (m *meeting) sliders() error {
	text, err := m.broker.Page(page)
	if err != nil {
		return err
	}
	found := lcsPattern.FindStringSubmatch(text)
	if found == nil {
		return errors.New("the page has no sliders")
	}
	m.lcs, m.bs = strings.Split(found[1], ","), strings.Split(found[2], ",")
	return nil
}

// draw draws the passages.
func (m *meeting) draw(c config) error {
	m.broker.send("/draw", url.Values{"random": {fmt.Sprint(c.passages)}, "doubtful": {"0"}, "plants": {"0"}, "readers": {"1"}, "anytime": {"yes"}})
	m.board[0].send("/number", url.Values{"digits": {"20 31 44 7"}})
	if m.broker.failed.Load()+m.board[0].failed.Load() > 0 {
		return errors.New("the sample was not drawn")
	}
	return nil
}

// move takes the floor and moves the slider in bursts, one in each time.
func (m *meeting) move(ctx context.Context, each time.Duration) {
	holder := m.board[len(m.board)-1]
	holder.send("/floor", url.Values{})
	for burst := range bursts {
		next := time.Now().Add(each)
		for i := range moves {
			k := burst*moves + i
			lc, b := m.lcs[k%len(m.lcs)], m.bs[(k/len(m.lcs))%len(m.bs)]
			m.made = append(m.made, sight{lc + " " + b, time.Now()})
			holder.send("/move", url.Values{"lc": {lc}, "b": {b}})
			time.Sleep(time.Until(m.made[k].when.Add(pace)))
		}
		if !wait(ctx, time.Until(next)) {
			return
		}
	}
}

func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// read answers passage after passage with “nothing”, at a pace, until none is left.
func (m *meeting) read(ctx context.Context, v *viewer, each time.Duration) {
	for {
		next := time.Now().Add(each)
		text, err := v.Page(page + "/read")
		if err != nil {
			v.failed.Add(1)
			return
		}
		form := url.Values{"nothing": {"yes"}, "seconds": {"30"}}
		for _, f := range drawField.FindAllStringSubmatch(text, -1) {
			form.Set(f[1], f[2])
		}
		if !form.Has("position") {
			return
		}
		v.send("/read", form)
		if !wait(ctx, time.Until(next)) {
			return
		}
	}
}

// talk asks and answers questions.
func (m *meeting) talk(ctx context.Context, each time.Duration) {
	for i := range questions {
		m.board[i%len(m.board)].send("/question", url.Values{"text": {"What happens with dates of birth, and with ages above 89?"}})
		if !wait(ctx, each/2) {
			return
		}
		m.broker.send("/question/answer", url.Values{"question": {fmt.Sprint(i + 1)}, "text": {"They are redacted as well; the manifest says how."}})
		if !wait(ctx, each/2) {
			return
		}
	}
}

// vote calls the vote, and lets everybody vote.
func (m *meeting) vote() {
	m.broker.send("/advance", url.Values{"to": {"voting"}})
	for _, v := range m.board {
		v.send("/vote", url.Values{"choice": {"approve"}})
	}
}

// decided checks that the session came to its end.
func (m *meeting) decided() error {
	text, err := m.board[0].Page(page)
	if err == nil && !strings.Contains(text, `id="review-outcome"`) {
		err = errors.New("the session has not decided")
	}
	return err
}

// figures puts together what everybody got.
func (m *meeting) figures(took time.Duration) figures {
	f := figures{Members: len(m.board), Seconds: took.Seconds(), Moves: len(m.made)}
	var delays []time.Duration
	for i, v := range m.all() {
		f.Failed += int(v.failed.Load())
		if v.lost() {
			f.Lost++
		}
		v.mu.Lock()
		total := float64(v.wire.Load() + v.live.Load())
		switch {
		case i == 0 || i == 1 || i == len(m.board): // the broker, who gave the number, who moved
		case i <= 1+readers:
			f.Reader += total / readers
		default:
			n := float64(len(m.board) - readers - 2)
			f.Opened += float64(v.opened) / n
			f.Live += float64(v.live.Load()) / n
			f.Frames += float64(v.frames.Load()) / n
			f.Fetched += float64(v.fetched) / n
			f.Fetches += float64(v.fetches) / n
			f.Total += total / n
			f.Most = max(f.Most, total)
			seen, skipped := m.delays(v.seen)
			delays, f.Skipped = append(delays, seen...), f.Skipped+skipped
		}
		v.mu.Unlock()
	}
	f.Skipped /= max(1, len(m.board)-readers-2)
	f.MoveP50, f.MoveP95, f.MoveMost = rig.Percentile(delays, 50), rig.Percentile(delays, 95), rig.Percentile(delays, 100)
	return f
}

// delays are the times from each move to the frame that showed it. A move that was followed
// by another one before the next frame is skipped.
func (m *meeting) delays(seen []sight) (out []time.Duration, skipped int) {
	for i, move := range m.made {
		from, _ := slices.BinarySearchFunc(seen, move.when, func(s sight, t time.Time) int { return cmp.Compare(s.when.UnixNano(), t.UnixNano()) })
		until := time.Now()
		if i+1 < len(m.made) {
			until = m.made[i+1].when.Add(2 * time.Second)
		}
		found := false
		for _, s := range seen[from:] {
			if s.when.After(until) {
				break
			}
			if s.at == move.at {
				out, found = append(out, s.when.Sub(move.when)), true
				break
			}
		}
		if !found {
			skipped++
		}
	}
	return out, skipped
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"hide/tools/rig"
)

const growthMost = 64 // MiB that an attack may cost

// flood sends names of many megabytes to the sign-in form, as strangers.
func flood(_ context.Context, s *stage) (outcome, error) {
	m, err := s.watchMemory()
	if err != nil {
		return outcome{}, err
	}
	megabytes := s.size(12, 55)
	statuses := make([]string, 10)
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() {
			p, err := s.server.Visit("stranger")
			if err == nil {
				_, err = p.Page("/sign-in")
			}
			if err != nil {
				statuses[i] = err.Error()
				return
			}
			a, err := p.Post("/sign-in", url.Values{"name": {strings.Repeat(string(rune('a'+i)), megabytes<<20)}, "password": {"x"}})
			statuses[i] = fmt.Sprint(a.Status)
			if err != nil {
				statuses[i] = "cut off"
			}
		})
	}
	all.Wait()
	time.Sleep(2 * time.Second) // for what is kept
	if err := m.stop(); err != nil {
		return outcome{}, err
	}
	return outcomeOf(m.growth() <= growthMost, "10 names of %d MB: %s, answers %s", megabytes, m, strings.Join(statuses, " "))
}

// slow keeps requests open with a byte a second, before signing in.
func slow(_ context.Context, s *stage) (outcome, error) {
	most := s.wait(45*time.Second, 3*time.Minute)
	routes := []string{"/sign-in", "/welcome", "/p/" + projectID + "/import", "/backup/download/hide.backup", "/p/" + projectID + "/notes/1/edit"}
	took := make([]string, len(routes)+1)
	held := make([]bool, len(took))
	var all sync.WaitGroup
	for i := range took {
		head := "POST /sign-in HTTP/1.1\r\nHost: " + s.host() + "\r\nX-Slow: "
		what := "header"
		if i < len(routes) {
			what = routes[i]
			head = "POST " + what + " HTTP/1.1\r\nHost: " + s.host() + "\r\nOrigin: " + s.server.Base + "\r\nSec-Fetch-Site: same-origin\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n"
			if !strings.Contains(what, "import") && !strings.Contains(what, "backup") {
				head = strings.Replace(head, "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", 1)
			}
		}
		all.Go(func() {
			open, err := drip(s.host(), head, most)
			held[i] = err == nil && open < most
			took[i] = fmt.Sprintf("%s %.0f s", what, open.Seconds())
			if !held[i] {
				took[i] += " (still open)"
			}
		})
	}
	all.Wait()
	good := true
	for _, h := range held {
		good = good && h
	}
	return outcomeOf(good, "closed after: %s", strings.Join(took, ", "))
}

func (s *stage) host() string { return strings.TrimPrefix(s.server.Base, "http://") }

// drip sends a byte a second until the other side closes, or for at most that long, and
// returns how long it took. An answer alone is not enough: the connection must end.
func drip(host, head string, most time.Duration) (time.Duration, error) {
	c, err := net.Dial("tcp", host)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	began := time.Now()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		io.Copy(io.Discard, bufio.NewReader(c)) //nolint:errcheck // any end is an end
	}()
	if _, err := io.WriteString(c, head); err != nil {
		return 0, err
	}
	for time.Since(began) < most {
		select {
		case <-closed:
			return time.Since(began), nil
		case <-time.After(time.Second):
		}
		if _, err := io.WriteString(c, "a"); err != nil {
			return time.Since(began), nil
		}
	}
	return most, nil
}

// forged asks for a backup with a form of another kind, which carries no token.
func forged(_ context.Context, s *stage) (outcome, error) {
	root, err := s.server.SignIn("Root")
	if err != nil {
		return outcome{}, err
	}
	r, err := http.NewRequest(http.MethodPost, s.server.Base+"/backup/download/hide.backup", strings.NewReader("--x--\r\n"))
	if err != nil {
		return outcome{}, err
	}
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	a, err := root.Do(r)
	if err != nil {
		return outcome{}, err
	}
	return outcomeOf(a.Status != http.StatusOK, "answer %d with %d bytes", a.Status, len(a.Body))
}

// lockout tries wrong passwords for the only administrator, who then signs in on a
// computer that hide has seen before.
func lockout(_ context.Context, s *stage) (outcome, error) {
	root, err := s.server.SignIn("Root")
	if err != nil {
		return outcome{}, err
	}
	if _, err := root.Post("/sign-out", url.Values{}); err != nil {
		return outcome{}, err
	}
	if _, err := root.Page("/sign-in"); err != nil {
		return outcome{}, err
	}
	stranger, err := s.server.Visit("stranger")
	if err != nil {
		return outcome{}, err
	}
	if _, err := stranger.Page("/sign-in"); err != nil {
		return outcome{}, err
	}
	last := 0
	for n := range 15 {
		a, err := stranger.Post("/sign-in", url.Values{"name": {"Root"}, "password": {fmt.Sprintf("wrong-password-%d", n)}})
		if err != nil {
			return outcome{}, err
		}
		last = a.Status
	}
	a, err := root.Post("/sign-in", url.Values{"name": {"Root"}, "password": {rig.Password}})
	if err != nil {
		return outcome{}, err
	}
	return outcomeOf(a.Status == http.StatusOK, "15 wrong passwords, the last answered %d; then the administrator, from a known computer: %d", last, a.Status)
}

// recovery asks for a new link beside the running server.
func recovery(ctx context.Context, s *stage) (outcome, error) {
	if _, err := s.hide.Command(ctx, "user", "link", "Root", "--json"); err != nil {
		return outcomeOf(false, "hide user link fails beside the server")
	}
	return outcomeOf(true, "hide user link works beside the server")
}

// weak accepts an invitation with a password that everybody guesses.
func weak(ctx context.Context, s *stage) (outcome, error) {
	code, err := s.stopped(ctx, func() (string, error) { return s.hide.AddPerson(ctx, "Nurse", "annotator") })
	if err != nil {
		return outcome{}, err
	}
	p, err := s.server.Visit("Nurse")
	if err != nil {
		return outcome{}, err
	}
	if _, err := p.Page("/welcome"); err != nil {
		return outcome{}, err
	}
	if _, err := p.Post("/welcome", url.Values{"code": {code}}); err != nil {
		return outcome{}, err
	}
	a, err := p.Post("/welcome/enter", url.Values{"code": {code}, "name": {"Nurse"}, "password": {"password1234"}, "again": {"password1234"}})
	if err != nil {
		return outcome{}, err
	}
	return outcomeOf(a.Status != http.StatusOK, "password1234: answer %d", a.Status)
}

// stopped does something that needs the data folder for itself, and starts the server
// again.
func (s *stage) stopped(ctx context.Context, do func() (string, error)) (string, error) {
	if err := s.server.Stop(); err != nil {
		return "", err
	}
	out, doErr := do()
	again, err := s.hide.Serve(ctx)
	if err != nil {
		return "", err
	}
	s.server = again
	return out, doErr
}

// signedOut opens a live connection, signs out, and waits for the connection to end.
func signedOut(_ context.Context, s *stage) (outcome, error) {
	root, conn, err := s.live()
	if err != nil {
		return outcome{}, err
	}
	defer conn.Close()
	if _, err := root.Post("/sign-out", url.Values{}); err != nil {
		return outcome{}, err
	}
	began := time.Now()
	_ = conn.SetReadDeadline(began.Add(s.wait(10*time.Second, 90*time.Second)))
	for err == nil {
		_, _, err = conn.ReadMessage()
	}
	took := time.Since(began)
	return outcomeOf(took < 5*time.Second, "closed after %.1f s: %v", took.Seconds(), err)
}

// live opens a page as the administrator, and its live connection.
func (s *stage) live() (*rig.Person, *websocket.Conn, error) {
	root, err := s.server.SignIn("Root")
	if err != nil {
		return nil, nil, err
	}
	page, err := root.Page("/p/" + projectID + "/notes/1")
	if err != nil {
		return nil, nil, err
	}
	conn, _, err := root.Dial(&websocket.Dialer{HandshakeTimeout: time.Minute}, rig.LiveAddress(page))
	return root, conn, err
}

// hoard opens as many live connections as it can.
func hoard(_ context.Context, s *stage) (outcome, error) {
	root, first, err := s.live()
	if err != nil {
		return outcome{}, err
	}
	conns := []*websocket.Conn{first}
	page, err := root.Page("/p/" + projectID + "/notes/1")
	if err != nil {
		return outcome{}, err
	}
	for range 19 {
		if c, _, err := root.Dial(&websocket.Dialer{HandshakeTimeout: time.Minute}, rig.LiveAddress(page)); err == nil {
			conns = append(conns, c)
		}
	}
	open := 0
	deadline := time.Now().Add(3 * time.Second)
	for _, c := range conns {
		_ = c.SetReadDeadline(deadline)
		var err error
		for err == nil {
			_, _, err = c.ReadMessage()
		}
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			open++
		}
		c.Close()
	}
	return outcomeOf(open <= 8, "of 20 connections of one person %d stay open", open)
}

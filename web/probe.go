// SPDX-License-Identifier: Apache-2.0

package web

import (
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"hide/internal/doctor"
)

const (
	probesFor  = time.Minute // after which a probe is expected no more
	mostProbes = 64          // answers for one token
	// probeWithin bounds a probe.
	probeWithin = 5 * time.Second
)

// probes answers requests that somebody with access to the data folder has announced. They
// find out what a proxy passes on, so they are answered before the Host header is checked,
// and without a session. Without an announcement there is no such address. An answer holds
// nothing but what the request said of itself.
type probes struct {
	mu    sync.Mutex // guards what follows
	token string     // "" if none is expected
	proof string
	ends  time.Time
	left  int
}

// Expect answers probes with a token, for at most a minute or until end is called. The token
// must be secret: everybody who knows it gets answers. proof is in each answer, so that the
// sender knows that no other server has answered. A second call replaces the first.
func (d *Door) Expect(token, proof string) (end func()) {
	p := &d.probes
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token, p.proof, p.ends, p.left = token, proof, time.Now().Add(probesFor), mostProbes
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.token == token {
			p.token = ""
		}
	}
}

// take reports whether a probe is expected at a path.
func (p *probes) take(path string) (proof string, ok bool) {
	token, isProbe := strings.CutPrefix(path, doctor.ProbePath)
	if !isProbe {
		return "", false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.token == "" || p.left == 0 || !time.Now().Before(p.ends) || subtle.ConstantTimeCompare([]byte(token), []byte(p.token)) != 1 {
		return "", false
	}
	p.left--
	return p.proof, true
}

// probe says what has arrived. It reads the beginning of a body and waits for no more.
func (s *Server) probe(w http.ResponseWriter, r *http.Request, proof string) {
	deadline := time.Now().Add(probeWithin)
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(deadline)
	_ = control.SetWriteDeadline(deadline)
	seen := doctor.Seen{
		Proof: proof, Host: r.Host, Peer: r.RemoteAddr, Client: s.address(r), Forwarded: r.Header.Values("X-Forwarded-For"),
		Proto: r.Header.Get("X-Forwarded-Proto"), Upgrade: strings.EqualFold(r.Header.Get("Upgrade"), "websocket"), Length: r.ContentLength,
	}
	// What is left unread when the connection closes resets it, and the proxy would tell of
	// that in place of the answer.
	if _, err := io.CopyN(io.Discard, r.Body, min(doctor.ProbeBody, max(0, r.ContentLength))); err != nil {
		return
	}
	if seen.Upgrade {
		c, err := s.upgrader.Upgrade(w, r, nil)
		if err != nil {
			return // the upgrader has answered
		}
		defer c.Close()
		_ = c.SetWriteDeadline(deadline)
		_ = c.WriteJSON(seen) // a sender that is gone needs no answer
		return
	}
	plainHeaders(w)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Connection", "close") // the body was not read to its end
	_ = json.NewEncoder(w).Encode(seen)
}

// SPDX-License-Identifier: Apache-2.0

package issuer

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// maxAnswer bounds an answer of the issuer in bytes.
const maxAnswer = 1 << 20

// gate lets requests through to the hosts of the issuer, and to no other. It also remembers
// what the issuer's clock says.
type gate struct {
	transport *http.Transport
	now       func() time.Time

	mu    sync.Mutex // guards the fields below
	hosts map[string]bool
	skew  time.Duration // the issuer's clock minus ours
}

func newGate(issuer string, now func() time.Time) *gate {
	g := &gate{now: now, hosts: map[string]bool{}}
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	g.transport = &http.Transport{ // without Proxy: the environment does not redirect sign-ins
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if !g.admits(address) {
				return nil, fmt.Errorf("no connection to %s: it is not a host of the issuer", address)
			}
			return dialer.DialContext(ctx, network, address)
		},
		TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: answersWithin, IdleConnTimeout: time.Minute, MaxIdleConns: 4, ForceAttemptHTTP2: true,
	}
	g.admit(issuer)
	return g
}

// admit opens the gate to the hosts of addresses.
func (g *gate) admit(addresses ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range addresses {
		if u, err := url.Parse(a); err == nil && u.Host != "" {
			g.hosts[hostPort(u)] = true
		}
	}
}

func (g *gate) admits(address string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hosts[address]
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// RoundTrip sends a request to a host of the issuer.
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if !safe(r.URL) || !g.admits(hostPort(r.URL)) {
		return nil, fmt.Errorf("no request to %s: it is not a host of the issuer", r.URL.Host)
	}
	answer, err := g.transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if says, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		g.mu.Lock()
		g.skew = says.Sub(g.now())
		g.mu.Unlock()
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	return answer, nil
}

// clockSkew is how far the issuer's clock is ahead of ours, as of its last answer.
func (g *gate) clockSkew() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.skew
}

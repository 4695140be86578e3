// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// isTrue evaluates an expression; it is false while a page is being left.
func (b *Browser) isTrue(expression string) bool {
	ctx, cancel := context.WithTimeout(b.ctx, within)
	defer cancel()
	is, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
	return err == nil && is
}

// watchConsole keeps what pages write to the console. Policy violations and
// failed requests arrive there, too.
func (b *Browser) watchConsole() {
	messages := chromedp.Console(b.ctx)
	b.watchers.Go(func() {
		for m, err := range messages {
			if err != nil {
				return // the tab is closed
			}
			switch m.Type {
			case chromedp.ConsoleError, chromedp.ConsoleException, chromedp.ConsoleWarning:
				b.mu.Lock()
				b.console = append(b.console, string(m.Type)+": "+m.Text)
				b.mu.Unlock()
			}
		}
	})
}

// Console returns the messages so far: errors, warnings and uncaught exceptions.
func (b *Browser) Console() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.console)
}

// Expect announces a console message that contains part: it does not fail the test.
func (b *Browser) Expect(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, part)
}

// watchRequests records the requests of pages to other hosts.
func (b *Browser) watchRequests() {
	requests := chromedp.Events(b.ctx, network.RequestWillBeSent)
	b.watchers.Go(func() {
		for r, err := range requests {
			if err != nil {
				return // the tab is closed
			}
			if host := elsewhere(r.Request.URL); host != "" {
				b.mu.Lock()
				b.outbound = append(b.outbound, r.Request.Method+" "+host)
				b.mu.Unlock()
			}
		}
	})
}

// elsewhere is the host of an address outside this machine, or "".
func elsewhere(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "" // data:, blob: and about: stay here
	}
	if ip := net.ParseIP(u.Hostname()); (ip != nil && ip.IsLoopback()) || u.Hostname() == "localhost" {
		return ""
	}
	return u.Host
}

// Outbound lists the requests to hosts other than this machine, as pages made them and
// as the proxy refused them.
func (b *Browser) Outbound() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append(slices.Clone(b.outbound), b.proxy.asked()...)
}

// drain waits until the page's messages and requests so far have arrived: the answer to
// an evaluation comes after them.
func (b *Browser) drain() {
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Second)
	defer cancel()
	_, _ = chromedp.Run(ctx, chromedp.Evaluate[int](`0`))
}

// check runs at the end of every test.
func (b *Browser) check() {
	b.t.Helper()
	for _, m := range b.Console() {
		if !slices.ContainsFunc(b.expected, func(part string) bool { return strings.Contains(m, part) }) {
			b.t.Errorf("console %s", m)
		}
	}
	for _, a := range b.Outbound() {
		b.t.Errorf("outbound request: %s", a)
	}
}

// refusingProxy receives every request to a host that is not a loopback address,
// records the host, and refuses it.
type refusingProxy struct {
	listener net.Listener
	done     chan struct{}  // closed when no further connection is accepted
	refusals sync.WaitGroup // of connections
	mu       sync.Mutex     // guards requests
	requests []string
}

func newRefusingProxy() (*refusingProxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &refusingProxy{listener: l, done: make(chan struct{})}
	go p.serve()
	return p, nil
}

func (p *refusingProxy) close() {
	p.listener.Close()
	<-p.done
	p.refusals.Wait()
}

func (p *refusingProxy) address() string { return "http://" + p.listener.Addr().String() }

func (p *refusingProxy) serve() {
	defer close(p.done)
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.refusals.Go(func() { p.refuse(conn) })
	}
}

// chromiumsOwn are the hosts that Chromium contacts for its own updates, despite its
// flags. If a page contacts them, watchRequests notices.
var chromiumsOwn = regexp.MustCompile(`^[a-z0-9-]+\.googleapis\.com(:\d+)?$|^(accounts|clients\d?|www|redirector|android\.clients)\.(google|gvt1)\.com(:\d+)?$`)

// refuse records the request of a connection. Chromium also opens connections in
// advance and closes them without sending a byte: these request nothing.
func (p *refusingProxy) refuse(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	from := bufio.NewReader(conn)
	if _, err := from.Peek(1); err != nil {
		return
	}
	who := "a connection that does not speak HTTP"
	if r, err := http.ReadRequest(from); err == nil {
		who = r.Method + " " + r.Host
		if chromiumsOwn.MatchString(r.Host) {
			who = ""
		}
	}
	if who != "" {
		p.mu.Lock()
		p.requests = append(p.requests, who)
		p.mu.Unlock()
	}
	_, _ = conn.Write([]byte("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
}

func (p *refusingProxy) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

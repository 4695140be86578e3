// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// maxHeader bounds the header of an answer in bytes. Its body is not read.
const maxHeader = 16 << 10

// Options of a [Sender]. The zero value is for a server.
type Options struct {
	Timeout time.Duration    // for a message, from the name of the host to the answer; 0 means 10 s
	Roots   *x509.CertPool   // whose certificates are trusted; nil means those of the system
	Now     func() time.Time // of the signatures; nil means time.Now
}

// Sender sends messages to listed hosts. Its methods may be called at the same time.
type Sender struct {
	hosts     Hosts
	opts      Options
	transport *http.Transport
}

// Message is what one webhook gets.
type Message struct {
	URL    string
	Secret string // see [NewSecret]
	ID     string // the same when the message is sent again, so that receivers know it
	Body   []byte // JSON
}

// Result is how an attempt went. The zero value is none.
type Result struct {
	Status  int    // of the answer; 0 without one
	Problem string // why it failed, without anything that the other side wrote; "" for an answer from 200 to 299
}

// Gone reports whether the receiver says that it wants no more messages.
func (r Result) Gone() bool { return r.Status == http.StatusGone }

// NewSender makes a sender for the listed hosts.
func NewSender(hosts Hosts, o Options) *Sender {
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Sender{hosts: hosts, opts: o, transport: &http.Transport{
		// Proxy is nil: the environment does not redirect messages.
		DialContext:            dialListed,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
		DisableKeepAlives:      true, // messages are rare, and no connection stays open
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
	}}
}

// Hosts lists the hosts that may be called.
func (s *Sender) Hosts() []string { return s.hosts.Names() }

// Check refuses addresses that must not be called, see [Hosts.Check].
func (s *Sender) Check(address string) error { return s.hosts.Check(address) }

// Send makes one attempt.
func (s *Sender) Send(ctx context.Context, m Message) Result {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	r, err := s.request(ctx, m)
	if err != nil {
		return Result{Problem: s.words(err)}
	}
	answer, err := s.transport.RoundTrip(r) // which follows no redirect
	if err != nil {
		return Result{Problem: s.words(err)}
	}
	answer.Body.Close()
	return result(answer.StatusCode)
}

func result(status int) Result {
	switch {
	case status >= 200 && status < 300:
		return Result{Status: status}
	case status >= 300 && status < 400:
		return Result{status, "it redirects, and hide follows no redirect: enter the final URL"}
	case status == http.StatusGone:
		return Result{status, "it wants no more messages"}
	}
	return Result{status, "it did not accept the message"}
}

func (s *Sender) request(ctx context.Context, m Message) (*http.Request, error) {
	h, err := s.hosts.find(m.URL)
	if err != nil {
		return nil, err
	}
	now := s.opts.Now()
	signature, err := Sign(m.Secret, m.ID, now, m.Body)
	if err != nil {
		return nil, &RefusedError{err.Error(), "remove the webhook and add it again"}
	}
	r, err := http.NewRequestWithContext(context.WithValue(ctx, listedKey{}, h), http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "hide-webhook")
	r.Header.Set("webhook-id", m.ID)
	r.Header.Set("webhook-timestamp", stamp(now))
	r.Header.Set("webhook-signature", signature)
	return r, nil
}

// listedKey is the key of the [host] of a request in its context.
type listedKey struct{}

// dialListed connects to the host of the request. What the name of the host resolves to is
// known here only, so it is looked at here.
func dialListed(ctx context.Context, network, address string) (net.Conn, error) {
	h, ok := ctx.Value(listedKey{}).(host)
	name, _, err := net.SplitHostPort(address)
	if !ok || err != nil || !strings.EqualFold(name, h.name) {
		return nil, errNotListed
	}
	d := net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !h.admits(to.Addr()) {
			return errNotListed
		}
		return nil
	}}
	return d.DialContext(ctx, network, address)
}

var errNotListed = &RefusedError{"the name of the host leads to an address that hide does not call", "list the address itself: --webhook-host"}

// words states an error without the address, which may hold a secret, and without anything
// that the other side wrote.
func (s *Sender) words(err error) string {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return refused.Error()
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate is not trusted"
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "the name of its host was not found"
	}
	if _, ok := errors.AsType[*url.Error](err); ok {
		return "its URL cannot be called"
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer within %v", s.opts.Timeout)
	}
	return "no connection, or it was closed before the answer"
}

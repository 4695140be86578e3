// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/gorilla/websocket"

	"hide/internal/doctor"
	"hide/internal/hint"
)

const (
	mostAnswer = 16 << 10
	// heldAfter is how long the answer to an upload may take that the server gives at once.
	heldAfter = 3 * time.Second
)

// uploads are the sizes that are tried, largest first. No byte of them is stored: the server
// answers to the declared size.
var uploads = []int64{4 << 30, 1 << 30, 100 << 20, 10 << 20, 1 << 20}

// prober asks the public address of a server.
type prober struct {
	Setup
	origin *url.URL
	token
	found *doctor.Proxy
}

// askOrigin asks the public address what it passes on. It is nil for a server that only this
// machine reaches.
func askOrigin(ctx context.Context, s Setup, f *doctor.Facts) *doctor.Proxy {
	origin := s.Listen.OriginAt(s.Listen.Addr)
	if running(f.Server) {
		origin = f.Server.Origin
	} else if s.Listen.Origin == "" {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "https" {
		return nil
	}
	p := &prober{Setup: s, origin: u, found: &doctor.Proxy{Origin: origin, Direct: !s.Listen.Proxied}}
	if p.certificate(ctx); p.found.Unreached != nil {
		return p.found
	}
	switch {
	case f.Server == nil:
		p.found.NotTried = "no server runs that could answer"
	case f.Server.Old:
		p.found.NotTried = "the running server is older than this program"
	default:
		p.probe(ctx)
	}
	return p.found
}

func (p *prober) address() string {
	port := p.origin.Port()
	if port == "" {
		port = "443"
	}
	return net.JoinHostPort(p.origin.Hostname(), port)
}

// certificate connects, and looks at the certificate of the public address.
func (p *prober) certificate(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	raw, err := dialer(p.Setup)(ctx, "tcp", p.address())
	if err != nil {
		p.found.Unreached = problem(err, "see that the proxy runs, and that this machine resolves the name and may connect")
		return
	}
	defer raw.Close()
	c := tls.Client(raw, p.anyCertificate())
	if err := c.HandshakeContext(ctx); err != nil {
		p.found.Unreached = problem(err, "see that the proxy has a certificate and speaks TLS 1.2 or newer")
		return
	}
	chain := c.ConnectionState().PeerCertificates
	cert := &doctor.Certificate{Where: "the certificate", Ends: chain[0].NotAfter}
	rest := x509.NewCertPool()
	for _, one := range chain[1:] {
		rest.AddCert(one)
	}
	_, err = chain[0].Verify(x509.VerifyOptions{DNSName: p.origin.Hostname(), Roots: p.Roots, Intermediates: rest, CurrentTime: p.Now()})
	if expired, ok := errors.AsType[x509.CertificateInvalidError](err); err != nil && !(ok && expired.Reason == x509.Expired) {
		cert.Problem = problem(err, "let the proxy send its whole chain; if the authority is the hospital's own, add it to the trusted ones of this machine")
	}
	p.found.Certificate = cert
}

// anyCertificate accepts every certificate: it was judged before, and a probe holds no secret
// but a token that ends with it.
func (p *prober) anyCertificate() *tls.Config {
	return &tls.Config{ServerName: p.origin.Hostname(), InsecureSkipVerify: true, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
}

// probe sends requests that the server was told of.
func (p *prober) probe(ctx context.Context) {
	t, end, err := expectProbes(ctx, p.Store.Dir)
	if err != nil {
		p.found.NotTried = oneLine(err)
		return
	}
	defer end()
	p.token = t
	if p.found.Plain, err = p.plain(ctx); err != nil {
		p.found.Lost = problem(err, "let the proxy pass requests on to "+p.Listen.Addr+", and see that --origin is its address")
		return
	}
	if p.found.Direct {
		return
	}
	p.found.Trusted = p.trusts(p.found.Plain.Peer)
	p.socket(ctx)
	for _, size := range uploads {
		if p.upload(ctx, size) {
			return
		}
	}
}

func (p *prober) trusts(peer string) bool {
	all, err := p.Listen.TrustedProxies()
	a, parsed := netip.ParseAddrPort(peer)
	if err != nil || parsed != nil {
		return false
	}
	for _, network := range all {
		if network.Contains(a.Addr().Unmap()) {
			return true
		}
	}
	return false
}

func (p *prober) transport() *http.Transport {
	return &http.Transport{
		DialContext: dialer(p.Setup), TLSClientConfig: p.anyCertificate(), DisableKeepAlives: true,
		TLSHandshakeTimeout: dialWithin, ExpectContinueTimeout: time.Second,
	}
}

func (p *prober) send(ctx context.Context, method string, body io.Reader, length int64) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.origin.String()+doctor.ProbePath+p.Token, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-Forwarded-For", doctor.ForgedClient)
	if body != nil {
		r.ContentLength = length
		r.Header.Set("Expect", "100-continue")
	}
	answer, err := p.transport().RoundTrip(r)
	return answer, err
}

// plain is a request without a body.
func (p *prober) plain(ctx context.Context) (doctor.Seen, error) {
	ctx, cancel := context.WithTimeout(ctx, replyWithin)
	defer cancel()
	answer, err := p.send(ctx, http.MethodGet, nil, 0)
	if err != nil {
		return doctor.Seen{}, err
	}
	defer answer.Body.Close()
	return p.seen(answer)
}

// seen reads an answer, and makes sure that it is the server's.
func (p *prober) seen(answer *http.Response) (s doctor.Seen, err error) {
	err = json.NewDecoder(io.LimitReader(answer.Body, mostAnswer)).Decode(&s)
	switch {
	case answer.StatusCode >= 500:
		return doctor.Seen{}, hint.Add(fmt.Errorf("the proxy answers with status %d", answer.StatusCode), "see that the proxy passes requests on to "+p.Listen.Addr+", where hide listens")
	case err != nil || s.Proof != p.Proof:
		return doctor.Seen{}, fmt.Errorf("another program answers, with status %d", answer.StatusCode)
	}
	return s, nil
}

// socket asks for a websocket.
func (p *prober) socket(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, replyWithin)
	defer cancel()
	d := &websocket.Dialer{NetDialContext: dialer(p.Setup), TLSClientConfig: p.anyCertificate(), HandshakeTimeout: replyWithin}
	c, answer, err := d.DialContext(ctx, "wss://"+p.origin.Host+doctor.ProbePath+p.Token, http.Header{"Origin": {p.origin.String()}})
	if err != nil {
		if answer != nil {
			p.found.Socket, _ = p.seen(answer)
		}
		return
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(replyWithin))
	if err := c.ReadJSON(&p.found.Socket); err == nil {
		p.found.Upgrade = p.found.Socket.Proof == p.Proof
	}
}

// upload announces a body of a size, and sends the beginning of it. It reports whether the
// proxy accepts the size.
func (p *prober) upload(ctx context.Context, size int64) (passes bool) {
	ctx, cancel := context.WithTimeout(ctx, heldAfter)
	defer cancel()
	answer, err := p.send(ctx, http.MethodPost, &beginning{left: doctor.ProbeBody, ctx: ctx}, size)
	if err != nil {
		if ctx.Err() != nil { // the proxy waits for the whole body
			p.found.Upload, p.found.Held = size, true
			return true
		}
		p.found.Refused, p.found.Status = size, 0 // the connection was closed
		return false
	}
	defer answer.Body.Close()
	if s, err := p.seen(answer); err == nil && s.Length == size {
		p.found.Upload = size
		return true
	}
	p.found.Refused, p.found.Status = size, answer.StatusCode
	return false
}

// beginning is a body that stops after a few bytes, until its context ends.
type beginning struct {
	left int
	ctx  context.Context
}

func (b *beginning) Read(to []byte) (int, error) {
	if b.left == 0 {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	n := min(len(to), b.left)
	clear(to[:n])
	b.left -= n
	return n, nil
}

// SPDX-License-Identifier: Apache-2.0

// Package listen opens the port of a server, works out its address for browsers, and
// refuses to serve identified notes over a network without encryption.
package listen

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Options say where a server listens.
type Options struct {
	Addr      string // HOST:PORT; port 0 picks a free one
	Origin    string // for browsers; "" if it is the address
	Cert, Key string // PEM files, for https
	Proxied   bool   // a proxy in front terminates https
	Proxies   string // its addresses or networks, separated by commas
}

// Error says why the options do not make a server.
type Error struct {
	Misuse bool // the options contradict each other
	Hint   string
	Err    error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

func misuse(hint, format string, args ...any) error {
	return &Error{Misuse: true, Hint: hint, Err: fmt.Errorf(format, args...)}
}

// Check refuses options that contradict each other. It opens nothing.
func (o Options) Check() error {
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return misuse("", "--addr is not like 127.0.0.1:8080")
	}
	if (o.Cert == "") != (o.Key == "") {
		return misuse("", "--tls-cert and --tls-key go together")
	}
	if err := o.checkReach(host); err != nil {
		return err
	}
	return o.checkOrigin()
}

// Open opens the port and returns the origin for browsers.
func (o Options) Open() (net.Listener, string, error) {
	if err := o.Check(); err != nil {
		return nil, "", err
	}
	listener, err := open("--addr", o.Addr)
	if err != nil {
		return nil, "", err
	}
	origin := o.OriginAt(listener.Addr().String())
	if o.Cert == "" {
		return listener, origin, nil
	}
	own, err := newCertificate(o.Cert, o.Key)
	if err != nil {
		return nil, "", errors.Join(certificateError(err), listener.Close())
	}
	return tls.NewListener(listener, &tls.Config{GetCertificate: own.get, MinVersion: tls.VersionTLS12}), origin, nil
}

// certificateError says what to do about a certificate or key that cannot be used.
func certificateError(err error) error {
	hint := "--tls-cert is the certificate with its chain, and --tls-key the private key of that certificate, both in PEM"
	switch {
	case errors.Is(err, fs.ErrPermission):
		hint = "let the files belong to the user of the server: chown it, with mode 0600 for the key"
	case errors.Is(err, fs.ErrNotExist):
		hint = "name the files with --tls-cert and --tls-key"
	}
	return &Error{Hint: hint, Err: err}
}

func open(flag, addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, &Error{
			Hint: "another program, or another hide, may use the port: stop it, or choose another port with " + flag,
			Err:  fmt.Errorf("listen on %s: %w", addr, bare(err)),
		}
	}
	return listener, nil
}

// Loopback opens a port that only this machine reaches. flag is the option that names it.
func Loopback(flag, addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	switch {
	case err != nil:
		return nil, misuse("", "%s is not like 127.0.0.1:9464", flag)
	case !loopback(host):
		return nil, misuse("listen on 127.0.0.1, and let a proxy or a program on this machine pass it on", "%s %s is reachable from other machines", flag, addr)
	}
	return open(flag, addr)
}

// OriginAt is the origin for browsers of a server that listens at an address.
func (o Options) OriginAt(addr string) string {
	if o.Origin != "" {
		return o.Origin
	}
	return o.scheme() + "://" + addr
}

func (o Options) scheme() string {
	if o.Cert != "" {
		return "https"
	}
	return "http"
}

func (o Options) checkReach(host string) error {
	if o.Proxied {
		if u, err := url.Parse(o.Origin); err != nil || u.Scheme != "https" || u.Host == "" {
			return misuse("", "--behind-proxy needs --origin https://...")
		}
		return nil
	}
	if o.Cert != "" {
		if ip := net.ParseIP(host); o.Origin == "" && (host == "" || ip != nil && ip.IsUnspecified()) {
			return misuse("add --origin https://NAME with the name that people type", "--addr %s is no address that a browser can open", o.Addr)
		}
		return nil
	}
	if loopback(host) {
		return nil
	}
	return misuse("give --tls-cert and --tls-key, or --behind-proxy with --origin, or listen on 127.0.0.1",
		"%s is reachable from other machines; without https anybody on the network could read the notes", o.Addr)
}

// TrustedProxies are the networks whose X-Forwarded-For header is believed.
func (o Options) TrustedProxies() ([]netip.Prefix, error) {
	if o.Proxies == "" {
		return nil, nil
	}
	if !o.Proxied {
		return nil, misuse("", "--proxy goes with --behind-proxy")
	}
	var all []netip.Prefix
	for text := range strings.SplitSeq(o.Proxies, ",") {
		p, err := parseNetwork(strings.TrimSpace(text))
		if err != nil {
			return nil, misuse("", "--proxy is not like 10.0.0.5 or 10.0.0.0/24,fd00::/8")
		}
		if p.Bits() == 0 {
			return nil, misuse("list the addresses of the proxies only", "--proxy %s would let everybody choose an address", text)
		}
		all = append(all, p)
	}
	return all, nil
}

func parseNetwork(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		p, err := netip.ParsePrefix(text)
		if p.Addr().Is4In6() && p.Bits() >= 96 { // how browsers' addresses are compared
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		return p.Masked(), err
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return netip.Prefix{}, errors.New("not an address")
	}
	a = a.Unmap()
	return netip.PrefixFrom(a, a.BitLen()), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// LoopbackNames are the other names of a server that listens only on this machine.
func LoopbackNames(origin string, at net.Addr) []string {
	u, err := url.Parse(origin)
	if err != nil || !loopback(u.Hostname()) {
		return nil
	}
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return nil
	}
	return []string{"localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port}
}

// bare is the innermost error: "address already in use".
func bare(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

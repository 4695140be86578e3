// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"

	"hide/internal/account"
	"hide/web/site"
)

// listenFlags are the address of a server and its URL for browsers.
type listenFlags struct {
	addr, origin, cert, certKey string
	proxied                     bool
}

func (l *listenFlags) add(f *flag.FlagSet, addr string) {
	f.StringVar(&l.addr, "addr", addr, "`HOST:PORT` to listen on; port 0 picks a free one")
}

func (l *listenFlags) addPublic(f *flag.FlagSet) {
	f.StringVar(&l.origin, "origin", "", "`URL` of the server for browsers, if it differs from the address it listens on")
	f.StringVar(&l.cert, "tls-cert", "", "certificate `file` (PEM), for https")
	f.StringVar(&l.certKey, "tls-key", "", "private key `file` (PEM) of the certificate")
	f.BoolVar(&l.proxied, "behind-proxy", false, "a proxy in front of the server terminates https; needs --origin https://...")
}

func runServe(ctx context.Context, e *env, args []string) error {
	var l listenFlags
	f := e.flags()
	place := e.dataFlags(f)
	l.add(f, "127.0.0.1:8080")
	l.addPublic(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	listener, origin, err := l.listen(e)
	if err != nil {
		return err
	}
	defer listener.Close()
	data, err := place.open(true)
	if err != nil {
		return err
	}
	if err := e.sayFirstRun(data, origin); err != nil {
		return errors.Join(err, data.close())
	}
	return errors.Join(e.serve(ctx, data, listener, origin, l.proxied), data.close())
}

// serve answers until ctx ends.
func (e *env) serve(ctx context.Context, data *folder, l net.Listener, origin string, proxied bool) error {
	return e.serveWith(ctx, data, l, origin, site.Config{Proxied: proxied})
}

// serveWith is serve with more said about the site.
func (e *env) serveWith(ctx context.Context, data *folder, l net.Listener, origin string, cfg site.Config) error {
	defer data.projects.KeepSweeping(ctx, func(err error) { fmt.Fprintln(e.stderr, "hide: the bins could not be emptied:", err) })()
	cfg.Accounts, cfg.Projects, cfg.PublicOrigin, cfg.Now = data.accounts, data.projects, origin, e.now
	cfg.Hosts, cfg.Log = loopbackNames(origin, l), slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	server, err := site.New(cfg)
	if err != nil {
		return err
	}
	return server.Serve(ctx, l)
}

// sayFirstRun prints the one-time link if no account exists.
func (e *env) sayFirstRun(data *folder, origin string) error {
	token, err := data.accounts.FirstRun()
	if errors.Is(err, account.ErrNotFirst) {
		return sayOn(e.stdout, "hide is at "+origin)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(e.stderr, "hide: open this link within 15 minutes to create the first account; it works once")
	return sayOn(e.stdout, signInURL(origin, token))
}

// signInURL carries the token in the fragment, which browsers do not send and
// servers do not log.
func signInURL(origin, token string) string { return origin + linkPath + token }

// listen opens the port and returns the origin for browsers.
func (l *listenFlags) listen(e *env) (net.Listener, string, error) {
	host, _, err := net.SplitHostPort(l.addr)
	if err != nil {
		return nil, "", e.usage("--addr is not like 127.0.0.1:8080")
	}
	if (l.cert == "") != (l.certKey == "") {
		return nil, "", e.usage("--tls-cert and --tls-key go together")
	}
	if err := l.checkReach(e, host); err != nil {
		return nil, "", err
	}
	listener, err := net.Listen("tcp", l.addr)
	if err != nil {
		return nil, "", withHint(fmt.Errorf("listen on %s: %w", l.addr, bare(err)), "another program may use the port; --addr 127.0.0.1:0 picks a free one")
	}
	origin := l.origin
	if origin == "" {
		origin = l.scheme() + "://" + listener.Addr().String()
	}
	if l.cert == "" {
		return listener, origin, nil
	}
	pair, err := tls.LoadX509KeyPair(l.cert, l.certKey)
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("read the certificate: %w", err), listener.Close())
	}
	return tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), origin, nil
}

func (l *listenFlags) scheme() string {
	if l.cert != "" {
		return "https"
	}
	return "http"
}

// checkReach refuses to serve identified notes over a network without encryption.
func (l *listenFlags) checkReach(e *env, host string) error {
	if l.proxied {
		if u, err := url.Parse(l.origin); err != nil || u.Scheme != "https" || u.Host == "" {
			return e.usage("--behind-proxy needs --origin https://...")
		}
		return nil
	}
	if l.cert != "" || loopback(host) {
		return nil
	}
	return &usageError{
		text: fmt.Sprintf("%s: %s is reachable from other machines; without https anybody on the network could read the notes", e.command.name, l.addr),
		hint: "give --tls-cert and --tls-key, or --behind-proxy with --origin, or listen on 127.0.0.1",
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// loopbackNames are the other names of a server that listens only on this machine.
func loopbackNames(origin string, l net.Listener) []string {
	u, err := url.Parse(origin)
	if err != nil || !loopback(u.Hostname()) {
		return nil
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
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

// sayOn writes a line and flushes it.
func sayOn(w io.Writer, line string) error {
	_, err := io.WriteString(w, strings.TrimRight(line, "\n")+"\n")
	return err
}

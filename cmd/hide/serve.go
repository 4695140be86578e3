// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"

	"hide/internal/account"
	"hide/internal/flagfile"
	"hide/internal/listen"
	"hide/internal/recovery"
	"hide/internal/supervisor"
	"hide/web"
	"hide/web/site"
)

// listenFlags are the address of a server and its URL for browsers.
type listenFlags struct{ listen.Options }

func (l *listenFlags) add(f *flag.FlagSet, addr string) {
	f.StringVar(&l.Addr, "addr", addr, "`HOST:PORT` to listen on; port 0 picks a free one")
}

func (l *listenFlags) addPublic(f *flag.FlagSet) {
	f.StringVar(&l.Origin, "origin", "", "`URL` of the server for browsers, if it differs from the address it listens on")
	f.StringVar(&l.Cert, "tls-cert", "", "certificate `file` (PEM), for https")
	flagfile.Secret(f, &l.Key, "tls-key", "private key `file` (PEM) of the certificate")
	f.BoolVar(&l.Proxied, "behind-proxy", false, "a proxy in front of the server terminates https; needs --origin https://...")
	f.StringVar(&l.Proxies, "proxy", "", "`ADDRESS` or network of the proxy, several with commas: its X-Forwarded-For header names the browser")
}

// open opens the port and returns the origin for browsers.
func (l *listenFlags) open(e *env) (net.Listener, string, error) {
	listener, origin, err := l.Open()
	return listener, origin, e.listenError(err)
}

// listenError is an error of package listen as one of this command.
func (e *env) listenError(err error) error {
	problem, ok := errors.AsType[*listen.Error](err)
	switch {
	case !ok:
		return err
	case problem.Misuse:
		return &usageError{text: e.command.name + ": " + problem.Error(), hint: cmp.Or(problem.Hint, "see: hide help "+e.command.name)}
	}
	return withHint(err, problem.Hint)
}

// serveFlags are the options of hide serve. Each part declares its own.
type serveFlags struct {
	place   *dataFlags
	listen  listenFlags
	metrics metricsFlags
	backups backupFlags
	audit   auditFlags
	signIn  signInFlags
	limits  limitFlags
	calls   webhookFlags
	config  configFlag
	proxies []netip.Prefix
}

func (v *serveFlags) add(e *env, f *flag.FlagSet) {
	v.config.add(f)
	v.place = e.ownDataFlags(f)
	v.listen.add(f, "127.0.0.1:8080")
	v.listen.addPublic(f)
	v.metrics.add(f)
	v.backups.add(f)
	v.audit.add(f)
	v.signIn.add(f)
	v.limits.add(f)
	v.calls.add(f)
}

// read parses the options, also those of a file.
func (v *serveFlags) read(e *env, f *flag.FlagSet, args []string) error {
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := v.config.read(e, f); err != nil {
		return err
	}
	err := v.calls.read(e)
	if err != nil {
		return err
	}
	if v.proxies, err = v.listen.TrustedProxies(); err != nil {
		return e.listenError(err)
	}
	if v.place.people, err = v.signIn.options(e); err != nil {
		return err
	}
	v.place.limits, err = v.limits.options(e, v.place.dir)
	return err
}

func runServe(ctx context.Context, e *env, args []string) error {
	var v serveFlags
	f := e.flags()
	v.add(e, f)
	if err := v.read(e, f, args); err != nil {
		return err
	}
	e.protectMemory()
	listener, origin, err := v.listen.open(e)
	if err != nil {
		return err
	}
	hospital, err := v.signIn.issuer(e, origin)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	door := web.Open(listener, e.serverLog())
	defer door.Close()
	if err := v.metrics.open(e); err != nil {
		return err
	}
	defer v.metrics.serve(e, door)()
	if err := v.audit.open(e, v.place); err != nil {
		return err
	}
	data, err := v.place.open(true)
	if err != nil {
		return err
	}
	e.warnOfClock(data)
	cfg := site.Config{Proxied: v.listen.Proxied, Proxies: v.proxies, Disk: v.place.limits.Disk, Issuer: hospital}
	return errors.Join(v.serve(ctx, e, data, door, origin, cfg), data.close())
}

// serve runs everything around an open folder. The copies of the audit trail end last: what
// ends before writes rows.
func (v *serveFlags) serve(ctx context.Context, e *env, data *folder, door *web.Door, origin string, cfg site.Config) error {
	stopCopies, err := v.audit.start(ctx, data, &cfg)
	if err != nil {
		return err
	}
	defer stopCopies()
	stopBackups, err := v.backups.start(ctx, e, data, &cfg)
	if err != nil {
		return err
	}
	defer stopBackups()
	stopSending, err := v.calls.start(ctx, e, data)
	if err != nil {
		return err
	}
	defer stopSending()
	v.metrics.watch(data, door, &cfg, v.audit.copies)
	defer data.keepRotating(ctx, e)()
	return e.serveFolder(ctx, data, v.place.dir, door, origin, cfg)
}

// serveFolder answers browsers, commands beside the server and the terminal until ctx ends.
func (e *env) serveFolder(ctx context.Context, data *folder, dir string, door *web.Door, origin string, cfg site.Config) error {
	data.origin, data.door, data.backups = origin, door, cfg.Backups
	ctx, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	defer background.Wait()
	defer stop()
	e.answerBeside(ctx, &background, data, dir)
	if err := e.sayFirstRun(data, origin); err != nil {
		return err
	}
	background.Go(func() { e.askIssuer(ctx, cfg.Issuer) })
	if e.atTerminal() {
		runInBackground()
		fmt.Fprintln(e.stderr, "hide: for a new sign-in link type l and Enter; for somebody's, l, a space, the name and Enter")
		background.Go(func() {
			e.printLinks(ctx, nil, func(line string) (string, error) { return data.linkForLine(origin, line) })
		})
	}
	return e.serve(ctx, data, door, origin, cfg)
}

// serve answers browsers until ctx ends.
func (e *env) serve(ctx context.Context, data *folder, door *web.Door, origin string, cfg site.Config) error {
	data.projects.KeepIndexing()
	defer data.projects.KeepSweeping(ctx, func(err error) { fmt.Fprintln(e.stderr, "hide: removals are left to finish:", err) })()
	for _, missing := range data.store.Sealed() {
		fmt.Fprintln(e.stderr, "hide: project", missing)
	}
	for _, left := range data.store.SecretsLeft() {
		fmt.Fprintln(e.stderr, "hide:", left)
	}
	cfg.Accounts, cfg.Projects, cfg.PublicOrigin, cfg.Now = data.accounts, data.projects, origin, e.now
	cfg.Hosts, cfg.Log = listen.LoopbackNames(origin, door.Addr()), e.serverLog()
	cfg.Ready = append(cfg.Ready, data.store)
	if cfg.Disk != nil {
		cfg.Ready = append(cfg.Ready, cfg.Disk)
	}
	server, err := site.New(cfg)
	if err != nil {
		return err
	}
	if err := supervisor.Tell("READY=1"); err != nil {
		report(e.stderr, err)
	}
	defer supervisor.TellAtEnd(ctx)()
	return server.ServeAt(ctx, door)
}

// serverLog is the log of a server: what went wrong.
func (e *env) serverLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// sayFirstRun prints the one-time link if no account exists.
func (e *env) sayFirstRun(data *folder, origin string) error {
	if data.accounts.LocalOff() { // the first person comes from the issuer
		return sayOn(e.stdout, "hide is at "+origin)
	}
	token, err := data.accounts.FirstRun()
	if errors.Is(err, account.ErrNotFirst) {
		if _, err := recovery.OnlyAdmin(data.accounts); errors.Is(err, recovery.ErrNoAdmin) {
			fmt.Fprintf(e.stderr, "hide: %v: %s\n", err, addAdmin)
		}
		return sayOn(e.stdout, "hide is at "+origin)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(e.stderr, "hide: open this link within 15 minutes to create the first account; it works once. Who does not see it makes another: "+addAdmin)
	return sayOn(e.stdout, signInURL(origin, token))
}

// signInURL carries the token in the fragment, which browsers do not send and
// servers do not log.
func signInURL(origin, token string) string { return origin + linkPath + token }

// sayOn writes a line and flushes it.
func sayOn(w io.Writer, line string) error {
	_, err := io.WriteString(w, strings.TrimRight(line, "\n")+"\n")
	return err
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"hide/internal/doctor"
	"hide/internal/doctor/gather"
)

// runDoctor checks an installation, also while its server runs. In a server it answers what
// the command that was typed asks.
func runDoctor(ctx context.Context, e *env, args []string) error {
	if e.shared != nil {
		return e.shared.inside().Answer(ctx, args, e.stdout)
	}
	var v serveFlags
	f := e.flags()
	v.add(e, f)
	clock := f.String("clock-from", "", "`URL` of a server of yours whose clock is right, to compare this machine's with")
	if err := v.read(e, f, args); err != nil {
		return err
	}
	if err := v.listen.Check(); err != nil {
		return e.listenError(err)
	}
	setup := gather.Setup{
		Version: toolVersion(), Store: v.place.options(), PassKey: v.place.passphrase, Listen: v.listen.Options,
		BackupTo: v.backups.to, BackupEvery: v.backups.every, IssuerURL: v.signIn.oidc.URL, ClockFrom: *clock, Now: e.now,
	}
	if v.place.passphrase == "" {
		setup.Store.Passphrase = nil // nobody is asked: a server would have to be, too
	}
	if v.audit.File != "" {
		setup.Copies = append(setup.Copies, "file")
	}
	if v.audit.Syslog.Addr != "" {
		setup.Copies = append(setup.Copies, "syslog")
	}
	var err error
	if setup.Issuer, err = v.signIn.issuer(e, v.listen.OriginAt(v.listen.Addr)); err != nil {
		return err
	}
	bar := e.progress("looking at the installation")
	facts, err := gather.Facts(ctx, setup)
	bar.End()
	if err != nil {
		return err
	}
	r := doctor.Examine(facts)
	if printed := e.result(r, func(w io.Writer) { err = r.WriteText(w) }); printed != nil {
		err = printed
	}
	if err == nil && !r.OK {
		return errReported
	}
	return err
}

// inside is what a server says of itself.
func (f *folder) inside() gather.Inside {
	i := gather.Inside{Version: toolVersion(), Origin: f.origin, Store: f.store, Backups: f.backups, Copies: f.copies}
	if f.door != nil {
		i.Door = f.door
	}
	return i
}

// warnOfClock says at the start of a server that the clock is too early.
func (e *env) warnOfClock(data *folder) {
	now := time.Now
	if e.now != nil {
		now = e.now
	}
	in, err := data.store.Inspect()
	if err != nil {
		return // others say what is wrong with the data
	}
	if found, next := doctor.EarlyClock(now(), in.Newest); found != "" {
		fmt.Fprintf(e.stderr, "hide: %s\nhide: %s\n", found, next)
	}
}

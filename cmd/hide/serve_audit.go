// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"

	"hide/internal/auditsink"
	"hide/internal/flagfile"
	"hide/internal/hint"
	"hide/web/site"
)

// auditFlags are the copies of the audit trail that a server keeps elsewhere.
type auditFlags struct {
	auditsink.Options
	copies *auditsink.Copies // nil for none
}

func (a *auditFlags) add(f *flag.FlagSet) {
	f.StringVar(&a.File, "audit-file", "", "`FILE` to which each row of the audit trail is copied as a line of JSON, outside of the data folder; \"\" for none")
	f.StringVar(&a.Syslog.Addr, "audit-syslog", "", "`HOST:PORT` of a syslog server to which each row of the audit trail is copied (RFC 5424 over TLS); \"\" for none")
	f.StringVar(&a.Syslog.CA, "audit-syslog-ca", "", "`FILE` (PEM) with the authority that signed the certificate of the syslog server; \"\" means those of this machine")
	f.StringVar(&a.Syslog.Cert, "audit-syslog-cert", "", "certificate `file` (PEM) of hide for the syslog server, if it asks for one")
	flagfile.Secret(f, &a.Syslog.Key, "audit-syslog-key", "private key `file` (PEM) of that certificate")
	f.Uint64Var(&a.Spool, "audit-spool", auditsink.DefaultSpool, "`NUMBER` of rows, or 24 hours, by which a copy may be behind before exports and releases are refused")
}

// open checks the options before the data folder is opened, whose projects ask the copies.
func (a *auditFlags) open(e *env, place *dataFlags) (err error) {
	if a.Spool == 0 {
		return e.usage("--audit-spool must be at least 1")
	}
	if a.Syslog.Addr == "" && a.Syslog != (auditsink.Syslog{}) {
		return e.usage("--audit-syslog-ca, --audit-syslog-cert and --audit-syslog-key need --audit-syslog")
	}
	a.DataDir, a.Log = place.dir, e.stderr
	if a.copies, err = auditsink.New(a.Options); err != nil {
		return withHint(err, hint.Of(err))
	}
	if a.copies != nil {
		place.limits.Copies = a.copies
	}
	return nil
}

// start copies until the function that it returns is called.
func (a *auditFlags) start(ctx context.Context, data *folder, cfg *site.Config) (stop func(), err error) {
	if a.copies == nil {
		return func() {}, nil
	}
	cfg.Copies, data.copies = a.copies, a.copies
	return a.copies.Start(ctx, data.store)
}

// SPDX-License-Identifier: Apache-2.0

// Package gather looks at an installation of hide for package doctor.
//
//	facts := gather.Facts(ctx, gather.Setup{...})
//	report := doctor.Examine(facts)
//
// It changes nothing. What only a running server knows is asked on the socket in its data
// folder, where [Inside] answers. It connects to nothing but that server, its public address,
// the issuer, and the source of time that the operator has named.
package gather

import (
	"context"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"hide/internal/doctor"
	"hide/internal/hint"
	"hide/internal/issuer"
	"hide/internal/listen"
	"hide/internal/store"
)

// Setup is what a server would use, and how to look.
type Setup struct {
	Version string
	Store   store.Options // without a passphrase if none is on file
	PassKey string        // the file with the passphrase, if there is one
	Listen  listen.Options

	BackupTo    string // "" for no schedule
	BackupEvery time.Duration

	Copies []string // of the audit trail: "file", "syslog"

	Issuer    *issuer.Issuer // nil for none
	IssuerURL string
	ClockFrom string // URL of a server whose clock is right; "" for none

	// For tests: how to connect to the public address, and whom to trust. nil means as usual.
	Dial  func(ctx context.Context, network, address string) (net.Conn, error)
	Roots *x509.CertPool
	Now   func() time.Time
}

// Facts looks at everything. What cannot be looked at is said in the facts.
func Facts(ctx context.Context, s Setup) (doctor.Facts, error) {
	if s.Now == nil {
		s.Now = time.Now
	}
	places, err := s.Store.Places()
	if err != nil {
		return doctor.Facts{}, err
	}
	f := doctor.Facts{Now: s.Now(), Program: s.Version, Copies: s.Copies, Memory: Memory()}
	if !strings.HasSuffix(s.Listen.Addr, ":0") || s.Listen.Origin != "" {
		f.Origin = s.Listen.OriginAt(s.Listen.Addr)
	}
	f.Server, err = askServer(ctx, s.Store.Dir)
	if err != nil {
		return f, err
	}
	f.Socket = socket(s.Store.Dir)
	f.Data = data(s, places, f.Server)
	f.Key = key(s, places)
	f.Files = files(s.Store.Dir, places)
	f.Left = store.Leftovers(s.Store.Dir)
	f.Backups = backups(s, places)
	f.Disks = disks(s, f.Server, f.Backups)
	if f.Server == nil && !f.Data.Held {
		f.Address = port(s.Listen)
	}
	f.Certificate = certificateFile(s.Listen)
	f.Issuer, f.Clock = askIssuer(ctx, s)
	f.Proxy = askOrigin(ctx, s, &f)
	if running(f.Server) && f.Backups != nil && f.Server.Backups != nil && f.Server.Backups.Folder == f.Backups.Folder {
		f.Backups.Writable = f.Server.Backups.Writable
	}
	return f, nil
}

// running reports whether a server answers that knows this command.
func running(s *doctor.Server) bool { return s != nil && !s.Old }

// problem is an error in words, nil for none.
func problem(err error, next string) *doctor.Problem {
	if err == nil {
		return nil
	}
	if own := hint.Of(err); own != "" {
		next = own
	}
	if l, ok := errors.AsType[*listen.Error](err); ok && l.Hint != "" {
		next = l.Hint
	}
	return &doctor.Problem{What: oneLine(err), Next: next}
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// data looks into the closed folder, or takes what the server says.
func data(s Setup, p store.Places, server *doctor.Server) doctor.Data {
	d := doctor.Data{Dir: s.Store.Dir, Exists: store.Exists(s.Store.Dir)}
	if info, err := os.Stat(p.Data); err == nil {
		d.Bytes, d.Written, d.Owner = info.Size(), info.ModTime(), owner(info)
	}
	switch {
	case server != nil:
		d.Exists, d.Held, d.Holder, d.Opened = true, true, server.Process, server.Data
	case d.Exists:
		in, err := store.Inspect(s.Store)
		d.Opened = opened(in, nil)
		refuse(&d, err, in.Passphrase && s.Store.Passphrase == nil)
	}
	return d
}

// opened are the findings of a store.
func opened(in store.Inspection, err error) doctor.Opened {
	return doctor.Opened{
		Schema: in.Schema, Known: in.Known, Passphrase: in.Passphrase, Rows: in.Rows, Newest: in.Newest,
		HeadGone: in.HeadGone, Sealed: in.Sealed, Rotating: in.Rotating, Problem: problem(err, ""),
	}
}

// refuse notes why a folder could not be looked at.
func refuse(d *doctor.Data, err error, unknownPassphrase bool) {
	if err == nil {
		return
	}
	d.Problem = problem(err, "")
	locked, isLocked := errors.AsType[*store.LockedError](err)
	_, newer := errors.AsType[*store.SchemaError](err)
	damage, damaged := errors.AsType[*store.DamageError](err)
	switch {
	case isLocked:
		d.Held, d.Holder, d.Problem = true, locked.Holder, nil
	case unknownPassphrase:
		d.Refused = doctor.NoPassphrase
	case newer:
		d.Refused = doctor.NewerSchema
	case errors.Is(err, store.ErrWrongKey):
		d.Refused = doctor.WrongKey
	case damaged && !strings.HasPrefix(damage.Place, "key file"):
		d.Refused = doctor.Damaged
	case d.Schema > 0 && d.Rows == 0: // the description of the key was read, and the key was not
		d.Refused = doctor.NoKey
		if errors.Is(err, fs.ErrNotExist) {
			d.Problem.Next = "put the key back, or name it with --key FILE: nobody can read the data without it"
		}
	case errors.Is(err, fs.ErrPermission):
		d.Refused = doctor.NoPermission
	default:
		d.Refused = doctor.OtherProblem
	}
}

// port tries to open the port of the server, and closes it again.
func port(o listen.Options) doctor.Address {
	l, _, err := o.Open()
	if err == nil {
		err = l.Close()
	}
	return doctor.Address{Addr: o.Addr, Problem: problem(err, "")}
}

// SPDX-License-Identifier: Apache-2.0

package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Drilled is a backup that was restored for a drill.
type Drilled struct {
	Store  *Store
	Info   BackupInfo
	Values int    // that were decrypted and verified
	Rows   uint64 // of the audit trail in the backup, verified
	Head   []byte // hash of the last of these rows
	// LiveRows is the number of audit rows of the store that the options name, as far as the
	// audit head beside it can be read with the same root key; 0 if unknown.
	LiveRows uint64
}

// Drill restores a backup into a new folder in temp ("" means beside opts.Dir), verifies
// everything in it, calls fn, and removes the folder. opts are those of the store whose
// backup it is. Of that store the root key, the secrets and the audit head are read, and
// nothing is written. It may be open in another process.
func Drill(ctx context.Context, r io.Reader, opts Options, temp string, fn func(*Drilled) error) (err error) {
	opts, err = opts.complete()
	if err != nil {
		return err
	}
	opts.Create = false
	opts.askOnce()
	if temp == "" {
		temp = filepath.Dir(opts.Dir)
	}
	if temp, err = os.MkdirTemp(temp, drillTemp); err != nil {
		return fmt.Errorf("drill: %w", plain(err))
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	inner := opts
	inner.Dir, inner.drill = filepath.Join(temp, "data"), filepath.Join(temp, "secrets")
	inner.restoredTo = filepath.Join(temp, "none")
	if err := os.Mkdir(inner.Dir, 0o700); err != nil {
		return fmt.Errorf("drill: %w", plain(err))
	}
	info, err := unpack(&until{ctx: ctx, r: r}, inner)
	if err != nil {
		return fmt.Errorf("drill: %w", err)
	}
	return drilled(ctx, inner, opts, info, fn)
}

func drilled(ctx context.Context, inner, live Options, info BackupInfo, fn func(*Drilled) error) error {
	s, err := Open(inner)
	if err != nil {
		return fmt.Errorf("drill: %w", err)
	}
	d := &Drilled{Store: s, Info: info}
	err = s.Check(ctx, func(_, total int) { d.Values = total })
	if err == nil {
		_, err = s.VerifyAudit()
		d.Rows, d.Head = s.came.seq, s.came.hash[:]
	}
	if err == nil {
		d.LiveRows = s.rowsBeside(live)
		err = fn(d)
	}
	return errors.Join(err, s.Close())
}

// rowsBeside reads the head of another store with the same root key.
func (s *Store) rowsBeside(live Options) uint64 {
	head, ok, err := readHead(live.head(), &s.keys.head)
	if err != nil || !ok {
		return 0
	}
	return head.seq
}

// until stops reading or writing when its context ends.
type until struct {
	ctx context.Context
	r   io.Reader
	w   io.Writer
	err error // the last failure to write
}

func (u *until) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(b)
}

func (u *until) Write(b []byte) (n int, err error) {
	if err = u.ctx.Err(); err == nil {
		n, err = u.w.Write(b)
	}
	u.err = cmp.Or(err, u.err)
	return n, err
}

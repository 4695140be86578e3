// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"hide/internal/store"
)

func runBackup(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	out := f.String("out", "", "`FILE` to write the backup to; it must not exist yet")
	if _, err := e.parse(f, args, 0, 0, "out"); err != nil {
		return err
	}
	if err := e.files().CheckNew(*out); err != nil {
		return err
	}
	var size int64
	err := data.withStore(func(s *store.Store) (err error) {
		if err := s.Record(store.Event{Actor: operator(ctx).ID, Action: "backup", Object: store.System}); err != nil {
			return err
		}
		size, err = e.files().Write(*out, func(w io.Writer) error { return s.Backup(ctx, w) })
		if err != nil {
			return data.explain(fmt.Errorf("%s: %w", *out, err))
		}
		return nil
	})
	if err != nil {
		return err
	}
	v := struct {
		Backup string `json:"backup"`
		Bytes  int64  `json:"bytes"`
	}{*out, size}
	return e.result(v, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d bytes, encrypted, with the files of releases. Keep the key and the project secrets (hide project-secret export) elsewhere: the backup holds neither, and nobody can read it without both.\n", v.Backup, v.Bytes)
	})
}

func runRestore(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.ownDataFlags(f)
	in := f.String("in", "", "`FILE` with the backup")
	var check drillFlags
	check.add(f)
	if _, err := e.parse(f, args, 0, 0, "in"); err != nil {
		return err
	}
	if err := check.unused(e); err != nil {
		return err
	}
	backup, err := os.Open(*in)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer backup.Close() // only read
	if check.on {
		return check.run(ctx, e, data, backup)
	}
	if err := store.Restore(backup, data.options()); errors.Is(err, fs.ErrNotExist) {
		return withHint(err, "name the key that the backup was made with: --key FILE")
	} else if err != nil {
		return data.explain(err)
	}
	var rows uint64
	var sealed []string
	if err := data.withStore(func(s *store.Store) error {
		sum, err := s.VerifyAudit()
		rows, sealed = sum.Rows, s.SealedSpaces()
		return err
	}); err != nil {
		return err
	}
	v := struct {
		Data   string   `json:"data"`
		Rows   uint64   `json:"audit_rows"`
		Sealed []string `json:"projects_without_secret,omitempty"`
	}{data.dir, rows, sealed}
	return e.result(v, func(w io.Writer) {
		fmt.Fprintf(w, "%s: restored and verified, with %d audit rows\n"+
			"Spending of privacy budgets after the backup is unknown: opening a budget needs a reason.\n", v.Data, v.Rows)
		if len(v.Sealed) > 0 {
			fmt.Fprintf(w, "Projects that need their secrets to be opened: %s. Run hide project-secret import --in FILE --data %s%s with your copy. Projects that were destroyed stay closed for ever.\n",
				strings.Join(v.Sealed, ", "), v.Data, data.keyFlag())
		}
	})
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"hide/internal/store"
)

func runRestore(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	in := f.String("in", "", "`FILE` with the backup")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(f, "in"); err != nil {
		return err
	}
	backup, err := os.Open(*in)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer backup.Close() // only read
	if err := store.Restore(backup, data.options()); err != nil {
		return data.explain(err)
	}
	var rows uint64
	if err := data.withStore(func(s *store.Store) error {
		sum, err := s.VerifyAudit()
		rows = sum.Rows
		return err
	}); err != nil {
		return err
	}
	v := struct {
		Data string `json:"data"`
		Rows uint64 `json:"audit_rows"`
	}{data.dir, rows}
	return e.result(v, func(w io.Writer) {
		fmt.Fprintf(w, "%s: restored and verified, with %d audit rows\n"+
			"What was spent of privacy budgets after the backup was made is not known here: opening one needs a reason.\n", v.Data, v.Rows)
	})
}

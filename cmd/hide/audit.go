// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"hide/internal/store"
)

// auditResult is the output of hide audit verify.
type auditResult struct {
	OK    bool      `json:"ok"`
	Rows  uint64    `json:"rows"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Head  string    `json:"head"` // hash of the last row, to be noted in another place
	Gaps  []uint64  `json:"gaps"` // rows recorded while the head file was missing
}

func runAuditVerify(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	var sum store.AuditSummary
	if err := data.withStore(func(s *store.Store) (err error) {
		sum, err = s.VerifyAudit()
		return err
	}); err != nil {
		return err
	}
	r := auditResult{true, sum.Rows, sum.First, sum.Last, hex.EncodeToString(sum.Head), append([]uint64{}, sum.Gaps...)}
	return e.result(r, func(w io.Writer) { writeAuditResult(w, r) })
}

func writeAuditResult(w io.Writer, r auditResult) {
	fmt.Fprintf(w, "the audit trail is complete: %d rows\n", r.Rows)
	for _, gap := range r.Gaps {
		fmt.Fprintf(w, "row %d: the head file was missing; rows just before this one may have been removed\n", gap)
	}
	fmt.Fprintf(w, "head %s\n", r.Head)
}

func runAuditList(_ context.Context, e *env, args []string) error {
	f := e.flags()
	data := e.dataFlags(f)
	limit := f.Int("limit", 50, "at most `N` rows, newest first")
	before := f.Uint64("before", 0, "only rows older than row `N`; 0 means from the end")
	space := f.String("project", "", "only rows of project `ID`")
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if *limit < 1 {
		return e.usage("--limit must be at least 1")
	}
	rows := []store.AuditRow{}
	err := data.withStore(func(s *store.Store) error {
		spaces, err := s.Spaces()
		if err != nil {
			return err
		}
		if *space != "" && !slices.Contains(spaces, *space) {
			return withHint(fmt.Errorf("no project %q", *space), "hide project list shows their ids")
		}
		found, err := s.AuditRows(*before, *limit, func(r store.AuditRow) bool { return *space == "" || r.Space == *space })
		rows = append(rows, found...)
		return err
	})
	if err != nil {
		return err
	}
	v := struct {
		Rows []store.AuditRow `json:"rows"`
	}{rows}
	return e.result(v, func(w io.Writer) {
		for _, r := range rows {
			fmt.Fprintf(w, "%6d  %s  %-8s %-22s %-24s %s  %s\n", r.Seq, r.Time.Format(time.RFC3339), r.Space, r.Actor, r.Action, r.Object, r.Detail)
		}
	})
}

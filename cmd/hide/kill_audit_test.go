// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"os"
	"testing"

	"hide/internal/auditsink"
	"hide/internal/store"
)

// checkCopyAfterKills copies what is left, as the next start of the server does, and verifies
// the chain in the file: no row is missing, whatever the kills interrupted.
func checkCopyAfterKills(t *testing.T, dir, file string) {
	t.Helper()
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	copies, err := auditsink.New(auditsink.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := copies.Start(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, prev := uint64(0), make([]byte, sha256.Size)
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		var row store.AuditRow
		if json.Unmarshal(line, &row) != nil || row.Seq <= rows {
			continue // a line that a kill has cut short, or a row that came twice
		}
		if row.Seq != rows+1 || !bytes.Equal(row.Prev, prev) {
			t.Fatalf("row %d comes after row %d in the copy", row.Seq, rows)
		}
		sum := sha256.Sum256(line)
		rows, prev = row.Seq, sum[:]
	}
	trail, err := st.VerifyAudit()
	if err != nil || trail.Rows != rows || !bytes.Equal(trail.Head, prev) {
		t.Errorf("the copy ends with row %d of %d, %v", rows, trail.Rows, err)
	}
	t.Logf("%d rows in the copy, %d lines", rows, bytes.Count(text, []byte("\n")))
}

// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

func TestAuditLinesAreTheChainAnybodyCanVerify(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	for i := range 40 {
		must(t, s.Record(Event{Actor: "u1", Action: "test", Object: fmt.Sprint(i), Detail: "a<b>&“c” \u2028"}))
	}
	rows, err := s.Audited()
	must(t, err)
	var all []AuditLine
	for {
		next, err := s.AuditAfter(uint64(len(all)), 7, 1<<20)
		must(t, err)
		if len(next) == 0 {
			break
		}
		all = append(all, next...)
	}
	if uint64(len(all)) != rows {
		t.Fatalf("%d lines of %d rows", len(all), rows)
	}
	prev := make([]byte, 32)
	for i, l := range all {
		var row AuditRow
		must(t, json.Unmarshal(l.JSON, &row))
		if row.Seq != uint64(i+1) || l.Seq != row.Seq || !l.Time.Equal(row.Time) || !bytes.Equal(row.Prev, prev) || bytes.ContainsAny(l.JSON, "\n\r") {
			t.Fatalf("line %d is %s", i, l.JSON)
		}
		sum := sha256.Sum256(l.JSON)
		prev = sum[:]
	}
	sum, err := s.VerifyAudit()
	must(t, err)
	if !bytes.Equal(sum.Head, prev) {
		t.Error("the hash of the last line is not the head of the trail")
	}
	if few, err := s.AuditAfter(0, 100, len(all[0].JSON)+1); err != nil || len(few) != 2 {
		t.Errorf("%d lines within the bytes of a bit more than one, %v", len(few), err)
	}
	if none, err := s.AuditAfter(rows+5, 10, 1<<20); err != nil || len(none) != 0 {
		t.Errorf("after the end: %d lines, %v", len(none), err)
	}
}

func TestCursorsOfCopiesAreKeptWithoutAuditRows(t *testing.T) {
	opts := testOptions(t)
	s := mustOpen(t, opts)
	if _, err := s.AuditCursor("file"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a cursor before the first: %v", err)
	}
	before, err := s.Audited()
	must(t, err)
	must(t, s.PutAuditCursor("file", []byte("seven")))
	must(t, s.PutAuditCursor("syslog", []byte("one")))
	must(t, s.PutAuditCursor("file", []byte("eight")))
	mustClose(t, s) // checks every value, too
	opts.Create = false
	s = mustOpen(t, opts)
	for name, want := range map[string]string{"file": "eight", "syslog": "one"} {
		if got, err := s.AuditCursor(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	if after, err := s.Audited(); err != nil || after != before {
		t.Errorf("%d rows, before %d: %v", after, before, err)
	}
	if _, err := s.VerifyAudit(); err != nil {
		t.Error(err)
	}
}

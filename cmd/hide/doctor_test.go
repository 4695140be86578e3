// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hide/internal/doctor"
)

// anHourAgo is a clock that is an hour slow.
func anHourAgo() time.Time { return time.Now().Add(-time.Hour) }

// TestDoctorAsksTheRunningServer, with its options and with others, and with a clock that is
// an hour slow.
func TestDoctorAsksTheRunningServer(t *testing.T) {
	data, addr := filepath.Join(shortDir(t), "data"), "127.0.0.1:"+freePort(t)
	if _, err := newVisitor(serveHide(t, "serve", "--data", data, "--addr", addr).base).get("/sign-in"); err != nil { // it has started then
		t.Fatal(err)
	}
	examine := func(now func() time.Time, addr string) (code int, checks map[string]doctor.Check) {
		var out bytes.Buffer
		e := discarding()
		e.stdout, e.now = &out, now
		code = run(t.Context(), []string{"doctor", "--json", "--data", data, "--addr", addr}, e)
		var r doctor.Report
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatalf("exit %d: %v", code, err)
		}
		if (code == exitDone) != r.OK || (code == exitFailed) != (r.Failed > 0) {
			t.Errorf("exit code %d of %+v", code, r)
		}
		checks = map[string]doctor.Check{}
		for _, c := range r.Checks {
			checks[c.Name] = c
		}
		return code, checks
	}
	_, checks := examine(nil, addr)
	for _, name := range []string{"server", "version", "data version", "audit trail", "key", "permissions", "clock and audit trail"} {
		if c := checks[name]; c.Status != doctor.OK {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if _, warned := checks["options"]; warned {
		t.Errorf("%+v", checks["options"])
	}
	if _, checks := examine(nil, "127.0.0.1:1"); checks["options"].Status != doctor.Warn {
		t.Errorf("other options: %+v", checks["options"])
	}
	if code, checks := examine(anHourAgo, addr); code != exitFailed || checks["clock and audit trail"].Status != doctor.Fail || !strings.Contains(checks["clock and audit trail"].Found, "60 minutes before the newest row") {
		t.Errorf("exit code %d, %+v", code, checks["clock and audit trail"])
	}
}

// TestAServerWarnsOfAnEarlyClock when it starts, and starts.
func TestAServerWarnsOfAnEarlyClock(t *testing.T) {
	data := filepath.Join(shortDir(t), "data")
	if err := makeData(data); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now    func() time.Time
		warned bool
	}{{anHourAgo, true}, {nil, false}} {
		ctx, stop := context.WithCancel(t.Context())
		var complaints bytes.Buffer
		e := discarding()
		e.stdout, e.stderr, e.now = stopper(stop), &complaints, c.now
		code := run(ctx, []string{"serve", "--data", data, "--addr", "127.0.0.1:0"}, e)
		said := complaints.String()
		if code != exitDone || strings.Contains(said, "60 minutes before the newest row of the audit trail") != c.warned || strings.Contains(said, "set the clock") != c.warned {
			t.Errorf("exit code %d: %s", code, said)
		}
	}
}

// stopper stops a server that says where it is.
type stopper func()

func (s stopper) Write(b []byte) (int, error) { s(); return len(b), nil }

// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeysAreRotatedBesideARunningServer: pages go on, a backup made before opens with the
// old key, and the new one opens what is there afterwards.
func TestKeysAreRotatedBesideARunningServer(t *testing.T) {
	temp, err := os.MkdirTemp("", "hide") // a short path, as sockets need
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	dir := filepath.Join(temp, "data")
	s := serveHide(t, "serve", "--data", dir, "--addr", "127.0.0.1:0")
	ada := newVisitor(s.base)
	form := url.Values{"code": {s.token}, "name": {"Ada"}, "password": {testPassword}, "again": {testPassword}}
	if _, err := ada.post("/welcome/enter", form); err != nil {
		t.Fatal(err)
	}
	say := func(args ...string) string {
		t.Helper()
		var out, complaint bytes.Buffer
		if code := run(t.Context(), args, &env{stdin: strings.NewReader(""), stdout: &out, stderr: &complaint}); code != exitDone {
			t.Fatalf("hide %s: exit code %d: %s", args[0], code, &complaint)
		}
		return out.String()
	}
	backup := filepath.Join(temp, "b")
	say("project", "create", "--approvals", "0", "Ward", "--data", dir)
	say("backup", "--out", backup, "--data", dir)
	if got := say("key", "rotate", "--all", "--data", dir); !strings.Contains(got, "p1, system") {
		t.Errorf("got %s", got)
	}
	if got := say("key", "rotate", "--data", dir); !strings.Contains(got, "has the new root key") {
		t.Errorf("got %s", got)
	}
	if page, err := ada.get("/audit"); err != nil || !strings.Contains(page, "root key rotated") {
		t.Errorf("the page does not show the rotation: %v", err)
	}
	say("audit", "verify", "--data", dir)
	old, err := filepath.Glob(dir + ".key.old-*")
	if err != nil || len(old) != 1 {
		t.Fatalf("older keys: %q, %v", old, err)
	}
	if got := say("restore", "--check", "--in", backup, "--data", dir, "--key", old[0], "--secrets", dir+".secrets"); !strings.Contains(got, "can be restored") {
		t.Errorf("got %s", got)
	}
}

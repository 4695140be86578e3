// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hide/internal/demo"
)

// TestBackupTakenWhilePeopleWorkIsRestored takes a backup from the page of a
// running server and makes a data folder of it.
func TestBackupTakenWhilePeopleWorkIsRestored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	server := serveHide(t, "demo", "--no-open", "--addr", "127.0.0.1:0", "--data", dir)
	v := newVisitor(server.base)
	if _, err := v.get("/welcome"); err != nil {
		t.Fatal(err)
	}
	if _, err := v.post("/welcome", url.Values{"code": {server.token}}); err != nil {
		t.Fatal(err)
	}
	if _, err := v.get("/backup"); err != nil {
		t.Fatal(err)
	}
	backup, err := v.post("/backup/download/hide.backup", url.Values{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "hide.backup")
	if err := os.WriteFile(file, []byte(backup), 0o600); err != nil {
		t.Fatal(err)
	}
	restored := filepath.Join(t.TempDir(), "restored")
	key, err := os.ReadFile(dir + ".key")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(restored+".key", key, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(restored+".secrets", os.DirFS(dir+".secrets")); err != nil {
		t.Fatal(err)
	}
	secrets, _ := filepath.Glob(restored + ".secrets/*")
	for _, name := range secrets {
		if err := os.Chmod(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"restore", "--in", file, "--data", restored}, {"project", "list", "--data", restored}, {"audit", "verify", "--data", restored}} {
		var out, complaints strings.Builder
		if code := run(t.Context(), args, &env{stdin: strings.NewReader(""), stdout: io.Writer(&out), stderr: &complaints}); code != exitDone {
			t.Fatalf("hide %s ends with exit code %d: %s", args[0], code, complaints.String())
		}
		if args[0] == "project" && !strings.Contains(out.String(), demo.Name) {
			t.Errorf("the restored folder lists %q", out.String())
		}
	}
}

// TestAServerMakesBackupsThatAreRestored: the first is due at once, and the page shows it.
func TestAServerMakesBackupsThatAreRestored(t *testing.T) {
	dir, folder := filepath.Join(t.TempDir(), "data"), t.TempDir()
	s := serveHide(t, "serve", "--data", dir, "--addr", "127.0.0.1:0", "--backup-to", folder, "--backup-keep", "2")
	ada := newVisitor(s.base)
	form := url.Values{"code": {s.token}, "name": {"Ada"}, "password": {testPassword}, "again": {testPassword}}
	if _, err := ada.post("/welcome/enter", form); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		page, err := ada.get("/backup")
		if err == nil && strings.Contains(page, "read back and verified") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no backup was shown: %v", err)
		}
	}
	made, err := filepath.Glob(filepath.Join(folder, "hide-*.backup"))
	if err != nil || len(made) != 1 {
		t.Fatalf("got %q, %v", made, err)
	}
	var out, complaint bytes.Buffer
	args := []string{"restore", "--in", made[0], "--data", dir + "-2", "--key", dir + ".key"}
	if code := run(t.Context(), args, &env{stdin: strings.NewReader(""), stdout: &out, stderr: &complaint}); code != exitDone {
		t.Errorf("exit code %d: %s", code, &complaint)
	}
}

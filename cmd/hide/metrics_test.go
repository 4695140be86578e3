// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServeHasMetricsOfItsFolder: what a scrape says after the first sign-in.
func TestServeHasMetricsOfItsFolder(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	s := serveHide(t, "serve", "--data", filepath.Join(t.TempDir(), "data"), "--addr", "127.0.0.1:0", "--metrics", at)
	form := url.Values{"code": {s.token}, "name": {"Ottoline Quarrington"}, "password": {testPassword}, "again": {testPassword}}
	if _, err := newVisitor(s.base).post("/welcome/enter", form); err != nil {
		t.Fatal(err)
	}
	text, err := newVisitor("http://" + at).get("/metrics")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"\nhide_sessions 1\n", "\nhide_live_connections 0\n", "\nhide_data_file_bytes ", "\nhide_audit_rows_total ", "\nhide_disk_free_bytes ", "\nhide_webhook_waiting_messages 0\n",
		`hide_http_requests_total{method="POST",route="/welcome/enter",status="303"} 1`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the metrics lack %q", part)
		}
	}
	if strings.Contains(text, "Ottoline") {
		t.Error("the metrics name a person")
	}
	for _, base := range []string{"http://" + at, s.base} {
		if answer, err := newVisitor(base).get("/readyz"); err != nil || answer != "ok\n" {
			t.Errorf("%s: %q, %v", base, answer, err)
		}
	}
}

// TestTheConfigurationOfPackagesServes: with the folders of the test in place of its own.
func TestTheConfigurationOfPackagesServes(t *testing.T) {
	dir := t.TempDir()
	s := serveHide(t, "serve", "--config", "../../packaging/serve.conf", "--addr", "127.0.0.1:0",
		"--data", filepath.Join(dir, "data"), "--key", filepath.Join(dir, "keys", "root.key"))
	if _, err := newVisitor(s.base).get("/sign-in"); err != nil { // waits for the server
		t.Fatal(err)
	}
	if answer, err := newVisitor(s.base).get("/readyz"); err != nil || answer != "ok\n" {
		t.Errorf("got %q, %v", answer, err)
	}
}

// TestServeTellsItsSupervisor: systemd waits for the first word before it starts what needs
// the server.
func TestServeTellsItsSupervisor(t *testing.T) {
	dir, err := os.MkdirTemp("", "hide") // a short path, as sockets need
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	t.Setenv("NOTIFY_SOCKET", filepath.Join(dir, "notify"))
	heard := func() string {
		said := make([]byte, 100)
		_ = l.SetReadDeadline(time.Now().Add(20 * time.Second))
		n, err := l.Read(said)
		if err != nil {
			t.Error(err)
		}
		return string(said[:n])
	}
	t.Run("server", func(t *testing.T) {
		serveHide(t, "serve", "--data", filepath.Join(t.TempDir(), "data"), "--addr", "127.0.0.1:0")
		if said := heard(); said != "READY=1" {
			t.Errorf("it says %q", said)
		}
	})
	if said := heard(); said != "STOPPING=1" {
		t.Errorf("at the end it says %q", said)
	}
}

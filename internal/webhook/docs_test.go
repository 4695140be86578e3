// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"bufio"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"hide/internal/webhook"
)

// example is a block of code in docs/webhooks.md.
func example(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), "\n```"+language+"\n")
	block, _, ended := strings.Cut(block, "\n```\n")
	if !found || !ended {
		t.Fatalf("docs/webhooks.md has no example in %s", language)
	}
	return block + "\n"
}

// tellsGenuineMessages sends a message, and one with another secret.
func tellsGenuineMessages(t *testing.T, host, secret string) {
	t.Helper()
	s, m := senderTo(t, host, webhook.Options{}), message("http://"+host+"/")
	if r := s.Send(t.Context(), m); r.Status != http.StatusUnauthorized {
		t.Errorf("with another secret: %+v", r)
	}
	m.Secret = secret
	if r := s.Send(t.Context(), m); r.Status != http.StatusNoContent {
		t.Errorf("with the secret: %+v", r)
	}
}

func TestReceiverInGoOfTheDocuments(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "receiver.go"), []byte(example(t, "go")), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "receiver.exe")
	build := exec.Command("go", "build", "-o", program, "receiver.go")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // a port that is free
	if err != nil {
		t.Fatal(err)
	}
	host, secret := l.Addr().String(), webhook.NewSecret()
	l.Close()
	run := exec.Command(program, host)
	run.Env = append(os.Environ(), "SECRET="+secret)
	log, err := run.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		run.Process.Kill() //nolint:errcheck // it may have ended
		run.Wait()         //nolint:errcheck // it was killed
	}()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("tcp", host); err == nil {
			c.Close()
			break
		}
	}
	tellsGenuineMessages(t, host, secret)
	if line, err := bufio.NewReader(log).ReadString('\n'); !strings.HasSuffix(line, "msg_1 "+body+"\n") {
		t.Errorf("it logs %q, %v", line, err)
	}
}

func TestReceiverInShellOfTheDocuments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed")
	}
	dir, secret := t.TempDir(), webhook.NewSecret()
	script, messages := filepath.Join(dir, "receiver.sh"), filepath.Join(dir, "messages")
	if err := os.WriteFile(script, []byte(example(t, "sh")), 0o700); err != nil {
		t.Fatal(err)
	}
	handler := &cgi.Handler{Path: script, Env: []string{"SECRET=" + secret, "MESSAGES=" + messages}}
	_, host := receiver(t, handler.ServeHTTP)
	tellsGenuineMessages(t, host, secret)
	if got, err := os.ReadFile(messages); string(got) != body+"\n" {
		t.Errorf("it keeps %q, %v", got, err)
	}
}

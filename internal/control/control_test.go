// SPDX-License-Identifier: Apache-2.0

//go:build unix

package control

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// folder is a data folder with a short path, as sockets need.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hide")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serve runs a server until the test ends.
func serve(t *testing.T, dir string, within deadlines, handlers map[string]Handler) {
	t.Helper()
	s, err := Listen(dir, handlers)
	if err != nil {
		t.Fatal(err)
	}
	s.within = within
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(socketPath(dir)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket remains: %v", err)
		}
	})
}

func greet(_ context.Context, input json.RawMessage) (any, error) {
	var name string
	if err := json.Unmarshal(input, &name); err != nil {
		return nil, err
	}
	if name == "" {
		return nil, &Error{Code: "no-name", Text: "a name is missing"}
	}
	return "hello " + name, nil
}

func TestACommandIsAnsweredOrRefused(t *testing.T) {
	dir := folder(t)
	var got string
	if err := Call(t.Context(), dir, "greet", "Ada", &got); !errors.Is(err, ErrNoServer) {
		t.Errorf("without a server: %v", err)
	}
	serve(t, dir, usualDeadlines(), map[string]Handler{"greet": greet})
	if err := Call(t.Context(), dir, "greet", "Ada", &got); err != nil || got != "hello Ada" {
		t.Errorf("got %q, %v", got, err)
	}
	for command, code := range map[string]string{"greet": "no-name", "shout": "unknown"} {
		err := Call(t.Context(), dir, command, "", &got)
		if refused, ok := errors.AsType[*Error](err); !ok || refused.Code != code {
			t.Errorf("%s: got %v, want code %s", command, err, code)
		}
	}
	if err := Call(t.Context(), dir, "greet", strings.Repeat("x", maxLine), &got); err == nil {
		t.Error("an endless input was sent")
	}
}

func TestOnlyTheOwnerReachesTheSocket(t *testing.T) {
	dir := folder(t)
	serve(t, dir, usualDeadlines(), nil)
	info, err := os.Stat(socketPath(dir))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	open := folder(t)
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(open, nil); err == nil {
		t.Error("a folder that others can enter was accepted")
	}
	if foreign := folder(t); os.Chown(foreign, 65534, -1) == nil { // as root only
		if _, err := Listen(foreign, nil); err == nil {
			t.Error("a folder of another user was accepted")
		}
	}
	if _, err := Listen(filepath.Join(dir, strings.Repeat("x", maxPath)), nil); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a long path: got %v", err)
	}
}

// TestAKilledServerLeavesNoObstacle: its socket is replaced.
func TestAKilledServerLeavesNoObstacle(t *testing.T) {
	dir := folder(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socketPath(dir), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := Call(t.Context(), dir, "greet", "Ada", &got); !errors.Is(err, ErrNoServer) {
		t.Errorf("a dead socket: %v", err)
	}
	serve(t, dir, usualDeadlines(), map[string]Handler{"greet": greet})
	if err := Call(t.Context(), dir, "greet", "Ada", &got); err != nil {
		t.Error(err)
	}
}

// TestSilentAndEndlessClientsAreClosed: none holds a place for longer than the deadline.
func TestSilentAndEndlessClientsAreClosed(t *testing.T) {
	dir := folder(t)
	serve(t, dir, deadlines{request: 50 * time.Millisecond, answer: time.Second}, map[string]Handler{"greet": greet})
	for _, sent := range []string{"", `{"command":"greet"`, strings.Repeat("x", 2*maxLine), "nonsense\n"} {
		c, err := net.Dial("unix", socketPath(dir))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Write([]byte(sent)) // the server may close before all is written
		if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%.20q was answered", sent)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

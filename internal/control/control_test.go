// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hide/internal/hint"
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

// serve runs a server until the test ends, or stop is called.
func serve(t *testing.T, dir string, within time.Duration, handle Handler) (stop func()) {
	t.Helper()
	s, err := Listen(dir, handle)
	if err != nil {
		t.Fatal(err)
	}
	s.within = within
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(socketPath(dir)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the socket remains: %v", err)
		}
	})
	return cancel
}

// call runs a command whose standard input is typed.
func call(ctx context.Context, dir, typed string, answers map[string]Answer, args ...string) (exit int, out, complaint string, err error) {
	c, err := Dial(dir)
	if err != nil {
		return 0, "", "", err
	}
	var stdout, stderr bytes.Buffer
	exit, err = c.Run(ctx, Request{Args: args, Terminal: true, Stdin: strings.NewReader(typed), Stdout: &stdout, Stderr: &stderr}, answers)
	return exit, stdout.String(), stderr.String(), err
}

// copies repeats its input, and prints its arguments.
func copies(_ context.Context, c *Call) int {
	fmt.Fprint(c.Stderr, c.Args, c.Terminal)
	if _, err := io.Copy(c.Stdout, c.Stdin); err != nil {
		return 1
	}
	return len(c.Args)
}

func TestACommandReadsAndPrintsWhereItWasTyped(t *testing.T) {
	dir := folder(t)
	if _, _, _, err := call(t.Context(), dir, "", nil); !errors.Is(err, ErrNoServer) {
		t.Errorf("without a server: %v", err)
	}
	serve(t, dir, time.Minute, copies)
	long := strings.Repeat("line\n", 1<<16)
	for range 3 { // one connection for each
		exit, out, complaint, err := call(t.Context(), dir, long, nil, "one", "two")
		if err != nil || exit != 2 || out != long || complaint != "[one two] true" {
			t.Fatalf("exit %d, %d bytes, %q, %v", exit, len(out), complaint, err)
		}
	}
	if _, _, _, err := call(t.Context(), dir, "", nil, strings.Repeat("x", maxRequest)); err == nil {
		t.Error("endless arguments were accepted")
	}
}

// TestQuestionsAreAnsweredWithFilesValuesAndErrors: what the client answers is what the
// command gets.
func TestQuestionsAreAnsweredWithFilesValuesAndErrors(t *testing.T) {
	dir, here := folder(t), t.TempDir()
	name := filepath.Join(here, "in")
	if err := os.WriteFile(name, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	serve(t, dir, time.Minute, func(_ context.Context, c *Call) int {
		result <- func() error {
			var size int
			f, err := c.Ask("open", name, &size)
			if err != nil {
				return err
			}
			defer f.Close()
			if text, err := io.ReadAll(f); err != nil || string(text) != "content" || size != 7 {
				return fmt.Errorf("%q of %d bytes, %v", text, size, err)
			}
			_, err = c.Ask("open", name+" absent", nil)
			if path, ok := errors.AsType[*fs.PathError](err); !ok || path.Path != name+" absent" || !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("an absent file: %v", err)
			}
			if _, err := c.Ask("refuse", 7, nil); err == nil || err.Error() != "not 7" || hint.Of(err) != "ask for 8" {
				return fmt.Errorf("a refusal: %v, hint %q", err, hint.Of(err))
			}
			if _, err := c.Ask("dance", nil, nil); err == nil || !strings.Contains(err.Error(), "another version") {
				return fmt.Errorf("an unknown question: %v", err)
			}
			return nil
		}()
		return 0
	})
	answers := map[string]Answer{
		"open": func(input json.RawMessage) (*os.File, any, error) {
			var name string
			if err := json.Unmarshal(input, &name); err != nil {
				return nil, nil, err
			}
			f, err := os.Open(name)
			return f, 7, err
		},
		"refuse": func(input json.RawMessage) (*os.File, any, error) {
			return nil, nil, hint.Add(fmt.Errorf("not %s", input), "ask for 8")
		},
	}
	if _, _, _, err := call(t.Context(), dir, "", answers); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err != nil {
		t.Error(err)
	}
}

// TestACommandEndsWithItsClientOrItsServer: a cancelled command is waited for, one whose
// client is gone is cancelled, and a client whose server stops says so.
func TestACommandEndsWithItsClientOrItsServer(t *testing.T) {
	dir := folder(t)
	begun, causes := make(chan bool), make(chan error, 1)
	stop := serve(t, dir, time.Minute, func(ctx context.Context, c *Call) int {
		begun <- true
		<-ctx.Done()
		causes <- context.Cause(ctx)
		fmt.Fprint(c.Stdout, "tidied")
		return 1
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	if exit, out, _, err := call(ctx, dir, "", nil); exit != 1 || out != "tidied" || err != nil || !errors.Is(<-causes, ErrCancelled) {
		t.Errorf("cancelled: exit %d, %q, %v", exit, out, err)
	}
	c, err := Dial(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.wire.write(message{}, os.Stdin, os.Stderr, os.Stderr); err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := c.wire.close(); err != nil {
		t.Fatal(err)
	}
	if err := <-causes; !errors.Is(err, ErrCancelled) {
		t.Errorf("a client that is gone: %v", err)
	}
	go func() { <-begun; stop() }()
	if exit, out, _, err := call(t.Context(), dir, "", nil); exit != 1 || out != "tidied" || err != nil || errors.Is(<-causes, ErrCancelled) {
		t.Errorf("a server that stops: exit %d, %q, %v", exit, out, err)
	}
}

// TestAServerThatDiesIsNoticed: the connection ends without an exit code.
func TestAServerThatDiesIsNoticed(t *testing.T) {
	dir := folder(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socketPath(dir), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if c, err := l.AcceptUnix(); err == nil {
			w := &wire{conn: c}
			_, files, _ := w.read(maxRequest)
			for _, f := range files {
				f.Close()
			}
			w.close()
		}
	}()
	if _, _, _, err := call(t.Context(), dir, "", nil, "import"); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
}

func TestOnlyTheOwnerReachesTheSocket(t *testing.T) {
	dir := folder(t)
	serve(t, dir, time.Minute, copies)
	info, err := os.Stat(socketPath(dir))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	open := folder(t)
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(open, copies); err == nil {
		t.Error("a folder that others can enter was accepted")
	}
	if foreign := folder(t); os.Chown(foreign, 65534, -1) == nil { // as root only
		if _, err := Listen(foreign, copies); err == nil {
			t.Error("a folder of another user was accepted")
		}
	}
	if _, err := Listen(filepath.Join(dir, strings.Repeat("x", maxPath)), copies); err == nil || !strings.Contains(err.Error(), "too long") {
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
	if _, err := Dial(dir); !errors.Is(err, ErrNoServer) {
		t.Errorf("a dead socket: %v", err)
	}
	serve(t, dir, time.Minute, copies)
	if _, _, _, err := call(t.Context(), dir, "", nil); err != nil {
		t.Error(err)
	}
}

// TestSilentAndEndlessClientsAreClosed: none holds a place for longer than the deadline.
func TestSilentAndEndlessClientsAreClosed(t *testing.T) {
	dir := folder(t)
	serve(t, dir, 50*time.Millisecond, copies)
	for _, sent := range []string{"", `{"args":["x"]`, strings.Repeat("x", 2*maxRequest), "nonsense\n", "{}\n", `{"files":-1}` + "\n", `{"files":3}` + "\n"} {
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

func TestTooManyCommandsAtOnceAreRefused(t *testing.T) {
	dir := folder(t)
	begun, end := make(chan bool), make(chan bool)
	serve(t, dir, time.Minute, func(context.Context, *Call) int { begun <- true; <-end; return 0 })
	failed := make(chan error, maxAtOnce)
	for range maxAtOnce {
		go func() { _, _, _, err := call(t.Context(), dir, "", nil); failed <- err }()
		<-begun
	}
	if _, _, _, err := call(t.Context(), dir, "", nil); err == nil || !strings.Contains(err.Error(), "too many commands") {
		t.Errorf("one more: %v", err)
	}
	close(end)
	for range maxAtOnce {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// TestAStuckCommandDoesNotKeepTheServer from stopping: nobody reads what the command prints.
func TestAStuckCommandDoesNotKeepTheServer(t *testing.T) {
	dir := folder(t)
	s, err := Listen(dir, func(_ context.Context, c *Call) int {
		for {
			if _, err := c.Stdout.Write(make([]byte, 1<<16)); err != nil {
				return 1
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s.ending = 10 * time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	c, from, to := dialWithPipe(t, dir)
	if err := c.wire.write(message{}, from, to, to); err != nil {
		t.Fatal(err)
	}
	if _, err := from.Read(make([]byte, 1)); err != nil { // it prints
		t.Fatal(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := errors.Join(from.Close(), to.Close(), c.wire.close()); err != nil {
		t.Error(err)
	}
}

// dialWithPipe finds the server of a folder, and makes a pipe to pass.
func dialWithPipe(t *testing.T, dir string) (c *Conn, from, to *os.File) {
	t.Helper()
	c, err := Dial(dir)
	if err != nil {
		t.Fatal(err)
	}
	if from, to, err = os.Pipe(); err != nil {
		t.Fatal(err)
	}
	return c, from, to
}

// TestFilesThatComeTooLateAreClosed: the client sends some that nobody asked for while its
// command ends.
func TestFilesThatComeTooLateAreClosed(t *testing.T) {
	dir := folder(t)
	serve(t, dir, time.Minute, func(context.Context, *Call) int { return 0 })
	for range 20 {
		c, from, to := dialWithPipe(t, dir)
		err := c.wire.write(message{}, os.Stdin, os.Stderr, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			_ = c.wire.write(message{}, to) // the server may be gone
		}
		for err == nil {
			_, _, err = c.wire.read(maxMessage)
		}
		if err := errors.Join(to.Close(), c.wire.close()); err != nil {
			t.Fatal(err)
		}
		if _, err := from.Read(make([]byte, 1)); !errors.Is(err, io.EOF) { // waits while somebody has the file open
			t.Errorf("the file: %v", err)
		}
		from.Close()
	}
}

// TestTooManyOpenFilesAreNotTheEnd: commands work again when some are closed.
func TestTooManyOpenFilesAreNotTheEnd(t *testing.T) {
	dir := folder(t)
	serve(t, dir, time.Minute, copies)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	early, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0) // the next number is the first that is refused
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(early) + 1, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	err = unix.Connect(early, &unix.SockaddrUnix{Name: socketPath(dir)})
	time.Sleep(5 * time.Millisecond) // for the server to be refused
	if err := errors.Join(err, unix.Setrlimit(unix.RLIMIT_NOFILE, &limit), unix.Close(early)); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := call(t.Context(), dir, "", nil); err != nil {
		t.Error(err)
	}
}

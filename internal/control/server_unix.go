// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"hide/internal/osuser"
)

const (
	requestWithin = 5 * time.Second        // for a client to send its request
	endWithin     = 12 * time.Second       // for running commands when the server stops
	acceptAgain   = 100 * time.Millisecond // after the system could not open a connection
)

// Handler runs one command and returns its exit code. It prints to the call's standard
// output and error.
type Handler func(ctx context.Context, c *Call) (exit int)

// Server listens in a data folder.
type Server struct {
	listener *net.UnixListener
	handle   Handler
	within   time.Duration
	ending   time.Duration
}

// Listen opens the socket in the data folder. The caller has the folder open and locked,
// so a socket that is already there is one of a server that was killed.
func Listen(dir string, handle Handler) (*Server, error) {
	path := socketPath(dir)
	if len(path) >= maxPath {
		return nil, fmt.Errorf("the path of the data folder is too long for a socket: use one of at most %d bytes", maxPath-len(socketName)-2)
	}
	if err := checkOwn(dir); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Server{listener: l, handle: handle, within: requestWithin, ending: endWithin}, nil
}

// checkOwn refuses a folder where somebody else could reach the socket or put another one
// in its place.
func checkOwn(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return errors.New("other users of this computer can enter the data folder: set its mode to 0700")
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
		return errors.New("the data folder belongs to another user of this computer than the server runs as: let them be the same")
	}
	return nil
}

// Serve runs commands until ctx ends, then cancels the running ones, waits some seconds for
// them, and removes the socket. A command may be stuck: nobody reads what it prints.
func (s *Server) Serve(ctx context.Context) error {
	var open sync.WaitGroup
	defer func() { waitFor(&open, s.ending) }()
	defer context.AfterFunc(ctx, func() { s.listener.Close() })()
	places := make(chan struct{}, maxAtOnce)
	for {
		c, err := s.listener.AcceptUnix()
		if ctx.Err() != nil {
			if c != nil {
				c.Close()
			}
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		if err != nil { // too many open files, mostly: later there may be fewer
			select {
			case <-ctx.Done():
			case <-time.After(acceptAgain):
			}
			continue
		}
		open.Go(func() {
			w := &wire{conn: c}
			defer w.close()
			select {
			case places <- struct{}{}:
				defer func() { <-places }()
				_ = s.serveOne(ctx, w) // a client that sends nonsense or is gone gets no answer
			default:
				s.refuse(w, errors.New("the server runs too many commands at this moment: wait until one of them ends"))
			}
		})
	}
}

// refuse answers a request that is not served. The request is read first: a client that still
// writes it would not see the answer.
func (s *Server) refuse(w *wire, why error) {
	if w.conn.SetReadDeadline(time.Now().Add(s.within)) != nil {
		return
	}
	_, files, err := w.read(maxRequest)
	for _, f := range files {
		f.Close()
	}
	if err == nil {
		_ = w.write(failure(why)) // the client may be gone
	}
}

// waitFor waits until a group has ended, or for a time.
func waitFor(group *sync.WaitGroup, most time.Duration) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		group.Wait()
	}()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
}

// serveOne runs the command of one connection.
func (s *Server) serveOne(ctx context.Context, w *wire) error {
	name, err := peer(w.conn)
	if err != nil {
		return err
	}
	if err := w.conn.SetReadDeadline(time.Now().Add(s.within)); err != nil {
		return err
	}
	m, files, err := w.read(maxRequest)
	if err != nil {
		return err
	}
	for _, f := range files {
		defer f.Close()
	}
	if len(files) != maxFiles {
		return errors.New("the request is incomplete")
	}
	if err := w.conn.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	call := &Call{
		Args: m.Args, Terminal: m.Terminal, User: name,
		Stdin: files[0], Stdout: files[1], Stderr: files[2],
		wire: w, answers: make(chan answered), ctx: ctx,
	}
	var listening sync.WaitGroup
	listening.Go(func() { call.listen(cancel) })
	defer func() { // what it still receives is closed with the wire
		cancel(nil)
		w.conn.Close()
		listening.Wait()
	}()
	exit := s.handle(ctx, call)
	return w.write(message{Done: true, Exit: exit})
}

// peer is the name of the user at the other end. Nobody but the user of the server and root
// is served, even if the modes of files were changed.
func peer(c *net.UnixConn) (string, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return "", err
	}
	var uid int
	var failed error
	if err := raw.Control(func(fd uintptr) { uid, failed = peerID(int(fd)) }); err != nil {
		return "", err
	}
	if failed != nil {
		return "", failed
	}
	if uid != 0 && uid != os.Geteuid() {
		return "", errors.New("another user of this computer asks")
	}
	return osuser.Name(uid), nil
}

// Call is a command that a client asked for.
type Call struct {
	Args                  []string
	Terminal              bool   // standard error is a terminal
	User                  string // who typed the command, as the system says
	Stdin, Stdout, Stderr *os.File

	ctx     context.Context
	wire    *wire
	asking  sync.Mutex
	answers chan answered
}

// answered is an answer of the client.
type answered struct {
	message
	files []*os.File
}

// listen reads what the client says until it is gone, which cancels the command.
func (c *Call) listen(cancel context.CancelCauseFunc) {
	defer cancel(ErrCancelled)
	for {
		m, files, err := c.wire.read(maxMessage)
		if err != nil {
			return
		}
		if m.Cancel {
			cancel(ErrCancelled)
			continue
		}
		select {
		case c.answers <- answered{m, files}:
		case <-c.ctx.Done():
			for _, f := range files {
				f.Close()
			}
		}
	}
}

// Ask asks the client and stores the value of its answer in result, unless that is nil. The
// caller closes the file, which is nil if the answer has none. Questions of several
// goroutines wait for each other.
func (c *Call) Ask(kind string, input, result any) (*os.File, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	in, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	if err := c.wire.write(message{Ask: kind, Input: in}); err != nil {
		return nil, err
	}
	var a answered
	select {
	case a = <-c.answers:
	case <-c.ctx.Done():
		return nil, context.Cause(c.ctx)
	}
	if err := a.err(); err != nil {
		return nil, err
	}
	var file *os.File
	if len(a.files) > 0 {
		file = a.files[0]
	}
	if result != nil {
		if err := json.Unmarshal(a.Result, result); err != nil {
			return nil, fmt.Errorf("read the answer of the command: %w", err)
		}
	}
	return file, nil
}

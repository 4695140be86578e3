// SPDX-License-Identifier: Apache-2.0

//go:build unix

package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// maxPath is the longest path of a socket on all systems, with the zero at its end.
const maxPath = 104

// Server listens in a data folder.
type Server struct {
	listener *net.UnixListener
	handlers map[string]Handler
	within   deadlines
}

// Listen opens the socket in the data folder. The caller has the folder open and locked,
// so a socket that is already there is one of a server that was killed.
func Listen(dir string, handlers map[string]Handler) (*Server, error) {
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
	return &Server{listener: l, handlers: handlers, within: usualDeadlines()}, nil
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

// acceptAgain is how long Serve waits after the system could not give it a connection.
const acceptAgain = time.Second

// Serve answers until ctx ends, and then removes the socket.
func (s *Server) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.listener.Close() }) // which removes the socket
	defer func() { stop(); _ = s.listener.Close() }()                 // also if a last client was faster
	places := make(chan struct{}, maxAtOnce)
	var open sync.WaitGroup
	defer open.Wait()
	for {
		c, err := s.listener.AcceptUnix()
		if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil { // such as no descriptors left, which passes
			select {
			case <-time.After(acceptAgain):
			case <-ctx.Done():
			}
			continue
		}
		select {
		case places <- struct{}{}:
		default:
			_ = c.Close() // too many: the client may ask again
			continue
		}
		open.Go(func() {
			stop := context.AfterFunc(ctx, func() { _ = c.Close() }) // nobody waits for a client at the end
			defer func() { stop(); _ = c.Close(); <-places }()
			_ = serveOne(ctx, c, s.within, s.handlers) // a client that went away is no error of the server
		})
	}
}

func dial(ctx context.Context, dir string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", socketPath(dir))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EINVAL) {
		return nil, ErrNoServer
	}
	return c, err
}

// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"sync"
	"syscall"
)

// Conn is a connection to the server of a data folder.
type Conn struct{ wire *wire }

// Dial connects to the server of the data folder. It fails with ErrNoServer if none has the
// folder open, also if a killed one left its socket behind.
func Dial(dir string) (*Conn, error) {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socketPath(dir), Net: "unix"})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EINVAL):
		return nil, ErrNoServer
	case err != nil:
		return nil, fmt.Errorf("ask the server of the data folder: %w", err)
	}
	return &Conn{&wire{conn: c}}, nil
}

// Run runs a command in the server, answers its questions by their kinds, and returns its
// exit code. When ctx ends it cancels the command and waits for it. Run closes the connection.
func (c *Conn) Run(ctx context.Context, r Request, answers map[string]Answer) (exit int, err error) {
	defer func() { err = errors.Join(err, c.wire.close()) }()
	streams, finish, err := openStreams(r)
	if err != nil {
		return 0, err
	}
	defer finish()
	if err := c.wire.write(message{Args: r.Args, Terminal: r.Terminal}, streams...); err != nil {
		return 0, fmt.Errorf("ask the server of the data folder: %w", err)
	}
	var writing sync.Mutex
	defer context.AfterFunc(ctx, func() {
		writing.Lock()
		defer writing.Unlock()
		_ = c.wire.write(message{Cancel: true}) // if the server is gone, reading ends
	})()
	for {
		m, _, err := c.wire.read(maxMessage)
		switch {
		case err != nil:
			return 0, ErrGone
		case m.Done:
			return m.Exit, nil
		case m.Ask == "":
			return 0, m.err()
		}
		writing.Lock()
		err = c.answer(m, answers)
		writing.Unlock()
		if err != nil {
			return 0, ErrGone
		}
	}
}

// answer answers one question.
func (c *Conn) answer(m message, answers map[string]Answer) error {
	answer := answers[m.Ask]
	if answer == nil {
		return c.wire.write(failure(fmt.Errorf("this hide cannot do %q for the server: it may be of another version", m.Ask)))
	}
	file, value, err := answer(m.Input)
	if err != nil {
		return c.wire.write(failure(err))
	}
	out := message{}
	if value != nil {
		if out.Result, err = json.Marshal(value); err != nil {
			out = failure(err)
		}
	}
	if file == nil {
		return c.wire.write(out)
	}
	defer file.Close()
	return c.wire.write(out, file)
}

// openStreams are the standard input, output and error of a request as files. finish waits
// until everything printed has arrived.
func openStreams(r Request) (files []*os.File, finish func(), err error) {
	var copies sync.WaitGroup
	var ours []*os.File // to close before the copies end
	finish = func() {
		for _, f := range ours {
			f.Close()
		}
		copies.Wait()
	}
	in, ok := r.Stdin.(*os.File)
	if !ok {
		from, to, err := os.Pipe()
		if err != nil {
			return nil, finish, err
		}
		in, ours = from, append(ours, from)
		go func() { // not waited for: reading a terminal cannot be interrupted
			_, _ = io.Copy(to, r.Stdin)
			to.Close()
		}()
	}
	files = append(files, in)
	for _, w := range []io.Writer{r.Stdout, r.Stderr} {
		if f, ok := w.(*os.File); ok {
			files = append(files, f)
			continue
		}
		from, to, err := os.Pipe()
		if err != nil {
			finish()
			return nil, finish, err
		}
		ours, files = append(ours, to), append(files, to)
		copies.Go(func() {
			_, _ = io.Copy(w, from) // as os/exec: the command's own errors count
			from.Close()
		})
	}
	return files, finish, nil
}

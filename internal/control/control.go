// SPDX-License-Identifier: Apache-2.0

// Package control runs commands inside the server that has a data folder open. The server
// listens on a Unix socket in the folder, which only the folder's owner and root can reach:
// they could also stop the server and open the folder.
//
//	server, err := control.Listen(dir, func(ctx context.Context, c *control.Call) int { ... })
//	conn, err := control.Dial(dir) // ErrNoServer: open the folder instead
//	exit, err := conn.Run(ctx, control.Request{Args: os.Args[1:], ...}, answers)
//
// The client sends the arguments of the command together with its standard input, output and
// error, so the command prints where it was typed. The server may not see the files that
// the command names: it runs as another user, in another folder, and possibly without /home
// and /tmp. It asks the client, which opens the files and passes them on.
//
// Each message is a line of JSON; open files travel beside it (SCM_RIGHTS). After the
// request, the server asks and the client answers, one question at a time:
//
//	client  {"args":["export","--project","p1"],"files":3}
//	server  {"ask":"open","input":"notes.jsonl"}
//	client  {"files":1}                          or {"error":"...","errno":2}
//	client  {"cancel":true}                      at any time
//	server  {"done":true,"exit":0}
//
// A client that ends cancels its command. Sizes and times are bounded on both sides.
package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"hide/internal/hint"
)

const (
	socketName = "control.sock"
	maxRequest = 1 << 20
	maxMessage = 64 << 20 // the list of a folder with many files
	maxAtOnce  = 8
	maxPath    = 104 // the longest path of a socket on all systems, with the zero at its end
)

// ErrNoServer is returned by Dial if no server listens in the folder.
var ErrNoServer = errors.New("no server answers in this data folder")

// ErrGone is returned if the server ended before the command did.
var ErrGone = errors.New("the server stopped while it ran the command")

// ErrCancelled is the cause of a command's context whose client cancelled it or is gone.
var ErrCancelled = fmt.Errorf("the command was cancelled where it was typed: %w", context.Canceled)

// Request is a command as it was typed.
type Request struct {
	Args           []string
	Terminal       bool // standard error is a terminal
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Answer answers what a command asks: a file, a value that JSON can hold, or both.
type Answer func(input json.RawMessage) (*os.File, any, error)

// message is what travels, in both directions.
type message struct {
	Args     []string `json:"args,omitempty"`
	Terminal bool     `json:"terminal,omitempty"`

	Ask   string          `json:"ask,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`

	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
	Hint   string          `json:"hint,omitempty"`
	Errno  int             `json:"errno,omitempty"` // of the system, for an error about a file
	Op     string          `json:"op,omitempty"`
	Path   string          `json:"path,omitempty"`

	Cancel bool `json:"cancel,omitempty"`
	Done   bool `json:"done,omitempty"`
	Exit   int  `json:"exit,omitempty"`

	Files int `json:"files,omitempty"` // how many travel with the message
}

// Socket is the path of the socket of a data folder, and whether the system takes a path of
// this length.
func Socket(dir string) (path string, fits bool) {
	path = socketPath(dir)
	return path, len(path) < maxPath
}

func socketPath(dir string) string { return filepath.Join(dir, socketName) }

// failure is the message of an error.
func failure(err error) message {
	m := message{Error: err.Error(), Hint: hint.Of(err)}
	if path, ok := err.(*fs.PathError); ok { // not one that is wrapped: its text would be lost
		m.Op, m.Path, m.Errno = path.Op, path.Path, errno(path.Err)
	}
	return m
}

// err is the error of a message; nil if it has none. An error of the system about a file is
// one here too, so it compares equal to fs.ErrNotExist and the like.
func (m message) err() error {
	switch {
	case m.Errno != 0:
		return &fs.PathError{Op: m.Op, Path: m.Path, Err: syscall.Errno(m.Errno)}
	case m.Hint != "":
		return hint.Add(errors.New(m.Error), m.Hint)
	case m.Error != "":
		return errors.New(m.Error)
	}
	return nil
}

// errno is the number of the system's error, 0 if it is another error.
func errno(err error) int {
	number, _ := errors.AsType[syscall.Errno](err)
	return int(number)
}

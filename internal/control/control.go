// SPDX-License-Identifier: Apache-2.0

// Package control lets a command ask the server that has a data folder open. The server
// listens on a Unix socket in the folder, which only the folder's owner can reach: who can
// connect could also stop the server and open the folder.
//
// A connection carries one request and one answer, each a line of JSON:
//
//	{"command":"user.link","input":{"name":"Ada"}}
//	{"result":{...}} or {"error":"there is no such account","code":"not-found"}
//
// Both sides bound sizes and times. A server answers a few connections at once and closes
// the others.
package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"time"

	"hide/internal/strictjson"
)

const (
	socketName = "control.sock"
	maxLine    = 64 << 10
	maxAtOnce  = 8
)

// deadlines bound a connection.
type deadlines struct {
	request time.Duration // to read one
	answer  time.Duration // to make and write one
}

func usualDeadlines() deadlines { return deadlines{request: 5 * time.Second, answer: 30 * time.Second} }

// ErrNoServer is returned by Call if no server listens in the folder.
var ErrNoServer = errors.New("no server answers in this data folder")

// Error is a failure that the server reports.
type Error struct {
	Code string // for programs; "" if there is none
	Text string // for people
}

func (e *Error) Error() string { return e.Text }

// Handler answers one command. It returns what becomes the result, or an error: an
// [*Error] keeps its code.
type Handler func(ctx context.Context, input json.RawMessage) (any, error)

type request struct {
	Command string          `json:"command"`
	Input   json.RawMessage `json:"input,omitempty"`
}

type answer struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
	Code   string          `json:"code,omitempty"`
}

func socketPath(dir string) string { return filepath.Join(dir, socketName) }

// Call asks the server of the data folder and stores its result. It fails with ErrNoServer
// or, if the server refuses, with an [*Error].
func Call(ctx context.Context, dir, command string, input, result any) error {
	within := usualDeadlines()
	ctx, cancel := context.WithTimeout(ctx, within.request+within.answer)
	defer cancel()
	c, err := dial(ctx, dir)
	if err != nil {
		return err
	}
	defer c.Close()
	if end, ok := ctx.Deadline(); ok {
		if err := c.SetDeadline(end); err != nil {
			return err
		}
	}
	in, err := json.Marshal(input)
	if err != nil {
		return err
	}
	if err := writeLine(c, request{Command: command, Input: in}); err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	var a answer
	if err := readLine(c, &a); err != nil {
		return fmt.Errorf("read the server's answer: %w", err)
	}
	if a.Error != "" {
		return &Error{Code: a.Code, Text: a.Error}
	}
	return json.Unmarshal(a.Result, result)
}

// readLine reads one line of JSON, at most maxLine bytes long.
func readLine(r io.Reader, into any) error {
	line, err := bufio.NewReader(io.LimitReader(r, maxLine)).ReadBytes('\n')
	if len(line) == maxLine {
		return errors.New("it is too long")
	}
	if err != nil {
		return err
	}
	return strictjson.Decode(line, into)
}

func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(line) >= maxLine {
		return errors.New("it is too long")
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// serveOne reads a request from c and answers it.
func serveOne(ctx context.Context, c net.Conn, within deadlines, handlers map[string]Handler) error {
	if err := c.SetDeadline(time.Now().Add(within.request)); err != nil {
		return err
	}
	var r request
	if err := readLine(c, &r); err != nil {
		return err // a client that sends nonsense gets no answer
	}
	if err := c.SetDeadline(time.Now().Add(within.answer)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, within.answer)
	defer cancel()
	return writeLine(c, answerTo(ctx, r, handlers))
}

func answerTo(ctx context.Context, r request, handlers map[string]Handler) answer {
	handle := handlers[r.Command]
	if handle == nil {
		return answer{Error: "the server does not know this command: it may be of another version", Code: "unknown"}
	}
	result, err := handle(ctx, r.Input)
	if err != nil {
		a := answer{Error: err.Error()}
		if known, ok := errors.AsType[*Error](err); ok {
			a.Code = known.Code
		}
		return a
	}
	line, err := json.Marshal(result)
	if err != nil {
		return answer{Error: "the server cannot write the result"}
	}
	return answer{Result: line}
}

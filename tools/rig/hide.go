// SPDX-License-Identifier: Apache-2.0

// Package rig runs a hide binary for measurements and attacks: its commands, its server on
// loopback, people who sign in as browsers do, and what the server uses.
//
//	h := rig.Hide{Binary: "./hide", Data: dir}
//	s, err := h.Serve(ctx)
//	defer s.Stop()
//
// It knows hide from outside only: commands, pages and forms. So it drives older binaries too.
package rig

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// Hide is a binary with a data folder.
type Hide struct {
	Binary, Data string
}

// Command runs a command on the data folder and returns what it printed.
func (h Hide) Command(ctx context.Context, args ...string) ([]byte, error) {
	return h.run(ctx, append(args, "--data", h.Data)...)
}

// Generate writes notes of invented patients to a JSONL file.
func (h Hide) Generate(ctx context.Context, patients int, file string) error {
	_, err := h.run(ctx, "generate", "--patients", fmt.Sprint(patients), "--out", file)
	return err
}

// Run runs a command that needs no data folder.
func (h Hide) Run(ctx context.Context, args ...string) error {
	_, err := h.run(ctx, args...)
	return err
}

// Version is what the binary says it is.
func (h Hide) Version(ctx context.Context) (string, error) {
	out, err := h.run(ctx, "version")
	return strings.TrimSpace(string(out)), err
}

func (h Hide) run(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := h.start(ctx, args)
	return out, err
}

// Spent is what a command took. Peak is the most resident memory, in bytes.
type Spent struct {
	Seconds float64
	Peak    int64
}

// Measure runs a command and says what it took. It needs Linux.
func (h Hide) Measure(ctx context.Context, args ...string) (Spent, error) {
	began := time.Now()
	_, ended, err := h.start(ctx, args)
	if err != nil {
		return Spent{}, err
	}
	used := ended.SysUsage().(*syscall.Rusage)
	return Spent{time.Since(began).Seconds(), used.Maxrss << 10}, nil
}

func (h Hide) start(ctx context.Context, args []string) (output []byte, ended *os.ProcessState, err error) {
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, h.Binary, args...)
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		return nil, nil, fmt.Errorf("hide %s: %w\n%s", args[0], err, complaints.String())
	}
	return out.Bytes(), cmd.ProcessState, nil
}

// AddPerson makes an account and returns the code of its invitation.
func (h Hide) AddPerson(ctx context.Context, name, role string) (code string, err error) {
	out, err := h.Command(ctx, "user", "add", name, "--role", role, "--json")
	if err != nil {
		return "", err
	}
	var made struct{ Link string }
	if err := json.Unmarshal(out, &made); err != nil {
		return "", fmt.Errorf("the answer of hide user add: %w", err)
	}
	_, code, _ = strings.Cut(made.Link, "#")
	return code, nil
}

// Server is a running server. Stop ends it.
type Server struct {
	Base string // http://127.0.0.1:PORT
	cmd  *exec.Cmd
	said bytes.Buffer
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// Serve starts the server on a free port of loopback.
func (h Hide) Serve(ctx context.Context) (*Server, error) {
	s := &Server{cmd: exec.CommandContext(ctx, h.Binary, "serve", "--data", h.Data, "--addr", "127.0.0.1:0")}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.cmd.Stderr = &s.said
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	s.Base = address.FindString(line)
	if s.Base == "" {
		return nil, errors.Join(fmt.Errorf("the server did not come up: %w", err), s.Stop(), errors.New(s.said.String()))
	}
	go func() {
		for ; err == nil; _, err = lines.ReadString('\n') { // so that it never waits for a reader
		}
	}()
	return s, nil
}

// PID is the process of the server.
func (s *Server) PID() int { return s.cmd.Process.Pid }

const stopWithin = 30 * time.Second

// Stop asks the server to end, and kills it if it does not.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	late := time.AfterFunc(stopWithin, func() { s.cmd.Process.Kill() }) //nolint:errcheck // Wait says how it ended
	defer late.Stop()
	return s.cmd.Wait()
}

// Said is what the server wrote to standard error. Call it after Stop.
func (s *Server) Said() string { return s.said.String() }

// Answers reports whether the server shows its sign-in page.
func (s *Server) Answers() bool {
	c := http.Client{Timeout: 10 * time.Second}
	r, err := c.Get(s.Base + "/sign-in")
	if err != nil {
		return false
	}
	r.Body.Close()
	return r.StatusCode == http.StatusOK
}

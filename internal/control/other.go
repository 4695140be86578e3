// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package control

import (
	"context"
	"errors"
	"os"
)

// Handler runs one command and returns its exit code.
type Handler func(ctx context.Context, c *Call) (exit int)

// Call is a command that a client asked for. There are none on this system.
type Call struct {
	Args                  []string
	Terminal              bool
	User                  string
	Stdin, Stdout, Stderr *os.File
}

// Ask fails.
func (c *Call) Ask(string, any, any) (*os.File, error) { return nil, ErrNoServer }

// Server does not exist on this system.
type Server struct{}

// Listen fails: on this system hide knows no socket that only one user can reach.
func Listen(string, Handler) (*Server, error) {
	return nil, errors.New("commands beside a running server need Linux or macOS")
}

// Serve returns at once.
func (s *Server) Serve(context.Context) error { return nil }

// Conn does not exist on this system.
type Conn struct{}

// Dial fails with ErrNoServer.
func Dial(string) (*Conn, error) { return nil, ErrNoServer }

// Run fails.
func (c *Conn) Run(context.Context, Request, map[string]Answer) (int, error) {
	return 0, ErrNoServer
}

// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package control

import (
	"context"
	"errors"
	"net"
)

// Server does not exist on this system.
type Server struct{}

// Listen fails: the system has no sockets that only one user can reach.
func Listen(string, map[string]Handler) (*Server, error) {
	return nil, errors.New("commands beside a running server need Linux or macOS")
}

// Serve returns at once.
func (s *Server) Serve(context.Context) error { return nil }

func dial(context.Context, string) (net.Conn, error) { return nil, ErrNoServer }

// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
)

// DialCounted opens a connection whose incoming bytes are added to n, as they come on the
// wire.
func DialCounted(ctx context.Context, network, addr string, n *atomic.Int64) (net.Conn, error) {
	var plain net.Dialer
	c, err := plain.DialContext(ctx, network, addr)
	return counted{c, n}, err
}

type counted struct {
	net.Conn
	n *atomic.Int64
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// Count adds the bytes of all answers that come from now on to n, as they come on the wire.
func (p *Person) Count(n *atomic.Int64) {
	t := p.HTTP.Transport.(*http.Transport) // [Server.Visit] makes it
	t.CloseIdleConnections()
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return DialCounted(ctx, network, addr, n)
	}
}

// SPDX-License-Identifier: Apache-2.0

// Package supervisor tells systemd how far a server is.
package supervisor

import (
	"fmt"
	"net"
	"os"
)

// Tell says "READY=1" or "STOPPING=1" on the socket that systemd names (sd_notify). Without a
// supervisor it does nothing.
func Tell(state string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("tell the supervisor %s: %w", state, err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(state)); err != nil {
		return fmt.Errorf("tell the supervisor %s: %w", state, err)
	}
	return nil
}

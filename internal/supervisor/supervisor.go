// SPDX-License-Identifier: Apache-2.0

// Package supervisor tells systemd how far a server is.
package supervisor

import (
	"context"
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

// TellAtEnd says "STOPPING=1" when ctx ends. The function it returns waits until that is said;
// before the end of ctx it takes the word back. A failure is not reported: the supervisor sees
// the process end.
func TellAtEnd(ctx context.Context) (finish func()) {
	told := make(chan struct{})
	takeBack := context.AfterFunc(ctx, func() {
		defer close(told)
		_ = Tell("STOPPING=1")
	})
	return func() {
		if !takeBack() {
			<-told
		}
	}
}

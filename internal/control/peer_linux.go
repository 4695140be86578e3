// SPDX-License-Identifier: Apache-2.0

package control

import "golang.org/x/sys/unix"

// peerID is the user at the other end of a Unix socket.
func peerID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

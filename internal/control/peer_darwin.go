// SPDX-License-Identifier: Apache-2.0

package control

import "golang.org/x/sys/unix"

// peerID is the user at the other end of a Unix socket.
func peerID(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

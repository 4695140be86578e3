// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package metrics

import "golang.org/x/sys/unix"

// Free returns how many bytes a program without privileges can still write to the disk of a
// folder.
func Free(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}

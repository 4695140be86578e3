// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package disk

import "golang.org/x/sys/unix"

func measure(dir string) (Space, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return Space{}, err
	}
	size := uint64(s.Bsize)
	return Space{Free: uint64(s.Bavail) * size, Total: uint64(s.Blocks) * size}, nil
}

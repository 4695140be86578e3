// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package gather

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"hide/internal/osuser"

	"golang.org/x/sys/unix"
)

// owner is the name of the user whom a file belongs to, or the number.
func owner(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return osuser.Name(int(st.Uid))
}

// sameDisk reports whether two files are in one file system. What is not there yet counts as
// if it was in its folder.
func sameDisk(a, b string) bool {
	x, ok1 := device(a)
	y, ok2 := device(b)
	return ok1 && ok2 && x == y
}

func device(path string) (uint64, bool) {
	for range 3 {
		info, err := os.Stat(path)
		if err == nil {
			st, ok := info.Sys().(*syscall.Stat_t)
			return uint64(st.Dev), ok
		}
		path = filepath.Dir(path)
	}
	return 0, false
}

// writable reports whether the owner of the data can write to a folder. Another user than the
// owner, root above all, is not the one to try.
func writable(folder, dataFile string) bool {
	var fsys unix.Statfs_t
	if unix.Statfs(folder, &fsys) != nil || readOnly(&fsys) {
		return false
	}
	info, err := os.Stat(folder)
	if err != nil {
		return false
	}
	at, ok := info.Sys().(*syscall.Stat_t)
	data, err := os.Stat(dataFile)
	if !ok || err != nil {
		return canWrite(folder)
	}
	owner := data.Sys().(*syscall.Stat_t)
	mode := uint32(info.Mode().Perm())
	switch {
	case int(owner.Uid) == os.Geteuid():
		return canWrite(folder)
	case owner.Uid == at.Uid:
		return mode&0o300 == 0o300
	case owner.Gid == at.Gid:
		return mode&0o030 == 0o030
	}
	return mode&0o003 == 0o003
}

// canWrite reports whether this process can write to a folder.
func canWrite(folder string) bool {
	var fsys unix.Statfs_t
	return unix.Statfs(folder, &fsys) == nil && !readOnly(&fsys) && unix.Access(folder, unix.W_OK|unix.X_OK) == nil
}

// SPDX-License-Identifier: Apache-2.0

package database

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"testing"
)

// asOther gives the folder to user nobody and has commands run as that user, if the test
// runs as root.
func asOther(t *testing.T, folder string) func(*exec.Cmd) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		return func(c *exec.Cmd) *exec.Cmd { return c }
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	if err := os.Chown(folder, uid, gid); err != nil {
		t.Fatal(err)
	}
	return func(c *exec.Cmd) *exec.Cmd {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		return c
	}
}

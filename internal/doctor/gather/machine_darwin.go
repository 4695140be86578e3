// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"golang.org/x/sys/unix"

	"hide/internal/doctor"
)

func readOnly(s *unix.Statfs_t) bool { return s.Flags&unix.MNT_RDONLY != 0 }

func diskIsEncrypted(string) bool { return false } // FileVault is not looked at
func synced() doctor.Sync         { return doctor.SyncUnknown }

// Memory says that nothing is known.
func Memory() doctor.Memory {
	return doctor.Memory{Unknown: "this system does not tell what protects memory"}
}

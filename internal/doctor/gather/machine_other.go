// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package gather

import (
	"io/fs"

	"hide/internal/doctor"
)

func owner(fs.FileInfo) string     { return "" }
func sameDisk(string, string) bool { return false }
func writable(string, string) bool { return true }
func canWrite(string) bool         { return true }
func diskIsEncrypted(string) bool  { return false }
func synced() doctor.Sync          { return doctor.SyncUnknown }

// Memory says that nothing is known.
func Memory() doctor.Memory {
	return doctor.Memory{Unknown: "this system does not tell what protects memory"}
}

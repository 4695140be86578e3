// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package protect

// NoDumps does nothing on this system.
func NoDumps() error { return nil }

// Lock does nothing on this system.
func Lock() error { return nil }

// State is not known on this system.
func State() Memory { return Memory{Swap: true} }

// Available is not known on this system.
func Available() int64 { return 0 }

// SPDX-License-Identifier: Apache-2.0

// Package disk watches the free space of the disk that holds the data folder. Below a tenth
// it warns. Below a twentieth, work that writes much is refused, so that edits, which write
// little, can still be saved. On large disks less than these shares will do.
//
//	g := disk.Watch("hide-data")
//	g.Warning() // "" while there is enough
//	g.Check()   // a *FullError when there is too little
package disk

import (
	"context"
	"fmt"
)

const (
	warnShare   = 0.10
	refuseShare = 0.05
	warnBytes   = 40 << 30 // enough on any disk
	refuseBytes = 20 << 30
)

// Guard watches one disk. Safe for concurrent use.
type Guard struct {
	dir   string
	space func(dir string) (Space, error)
}

// Watch watches the disk that holds a folder.
func Watch(dir string) *Guard { return &Guard{dir, measure} }

// WatchWith is [Watch] with another way to measure, for tests.
func WatchWith(space func(dir string) (Space, error)) *Guard { return &Guard{"", space} }

// Space is the space of a disk in bytes. Free is what this process may still write.
type Space struct{ Free, Total uint64 }

// low reports whether less than a share is free, or less than the bytes that are enough on
// a large disk.
func (s Space) low(share float64, enough uint64) bool {
	return s.Free < min(uint64(share*float64(s.Total)), enough)
}

// Low reports whether a server warns of this space.
func (s Space) Low() bool { return s.low(warnShare, warnBytes) }

// Full reports whether a server refuses work that writes much.
func (s Space) Full() bool { return s.low(refuseShare, refuseBytes) }

func (s Space) percent() float64 { return 100 * float64(s.Free) / float64(max(s.Total, 1)) }

// Measure is the space of the disk that holds a folder.
func Measure(dir string) (Space, error) { return measure(dir) }

// Free is the space that this process may still write to the disk of a folder, in bytes.
func Free(dir string) (uint64, error) {
	s, err := measure(dir)
	return s.Free, err
}

// Free is the space that this process may still write, in bytes.
func (g *Guard) Free() (uint64, error) {
	s, err := g.space(g.dir)
	return s.Free, err
}

// FullError says that too little space is left for work that writes much.
type FullError struct{ Space }

func (e *FullError) Error() string {
	return fmt.Sprintf("the disk of the data has %s left (%.0f %%), too little for imports, runs and releases", words(e.Free), e.percent())
}

// Next says what to do about it.
func (e *FullError) Next() string {
	return "ask the operator to make space or to move the data folder to a larger disk; edits are still saved"
}

// Check returns a *FullError if too little space is left. A disk that cannot be measured
// counts as one with space: writing will tell.
func (g *Guard) Check() error {
	if s, err := g.space(g.dir); err == nil && s.Full() {
		return &FullError{s}
	}
	return nil
}

// Ready is Check for those who ask whether a server can work.
func (g *Guard) Ready(context.Context) error { return g.Check() }

// Warning tells the operator that the disk fills up; "" while there is enough space.
func (g *Guard) Warning() string {
	s, err := g.space(g.dir)
	switch {
	case err != nil || !s.Low():
		return ""
	case s.Full():
		return fmt.Sprintf("The disk of the data has %s left (%.0f %%). Imports, runs and releases are refused until there is more; edits are still saved. Make space, or move the data folder to a larger disk.", words(s.Free), s.percent())
	}
	return fmt.Sprintf("The disk of the data has %s left (%.0f %%). Below 5 %% imports, runs and releases are refused. Make space, or move the data folder to a larger disk.", words(s.Free), s.percent())
}

func words(bytes uint64) string {
	if bytes >= 1<<30 {
		return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
	}
	return fmt.Sprintf("%d MB", bytes/1e6)
}

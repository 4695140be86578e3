// SPDX-License-Identifier: Apache-2.0

// Package protect keeps the memory of a process, which holds keys and text of notes, off the
// disk: no core dump, and no swapped page where the system allows to lock memory. It also
// tells how much memory there is.
package protect

// Memory says what protects the memory of this process.
type Memory struct {
	NoDump bool // the system writes no core dump, and other processes of the user cannot read the memory
	Locked bool // the memory is never swapped
	Swap   bool // the system has swap, or it is not known
}

// Warning tells the operator what is missing; "" if nothing is.
func (m Memory) Warning() string {
	switch {
	case !m.NoDump:
		return "core dumps could not be turned off: a crash may write keys and text of notes to the disk"
	case m.Swap && !m.Locked:
		return "this system may swap memory to the disk, with keys and text of notes in it: use encrypted swap, none, or allow hide to lock its memory (LimitMEMLOCK=infinity in the unit, ulimit -l unlimited in a shell)"
	}
	return ""
}

// SPDX-License-Identifier: Apache-2.0

package classes

import (
	"bytes"
	"errors"
)

// Forms is the number of forms that a table has inside the file of a model.
const Forms = 2

// The forms of a table inside the file of a model.
const (
	ofProgram = iota // only its hash
	whole
)

// ErrOther is returned for the hash of a program's table that this program does not have.
var ErrOther = errors.New("it was made with other word classes of the program")

// Stored is the table as models store it: of the program's own only the hash.
func (t *Table) Stored() (form int, raw []byte) {
	if t == Builtin() {
		sum := BuiltinSum()
		return ofProgram, sum[:]
	}
	return whole, t.Append(nil)
}

// FromStored is the table for what [Table.Stored] gave. Errors are [ErrOther] or wrap
// [ErrTable].
func FromStored(form int, raw []byte) (*Table, error) {
	if form == whole {
		return Decode(raw)
	}
	if own := BuiltinSum(); !bytes.Equal(raw, own[:]) {
		return nil, ErrOther
	}
	return Builtin(), nil
}

// SPDX-License-Identifier: Apache-2.0

package classes

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	_ "embed"
	"io"
	"sync"
)

// english is the table of the program, compressed. The file NOTICE beside it names its source.
//
//go:embed english.bin
var english []byte

// builtin is the table in its file format.
var builtin = sync.OnceValue(func() []byte {
	r, err := zlib.NewReader(bytes.NewReader(english))
	if err != nil {
		panic("classes: the table of the program is damaged")
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		panic("classes: the table of the program is damaged")
	}
	return raw
})

// Builtin is the table of the program: some 100,000 frequent English words.
var Builtin = sync.OnceValue(func() *Table {
	t, err := Decode(builtin())
	if err != nil {
		panic("classes: the table of the program is damaged")
	}
	return t
})

// BuiltinSum is the [Table.Sum] of the program's table. It changes when the table does.
var BuiltinSum = sync.OnceValue(func() [sha256.Size]byte { return sha256.Sum256(builtin()) })

// SPDX-License-Identifier: Apache-2.0

package ledger

// Book is a database of entries and answers. It need not know what they mean.
type Book interface {
	// Load gives all entries, in order.
	Load() ([][]byte, error)
	// Append adds entry number seq, and keeps the answer to a request when key is
	// not "". When it returns nil, both are on disk; otherwise neither is. note is
	// what an audit trail may say of it.
	Append(seq uint64, entry []byte, key string, answer []byte, note Note) error
	// Answer gives the bytes kept under the key.
	Answer(key string) ([]byte, error)
	// Restored reports whether the database is a restored backup or a copy, which lacks
	// later debits of the original.
	Restored() (bool, error)
	// Close closes the database.
	Close() error
}

// Note says what an entry is about, for the audit trail of a database that has
// one.
type Note struct {
	Actor, Action, Object, Detail string
}

// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// encryptedFile is a temporary file that cannot be read without a key. The key is in memory
// only and made for this file: AES-256 in counter mode, where block i of the file is text
// XOR AES(key, i). So any offset can be read directly, as zips need. There is no
// checksum: only the user who runs hide can change the file while it is open.
//
// It is written once, from start to end, and then read, by many at a time.
type encryptedFile struct {
	file  *os.File
	block cipher.Block
	size  int64
}

// newEncryptedFile makes an empty file in folder. Its name is removed at once where the
// system allows that for an open file, else by Close.
func newEncryptedFile(folder string) (*encryptedFile, error) {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("cipher: %w", err)
	}
	file, err := os.CreateTemp(folder, "")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name())
	return &encryptedFile{file: file, block: block}, nil
}

// from is the key stream from offset at on.
func (f *encryptedFile) from(at int64) cipher.Stream {
	var counter [aes.BlockSize]byte
	binary.BigEndian.PutUint64(counter[8:], uint64(at/aes.BlockSize))
	stream := cipher.NewCTR(f.block, counter[:])
	var skipped [aes.BlockSize]byte
	skip := skipped[:at%aes.BlockSize]
	stream.XORKeyStream(skip, skip)
	return stream
}

// Write appends. It leaves p as it is.
func (f *encryptedFile) Write(p []byte) (int, error) {
	encrypted := make([]byte, len(p))
	f.from(f.size).XORKeyStream(encrypted, p)
	n, err := f.file.Write(encrypted)
	f.size += int64(n)
	return n, err
}

// ReadAt implements [io.ReaderAt].
func (f *encryptedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.file.ReadAt(p, at)
	if n > 0 {
		f.from(at).XORKeyStream(p[:n], p[:n])
	}
	return n, err
}

// Close closes the file, and removes its name if it still has one.
func (f *encryptedFile) Close() error {
	err := f.file.Close()
	if gone := os.Remove(f.file.Name()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// SPDX-License-Identifier: Apache-2.0

package importing

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

// sealedFile is a temporary file whose bytes on disk mean nothing without a key
// that is in memory only and made for this file: AES-256 in counter mode, where
// block i of the file is text XOR AES(key, i). Each place can so be read alone, as
// zips need. There is no checksum; who can change the file while it is open is
// this machine's user.
//
// It is written once, from start to end, and then read, by many at a time.
type sealedFile struct {
	file  *os.File
	block cipher.Block
	size  int64
}

// newSealedFile makes an empty one in folder. Its name is gone at once where the
// system lets an open file lose it, and with Close elsewhere.
func newSealedFile(folder string) (*sealedFile, error) {
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
	return &sealedFile{file: file, block: block}, nil
}

// from is the key stream from place at on.
func (f *sealedFile) from(at int64) cipher.Stream {
	var counter [aes.BlockSize]byte
	binary.BigEndian.PutUint64(counter[8:], uint64(at/aes.BlockSize))
	stream := cipher.NewCTR(f.block, counter[:])
	var skipped [aes.BlockSize]byte
	skip := skipped[:at%aes.BlockSize]
	stream.XORKeyStream(skip, skip)
	return stream
}

// Write appends. It leaves p as it is.
func (f *sealedFile) Write(p []byte) (int, error) {
	sealed := make([]byte, len(p))
	f.from(f.size).XORKeyStream(sealed, p)
	n, err := f.file.Write(sealed)
	f.size += int64(n)
	return n, err
}

// ReadAt is that of [io.ReaderAt].
func (f *sealedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.file.ReadAt(p, at)
	if n > 0 {
		f.from(at).XORKeyStream(p[:n], p[:n])
	}
	return n, err
}

// Close forgets the file, and removes its name if it still has one.
func (f *sealedFile) Close() error {
	err := f.file.Close()
	if gone := os.Remove(f.file.Name()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

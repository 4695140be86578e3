// SPDX-License-Identifier: Apache-2.0

package store

import (
	"crypto/hmac"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
)

// chainHead is the end of the audit chain.
type chainHead struct {
	seq  uint64   // of the last row; 0 when there is none
	hash [32]byte // of the last row
}

// headFile keeps the chain's head outside the data file: two slots, written in turn,
// each with a keyed checksum. It is written after the commit, so it may lag behind the
// chain but is never ahead of it.
type headFile struct {
	f       *os.File
	key     *[keySize]byte
	turn    int64
	written bool
}

const (
	slotSize  = 8 + 32 + 32
	slotSpace = 512 // each slot in a sector of its own
)

func (h chainHead) encode(key *[keySize]byte) []byte {
	b := binary.BigEndian.AppendUint64(nil, h.seq)
	b = append(b, h.hash[:]...)
	return append(b, mac(key, b)...)
}

func decodeHead(b []byte, key *[keySize]byte) (chainHead, bool) {
	var h chainHead
	if len(b) < slotSize || !hmac.Equal(mac(key, b[:40]), b[40:slotSize]) {
		return h, false
	}
	h.seq = binary.BigEndian.Uint64(b)
	copy(h.hash[:], b[8:])
	return h, true
}

// readHead reads the newest head in the file. ok is false if this key has written none.
func readHead(path string, key *[keySize]byte) (head chainHead, ok bool, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return head, false, nil
	}
	if err != nil {
		return head, false, err
	}
	for at := 0; at < 2*slotSpace && at < len(b); at += slotSpace {
		if h, good := decodeHead(b[at:], key); good && (!ok || h.seq > head.seq) {
			head, ok = h, true
		}
	}
	return head, ok, nil
}

// writeHeadFile creates the file with two equal slots.
func writeHeadFile(path string, key *[keySize]byte, head chainHead) error {
	b := make([]byte, 2*slotSpace)
	copy(b, head.encode(key))
	copy(b[slotSpace:], head.encode(key))
	return replaceFile(path, b)
}

func openHead(path string, key *[keySize]byte) (*headFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &headFile{f: f, key: key}, nil
}

func (h *headFile) write(head chainHead) error {
	_, err := h.f.WriteAt(head.encode(h.key), h.turn*slotSpace)
	h.turn, h.written = 1-h.turn, true
	return err
}

func (h *headFile) close() error {
	if !h.written {
		return h.f.Close()
	}
	return errors.Join(h.f.Sync(), h.f.Close())
}

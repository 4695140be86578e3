// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Values and audit rows are compressed before they are encrypted. Each one is compressed
// on its own, with a dictionary that is part of the program: small values that have the
// same form then take little space, and no value says anything about another one.

const (
	// minCompressed is the size below which compressing saves nothing.
	minCompressed = 32
	// maxCompressed bounds what a compressed value may become when it is read. Larger values
	// are stored as they are.
	maxCompressed = 256 << 20
	// compressWindow is how far back a repetition may be. It bounds the memory of both sides.
	compressWindow = 1 << 20
	dictionaryID   = 1
)

// codec compresses and decompresses. It is made when it is first needed.
type codec struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

var zstdCodec = sync.OnceValue(func() codec {
	encoder, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderCRC(false), // the encryption authenticates
		zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(compressWindow),
		zstd.WithEncoderDictRaw(dictionaryID, []byte(dictionary)))
	if err != nil {
		panic("store: " + err.Error()) // the options are constant
	}
	decoder, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxCompressed),
		zstd.WithDecoderMaxWindow(compressWindow),
		zstd.WithDecoderDictRaw(dictionaryID, []byte(dictionary)))
	if err != nil {
		panic("store: " + err.Error())
	}
	return codec{encoder, decoder}
})

// compress returns a shorter form of value. ok is false if there is none.
func compress(value []byte) (short []byte, ok bool) {
	if len(value) < minCompressed || len(value) > maxCompressed {
		return nil, false
	}
	short = zstdCodec().encoder.EncodeAll(value, make([]byte, 0, len(value)))
	return short, len(short) < len(value)
}

var errCompressed = errors.New("a compressed value cannot be read")

func decompress(short []byte) ([]byte, error) {
	value, err := zstdCodec().decoder.DecodeAll(short, nil)
	if err != nil {
		return nil, errCompressed
	}
	return value, nil
}

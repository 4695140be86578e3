// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/binary"
	"math"
)

// AppendFloat adds eight bytes.
func AppendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// AppendFloat32 adds four bytes.
func AppendFloat32(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

// AppendSection adds content after its length, an unsigned varint.
func AppendSection(b, content []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(content))), content...)
}

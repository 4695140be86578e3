// SPDX-License-Identifier: Apache-2.0

package learn

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"hide/internal/greedy"
	"hide/internal/greedy/linear"
)

// ensembleMagic is how the file of an [Ensemble]'s classifier begins.
const ensembleMagic = "HIDEENS\n"

// ErrEnsemble is returned for bytes that are no ensemble.
var ErrEnsemble = errors.New("not an ensemble")

var (
	_ encoding.BinaryMarshaler = (*corrected)(nil)
	_ greedy.Keeper            = Ensemble{}
	_ greedy.Keeper            = Selection{}
)

// EncodeClassifier implements [greedy.Keeper].
func (Ensemble) EncodeClassifier(h greedy.Classifier) ([]byte, error) { return Encode(h) }

// DecodeClassifier implements [greedy.Keeper].
func (Ensemble) DecodeClassifier(raw []byte) (greedy.Classifier, error) { return Decode(raw) }

// EncodeClassifier implements [greedy.Keeper]. What was not chosen is not kept.
func (Selection) EncodeClassifier(h greedy.Classifier) ([]byte, error) { return Encode(h) }

// DecodeClassifier implements [greedy.Keeper]: the classifier that was chosen.
func (Selection) DecodeClassifier(raw []byte) (greedy.Classifier, error) { return Decode(raw) }

// MarshalBinary writes Least, the length of the first classifier, both classifiers,
// and a checksum.
func (c *corrected) MarshalBinary() ([]byte, error) {
	first, err := Encode(c.first)
	if err != nil {
		return nil, err
	}
	then, err := c.then.MarshalBinary()
	if err != nil {
		return nil, err
	}
	b := binary.LittleEndian.AppendUint64([]byte(ensembleMagic), math.Float64bits(c.least))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(first)))
	b = append(append(b, first...), then...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

// decodeEnsemble reads what MarshalBinary wrote. An ensemble in an ensemble is
// refused: nothing trains one, and reading would nest as deep as bytes say.
func decodeEnsemble(b []byte) (*corrected, error) {
	const head = len(ensembleMagic) + 16
	end := len(b) - sha256.Size
	if end < head || string(b[:len(ensembleMagic)]) != ensembleMagic {
		return nil, fmt.Errorf("%w: it does not begin as one, or ends too early", ErrEnsemble)
	}
	if sum := sha256.Sum256(b[:end]); !bytes.Equal(sum[:], b[end:]) {
		return nil, fmt.Errorf("%w: its checksum is wrong: it was damaged or cut short", ErrEnsemble)
	}
	least := math.Float64frombits(binary.LittleEndian.Uint64(b[len(ensembleMagic):]))
	length := binary.LittleEndian.Uint64(b[head-8:])
	rest := b[head:end]
	if !(least >= 0 && least <= 1) || length > uint64(len(rest)) || bytes.HasPrefix(rest, []byte(ensembleMagic)) {
		return nil, fmt.Errorf("%w: its parts do not fit", ErrEnsemble)
	}
	first, err := Decode(rest[:length])
	if err != nil {
		return nil, fmt.Errorf("first classifier of an ensemble: %w", err)
	}
	then, err := linear.Decode(rest[length:])
	if err != nil {
		return nil, fmt.Errorf("second classifier of an ensemble: %w", err)
	}
	return &corrected{least, first, then}, nil
}

// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"

	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/linear"
	"hide/internal/wire"
)

// Encode encodes a classifier as self-describing bytes. They contain words of its
// training notes. Equal classifiers give equal bytes. It fails if the classifier's
// learner is not [Kept].
func Encode(c greedy.Classifier) ([]byte, error) {
	switch c := c.(type) {
	case *Chosen:
		return Encode(c.Classifier)
	case *greedy.Model:
		var b bytes.Buffer
		err := c.CRF.Encode(&b)
		return b.Bytes(), err
	case encoding.BinaryMarshaler:
		return c.MarshalBinary()
	}
	return nil, fmt.Errorf("a classifier of type %T cannot be kept in a file", c)
}

// Decode reads the output of [Encode] and nothing else. Its errors come from the
// classifier's own package and say nothing about the content.
func Decode(b []byte) (greedy.Classifier, error) {
	switch {
	case bytes.HasPrefix(b, []byte(detect.Magic)):
		return kept(detect.Decode(b))
	case bytes.HasPrefix(b, []byte(linear.Magic)):
		return kept(linear.Decode(b))
	case bytes.HasPrefix(b, []byte(ensembleMagic)):
		return kept(decodeEnsemble(b))
	}
	r := bytes.NewReader(b)
	m, err := crf.Decode(r)
	if err != nil {
		return nil, err
	}
	if r.Len() > 0 {
		return nil, fmt.Errorf("%d bytes after its end", r.Len())
	}
	return &greedy.Model{CRF: m}, nil
}

// kept makes sure that a failed result is nil.
func kept[C greedy.Classifier](c C, err error) (greedy.Classifier, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Kept lists the learners whose classifiers can be kept in a file, to be used on later
// notes.
func Kept() []string {
	var names []string
	for _, e := range Table() {
		if e.kept {
			names = append(names, e.Name)
		}
	}
	return names
}

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
	b := wire.AppendFloat([]byte(ensembleMagic), c.least)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(first)))
	return wire.Seal(append(append(b, first...), then...)), nil
}

// decodeEnsemble reads the output of MarshalBinary. Nested ensembles are refused: none is
// ever trained, and reading would nest as deep as the bytes say.
func decodeEnsemble(b []byte) (*corrected, error) {
	r, err := wire.Open(b, ensembleMagic)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEnsemble, err)
	}
	least, length := r.Float(1), r.Uint64()
	if r.Err() != nil || least < 0 || length > uint64(r.Left()) {
		return nil, fmt.Errorf("%w: its parts do not fit", ErrEnsemble)
	}
	raw := r.Take(int(length))
	if bytes.HasPrefix(raw, []byte(ensembleMagic)) {
		return nil, fmt.Errorf("%w: it is inside another", ErrEnsemble)
	}
	first, err := Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("first classifier of an ensemble: %w", err)
	}
	then, err := linear.Decode(r.Take(r.Left()))
	if err != nil {
		return nil, fmt.Errorf("second classifier of an ensemble: %w", err)
	}
	return &corrected{least, first, then}, nil
}

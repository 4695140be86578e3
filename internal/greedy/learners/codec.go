// SPDX-License-Identifier: Apache-2.0

package learners

import (
	"bytes"
	"encoding"
	"fmt"

	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/linear"
)

// Encode is a classifier as bytes, which say themselves what they are. They hold
// words of the notes it was trained on. Equal classifiers give equal bytes. It is
// an error when the classifier is of a learner that is not [Kept].
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

// Decode reads what [Encode] wrote and nothing else. Its errors come from the
// classifier's own package and say nothing of the content.
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

// kept makes sure that what failed is nil.
func kept[C greedy.Classifier](c C, err error) (greedy.Classifier, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Kept lists the learners of the table whose classifiers can be kept in a file, and
// so used on notes to come.
func Kept() []string {
	var names []string
	for _, e := range Table() {
		if e.kept {
			names = append(names, e.Name)
		}
	}
	return names
}

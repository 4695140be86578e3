// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/learners"
)

// Names of the sections of a bundle file, in their order. After them comes one
// section per step, "step 1", "step 2", ...
const (
	metaSection  = "meta"
	namerSection = "namer"
)

// bundleMeta is the first section of a bundle file, in JSON.
type bundleMeta struct {
	Policy     Policy     `json:"policy"`
	Provenance Provenance `json:"provenance"`
	Steps      []Step     `json:"steps"`
}

// Encode writes the bundle's file. The same bundle gives the same bytes.
func (b *Bundle) Encode(w io.Writer) error {
	if err := b.Check(); err != nil {
		return fmt.Errorf("encode bundle: %w", err)
	}
	meta, err := json.Marshal(bundleMeta{b.Policy, b.Provenance, b.steps()})
	if err != nil {
		return fmt.Errorf("encode bundle: %w", err)
	}
	namer, err := learners.Encode(&greedy.Model{CRF: b.Namer})
	if err != nil {
		return fmt.Errorf("encode bundle: %w", err)
	}
	sections := []section{{metaSection, meta}, {namerSection, namer}}
	for i, a := range b.Ensemble {
		content, err := learners.Encode(a.Classifier)
		if err != nil {
			return fmt.Errorf("encode classifier %d of the bundle: %w", i+1, err)
		}
		sections = append(sections, section{stepSection(i), content})
	}
	return writeSections(w, sections)
}

func stepSection(i int) string { return fmt.Sprintf("step %d", i+1) }

// Decode reads a bundle's file. Whatever is not exactly what [Bundle.Encode]
// writes is refused with an error that wraps [ErrBundle].
func Decode(r io.Reader) (*Bundle, error) {
	sections, err := readSections(r)
	if err != nil {
		return nil, err
	}
	if len(sections) < 2 || sections[0].name != metaSection || sections[1].name != namerSection {
		return nil, bundleError("its parts are not those of a bundle")
	}
	var meta bundleMeta
	if err := decodeStrict(sections[0].content, &meta); err != nil {
		return nil, bundleError("description: %w", err)
	}
	if again, err := json.Marshal(meta); err != nil || !bytes.Equal(again, sections[0].content) {
		return nil, bundleError("description is not written as it should be")
	}
	b := &Bundle{Policy: meta.Policy, Provenance: meta.Provenance}
	if b.Namer, err = decodeNamer(sections[1].content); err != nil {
		return nil, bundleError("model of labels: %w", err)
	}
	if b.Ensemble, err = decodeSteps(meta.Steps, sections[2:]); err != nil {
		return nil, err
	}
	if err := b.Check(); err != nil {
		return nil, bundleError("%w", err)
	}
	return b, nil
}

func decodeSteps(steps []Step, sections []section) (greedy.Ensemble, error) {
	if len(steps) != len(sections) {
		return nil, bundleError("it describes %d classifiers and holds %d", len(steps), len(sections))
	}
	ensemble := make(greedy.Ensemble, len(steps))
	for i, s := range steps {
		if sections[i].name != stepSection(i) {
			return nil, bundleError("classifier %d is not in its place", i+1)
		}
		classifier, err := learners.Decode(sections[i].content)
		if err != nil {
			return nil, bundleError("classifier %d: %w", i+1, err)
		}
		ensemble[i] = greedy.Accepted{Learner: s.Learner, Classifier: classifier, Threshold: s.Threshold, Prices: s.Prices, Hard: s.Hard, Whole: s.Whole}
	}
	return ensemble, nil
}

func decodeNamer(content []byte) (*crf.Model, error) {
	c, err := learners.Decode(content)
	if err != nil {
		return nil, err
	}
	m, ok := c.(*greedy.Model)
	if !ok {
		return nil, errors.New("it does not distinguish labels")
	}
	return m.CRF, nil
}

// decodeStrict decodes one JSON value of known fields with nothing after it.
func decodeStrict(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("not as expected at byte %d", dec.InputOffset())
	}
	if dec.More() {
		return fmt.Errorf("more than one value at byte %d", dec.InputOffset())
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
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

// A bundle file is
//
//	"hide bundle 1\n"
//	sections, each: name length (1 byte), name, content length (8 bytes, big-endian), content
//	an end mark: one zero byte
//	SHA-256 of everything before it (32 bytes)
//
// and nothing after that.
const bundleMagic = "hide bundle 1\n"

// sectionLimit bounds one section: a model of some hundred million weights.
const sectionLimit = 2 << 30

// ErrBundle is wrapped by every refusal of a bundle file.
var ErrBundle = errors.New("not a complete bundle file")

func bundleError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrBundle, fmt.Errorf(format, args...))
}

// section is one named part of a bundle file.
type section struct {
	name    string
	content []byte
}

// writeSections writes a bundle file.
func writeSections(w io.Writer, sections []section) error {
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	if _, err := io.WriteString(both, bundleMagic); err != nil {
		return err
	}
	for _, s := range sections {
		head := append([]byte{byte(len(s.name))}, s.name...)
		head = binary.BigEndian.AppendUint64(head, uint64(len(s.content)))
		if _, err := both.Write(head); err != nil {
			return err
		}
		if _, err := both.Write(s.content); err != nil {
			return err
		}
	}
	if _, err := both.Write([]byte{0}); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// readSections reads a whole bundle file and checks its sum before anything in
// it is looked at. It takes no more memory than the file has bytes, whatever
// lengths it claims.
func readSections(r io.Reader) ([]section, error) {
	sum := sha256.New()
	body := io.TeeReader(r, sum)
	magic, err := readExactly(body, int64(len(bundleMagic)))
	if err != nil || string(magic) != bundleMagic {
		return nil, bundleError("it does not start as one")
	}
	var sections []section
	for {
		s, err := readSection(body)
		if err != nil {
			return nil, bundleError("section %d: %w", len(sections)+1, err)
		}
		if s.name == "" {
			break
		}
		sections = append(sections, s)
	}
	return sections, checkEnd(r, sum.Sum(nil))
}

func checkEnd(r io.Reader, want []byte) error {
	got, err := readExactly(r, sha256.Size)
	if err != nil {
		return bundleError("check sum: %w", err)
	}
	if !bytes.Equal(got, want) {
		return bundleError("its check sum is wrong: it was damaged or changed")
	}
	if n, err := io.CopyN(io.Discard, r, 1); n != 0 || !errors.Is(err, io.EOF) {
		return bundleError("there is something after its end")
	}
	return nil
}

// readSection reads one section; the end mark is a section without a name.
func readSection(r io.Reader) (section, error) {
	size, err := readExactly(r, 1)
	if err != nil || size[0] == 0 {
		return section{}, err
	}
	head, err := readExactly(r, int64(size[0])+8)
	if err != nil {
		return section{}, err
	}
	length := binary.BigEndian.Uint64(head[size[0]:])
	if length > sectionLimit {
		return section{}, fmt.Errorf("it claims %d bytes, more than %d", length, sectionLimit)
	}
	content, err := readExactly(r, int64(length))
	return section{string(head[:size[0]]), content}, err
}

// readExactly reads n bytes, growing as they come.
func readExactly(r io.Reader, n int64) ([]byte, error) {
	var b bytes.Buffer
	got, err := io.CopyN(&b, r, n)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("cut short: %d of %d bytes", got, n)
	}
	return b.Bytes(), err
}

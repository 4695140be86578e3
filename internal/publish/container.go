// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

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

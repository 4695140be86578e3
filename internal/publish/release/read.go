// SPDX-License-Identifier: Apache-2.0

package release

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
)

// MostRead is the largest file, in bytes, that a [Reader] reads.
const MostRead = 32 << 20

// ErrTooLarge is returned for a file of more than [MostRead] bytes.
var ErrTooLarge = fmt.Errorf("more than %d MB", MostRead>>20)

// Reader reads the files of a release whose manifest hash is known. It refuses a
// file that has changed since.
type Reader struct {
	Manifest Manifest // its claims are read by Claims
	fsys     fs.FS
	claims   json.RawMessage
}

// Open reads the manifest of a release. sum is its SHA-256.
func Open(fsys fs.FS, sum string) (*Reader, error) {
	r := &Reader{fsys: fsys}
	text, err := r.read(manifestFile, sum)
	if err != nil {
		return nil, err
	}
	r.Manifest.Claims = &r.claims
	if json.Unmarshal(text, &r.Manifest) != nil {
		return nil, Damaged(manifestFile)
	}
	if r.Manifest.Schema != Schema {
		r.claims = text // releases of the first form had their claims beside the other fields
	}
	return r, nil
}

// Claims decodes what the release claims.
func (r *Reader) Claims(into any) error {
	if json.Unmarshal(r.claims, into) != nil {
		return Damaged(manifestFile)
	}
	return nil
}

// File reads a listed file.
func (r *Reader) File(name string) ([]byte, error) {
	for _, f := range r.Manifest.Files {
		if f.Path == name {
			return r.read(name, f.SHA256)
		}
	}
	return nil, Damaged(manifestFile)
}

func (r *Reader) read(name, sum string) ([]byte, error) {
	f, err := r.fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened", name)
	}
	defer f.Close() // only read
	text, err := io.ReadAll(io.LimitReader(f, MostRead+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read", name)
	}
	if len(text) > MostRead {
		return nil, fmt.Errorf("%s: %w", name, ErrTooLarge)
	}
	if is := sha256.Sum256(text); hex.EncodeToString(is[:]) != sum {
		return nil, Damaged(name)
	}
	return text, nil
}

// Damaged says that a file is not what was written.
func Damaged(name string) error { return fmt.Errorf("%s is damaged or was changed", name) }

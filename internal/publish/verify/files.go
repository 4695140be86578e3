// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"context"
	"fmt"
	"io/fs"
	"os"
)

// Files are files that a release is compared with; "" names no file.
type Files struct {
	Mapping, Originals string // both, or neither
	Evidence, Status   string // signed files
	Key                string // the public key that checks them, or the name of its file
}

// Compare checks a release by itself, or against the originals if they are named.
func (f Files) Compare(ctx context.Context, fsys fs.FS) (Result, error) {
	if f.Mapping == "" {
		return Release(fsys)
	}
	m, err := os.Open(f.Mapping)
	if err != nil {
		return nil, err
	}
	defer m.Close() // only read
	o, err := os.Open(f.Originals)
	if err != nil {
		return nil, err
	}
	defer o.Close() // only read
	return Against(ctx, fsys, m, o)
}

// CheckSigned adds to a report what the signed files say otherwise.
func (f Files) CheckSigned(r *Report) error {
	if f.Key == "" {
		return nil
	}
	text := f.Key
	if raw, err := os.ReadFile(f.Key); err == nil {
		text = string(raw)
	}
	key, err := PublicKey(text)
	if err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	for _, signed := range []struct {
		name  string
		check func([]byte)
	}{
		{f.Evidence, func(file []byte) { r.CheckEvidence(file, key) }},
		{f.Status, func(file []byte) { r.CheckStatus(file, key) }},
	} {
		if signed.name == "" {
			continue
		}
		file, err := os.ReadFile(signed.name)
		if err != nil {
			return err
		}
		signed.check(file)
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"io/fs"

	"hide/internal/publish/table/check"
	"hide/internal/publish/verify"
)

// verifyOther checks a release of another kind than text; done says that it was
// one. sum is what manifest.json should have, or empty.
func (e *env) verifyOther(name, sum string) (done bool, err error) {
	fsys, closer, err := verify.Open(name)
	if err != nil {
		return false, nil // for whoever looks at it as a release of texts to say
	}
	defer closer.Close() // only read
	switch schemaOf(fsys) {
	case check.Schema:
		return true, e.verifyTable(name, fsys, sum)
	}
	return false, nil
}

// schemaOf is what the manifest of a release calls itself, empty when it does not.
func schemaOf(fsys fs.FS) string {
	f, err := fsys.Open("manifest.json")
	if err != nil {
		return ""
	}
	defer f.Close() // only read
	var m struct {
		Schema string `json:"schema"`
	}
	_ = json.NewDecoder(io.LimitReader(f, 512<<20)).Decode(&m) // whose schema it is says what is wrong
	return m.Schema
}

// SPDX-License-Identifier: Apache-2.0

// Package release writes and reads the envelope that all releases share, whatever
// they hold: a folder of files with one manifest.
//
//	manifest.json  a [Manifest]: kind, program, statement, warnings, claims, files
//	SHA256SUMS     the SHA-256 of every other file, as sha256sum writes and checks it
//	...            the files of its kind, such as notes.jsonl or table.csv
//
// [Write] writes a folder from a list of files; [Create] is for a release whose
// files are not known in advance. Either way the folder appears whole or not at
// all, and its files can be read by its owner only. [Zip] packs it. [Open] reads a
// release whose manifest hash is on record. What is claimed, the room that makes the
// release decides; package verify, which shares no code with this one, checks it.
package release

import (
	cryptorand "crypto/rand"
	"encoding/json"
	"math/rand/v2"
	"time"
)

// Schema is the version of the envelope that this package writes and reads.
const Schema = "hide release 2"

// Tool is the program that writes releases.
const Tool = "hide"

// Kind is what a release holds, and so what it claims.
type Kind string

const (
	Text      Kind = "text"      // redacted notes
	Table     Kind = "table"     // a generalized table
	Joint     Kind = "joint"     // notes with a table
	Cube      Kind = "cube"      // differentially private counts
	Sequences Kind = "sequences" // differentially private counts of sequences
	Query     Kind = "query"     // the differentially private answer to a query
)

// Manifest is manifest.json: everything that a release says about itself.
type Manifest struct {
	Schema    string    `json:"schema"`
	Kind      Kind      `json:"kind"`
	Tool      string    `json:"tool"`    // [Tool]
	Version   string    `json:"version"` // of the tool
	Created   time.Time `json:"created"`
	Name      string    `json:"name,omitempty"`    // in its project: "release-1"
	Project   string    `json:"project,omitempty"` // its id, not its name
	Statement string    `json:"statement"`         // what the release promises, and what it does not
	Warnings  []string  `json:"warnings"`          // what a recipient should know besides
	Claims    any       `json:"claims"`            // by kind
	Files     []File    `json:"files"`             // all but the manifest and SHA256SUMS, by path
}

// File is a file of a release.
type File struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// encode writes the manifest of a release of these files. Times are cut to seconds.
func (m Manifest) encode(files []File) ([]byte, error) {
	m.Schema, m.Tool, m.Created, m.Files = Schema, Tool, m.Created.UTC().Truncate(time.Second), files
	if m.Warnings == nil {
		m.Warnings = []string{}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	return append(text, '\n'), err
}

// Random is a generator seeded by the system's random source, for orders, numbers and
// synthetic records that must not reveal anything. No caller can choose its seed. It
// is not for noise, which package noise draws.
func Random() *rand.Rand {
	var seed [32]byte
	cryptorand.Read(seed[:]) // never fails: it ends the program instead
	return rand.New(rand.NewChaCha8(seed))
}

// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hide/internal/annotate"
	"hide/internal/strictjson"
)

// Limits of a file with a mapping.
const (
	maxFile  = 1 << 20
	maxPairs = 10_000
)

// Read reads a mapping: {"labels":{"NOMBRE":"PATIENT","SEXO":""}}, and perhaps from, to and
// version. It refuses everything else. Its errors quote no value.
func Read(r io.Reader) (Mapping, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return Mapping{}, err
	}
	if len(text) > maxFile {
		return Mapping{}, fmt.Errorf("the file has more than %d bytes", maxFile)
	}
	var file struct {
		From    string                    `json:"from"`
		To      string                    `json:"to"`
		Version int                       `json:"version"`
		Labels  map[annotate.Label]string `json:"labels"`
	}
	if err := strictjson.Decode(text, &file); err != nil {
		return Mapping{}, err
	}
	switch {
	case len(file.Labels) == 0:
		return Mapping{}, errors.New(`"labels" is missing or empty`)
	case len(file.Labels) > maxPairs:
		return Mapping{}, fmt.Errorf("there are more than %d labels", maxPairs)
	case file.Version < 0:
		return Mapping{}, errors.New("the version is negative")
	}
	m := Mapping{From: file.From, To: file.To, Version: file.Version, Pairs: pairs{}}
	for from, to := range file.Labels {
		m.Pairs[from] = annotate.Label(to)
	}
	return m, m.Check()
}

// Write writes a mapping as [Read] reads it.
func (m Mapping) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(m)
}

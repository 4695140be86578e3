// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"hide/internal/hint"
	"hide/internal/publish/cube"
	"hide/internal/publish/dp"
)

// cubeFile is a configuration for counts of a project and for queries. The
// project itself supplies the patients and the budget.
type cubeFile struct {
	Source     string      `json:"source"`
	Dimensions cube.Domain `json:"dimensions"`
	Method     cube.Method `json:"method"`
	Marginals  [][]string  `json:"marginals"`
	People     int64       `json:"people"`
	Synthetic  bool        `json:"synthetic"`
	Unjoined   int64       `json:"unjoined"`
}

// sequencesFile is a configuration for sequences of a project.
type sequencesFile struct {
	Source    string   `json:"source"`
	Of        string   `json:"of"` // an attribute by its name
	Alphabet  []string `json:"alphabet"`
	Other     bool     `json:"other"`
	Ordered   bool     `json:"ordered"`
	Height    int      `json:"height"`
	Synthetic bool     `json:"synthetic"`
	Unjoined  int64    `json:"unjoined"`
}

// ParseCube reads the settings that the project does not have itself, all but the epsilon.
func ParseCube(raw []byte) (CubeSettings, error) {
	var c cubeFile
	err := decode(raw, &c)
	return CubeSettings{
		Source: c.Source, Dimensions: c.Dimensions, Method: c.Method, Marginals: c.Marginals, People: c.People, Synthetic: c.Synthetic, Unjoined: c.Unjoined,
	}, err
}

// ParseSequences is [ParseCube] for sequences. of is the name of the attribute, which only the
// project can find.
func ParseSequences(raw []byte) (s SequenceSettings, of string, err error) {
	var c sequencesFile
	err = decode(raw, &c)
	return SequenceSettings{
		Source: c.Source, Alphabet: c.Alphabet, Other: c.Other, Ordered: c.Ordered, Height: c.Height, Synthetic: c.Synthetic, Unjoined: c.Unjoined,
	}, c.Of, err
}

func decode(raw []byte, into any) error {
	if err := dp.DecodeConfig(raw, into); err != nil {
		return hint.Add(err, "with --project the configuration has neither lineage nor key; docs/differential-privacy.md lists its fields")
	}
	return nil
}

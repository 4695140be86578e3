// SPDX-License-Identifier: Apache-2.0

package trade

import (
	"strings"

	"hide/internal/crf"
)

// Line is the settings of one curve. The first leaves nothing out.
type Line struct {
	Name      string   // its keys: o, window
	Labels    []string // of the settings: what is written beside their points
	Samplings []crf.Sampling
}

// AllWords is the label of the setting that leaves nothing out.
const AllWords = "all"

// Usual are the curves of random and of window sampling, as [ParseLine] reads
// them.
func Usual() []string { return []string{"o=.5,.2,.1,.05", "window=16,8,4,2"} }

// ParseLine expands o=.5,.2+window=4 into all words, o=.5+window=4 and
// o=.2+window=4. The values of cost, which hold commas, have slashes between
// them. Samplings without a seed of their own get seed.
func ParseLine(text string, seed uint64) (Line, error) {
	line, settings := Line{Labels: []string{AllWords}, Samplings: make([]crf.Sampling, 1)}, []string{""}
	var keys []string
	for part := range strings.SplitSeq(text, "+") {
		key, list, _ := strings.Cut(part, "=")
		separator := ","
		if key == "cost" {
			separator = "/"
		}
		keys, settings = append(keys, key), times(settings, key, strings.Split(list, separator))
	}
	line.Name = strings.Join(keys, "+")
	for _, setting := range settings {
		s, err := crf.ParseSampling(setting)
		if err != nil {
			return line, err
		}
		line.add(s, pointLabel(setting), seed)
	}
	return line, nil
}

// add leaves out what leaves nothing out: the line begins with that.
func (l *Line) add(s crf.Sampling, label string, seed uint64) {
	if s.O == 1 {
		s.O = 0
	}
	if s.String() == "" {
		return
	}
	if s.Seed == 0 {
		s.Seed = seed
	}
	l.Labels, l.Samplings = append(l.Labels, label), append(l.Samplings, s)
}

// times puts every value of key behind every setting.
func times(settings []string, key string, values []string) []string {
	var out []string
	for _, s := range settings {
		for _, v := range values {
			out = append(out, strings.TrimPrefix(s+"+"+key+"="+v, "+"))
		}
	}
	return out
}

// pointLabel is a setting without its keys: .5 for o=.5.
func pointLabel(setting string) string {
	parts := strings.Split(setting, "+")
	for i, part := range parts {
		_, parts[i], _ = strings.Cut(part, "=")
	}
	return strings.Join(parts, " ")
}

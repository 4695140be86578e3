// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"hide/internal/crf"
)

// samplingLine is the settings of one --sampling of hide curve. The first leaves
// nothing out.
type samplingLine struct {
	name      string // its keys: o, window
	labels    []string
	samplings []crf.Sampling
}

// allWords is the label of the setting that leaves nothing out.
const allWords = "all"

// curveLines reads every --sampling. Without one, the curves are those of random
// and of window sampling.
func (e *env) curveLines(typed []string, seed uint64) ([]samplingLine, error) {
	if len(typed) == 0 {
		typed = []string{"o=.5,.2,.1,.05", "window=16,8,4,2"}
	}
	lines := make([]samplingLine, len(typed))
	for i, text := range typed {
		line, err := e.curveLine(text, seed)
		if err != nil {
			return nil, err
		}
		lines[i] = line
	}
	return lines, nil
}

// curveLine expands o=.5,.2+window=4 into all words, o=.5+window=4 and
// o=.2+window=4.
func (e *env) curveLine(text string, seed uint64) (samplingLine, error) {
	line, settings := samplingLine{labels: []string{allWords}, samplings: make([]crf.Sampling, 1)}, []string{""}
	var keys []string
	for part := range strings.SplitSeq(text, "+") {
		key, list, _ := strings.Cut(part, "=")
		separator := ","
		if key == "cost" {
			separator = "/"
		}
		keys, settings = append(keys, key), times(settings, key, strings.Split(list, separator))
	}
	line.name = strings.Join(keys, "+")
	for _, setting := range settings {
		s, err := e.sampling(setting)
		if err != nil {
			return line, err
		}
		if s.O == 1 {
			s.O = 0
		}
		if s.String() == "" {
			continue
		}
		if s.Seed == 0 {
			s.Seed = seed
		}
		line.labels, line.samplings = append(line.labels, pointLabel(setting)), append(line.samplings, s)
	}
	return line, nil
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

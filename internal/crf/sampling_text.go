// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// String writes s as [ParseSampling] reads it: o=0.2, window=4,
// cost=DATE:0.5,O:0.1, seed=7, joined by plus signs; "" for the zero value.
func (s Sampling) String() string {
	var parts []string
	if s.O != 0 {
		parts = append(parts, "o="+decimal(s.O))
	}
	if s.Window != 0 {
		parts = append(parts, "window="+strconv.Itoa(s.Window))
	}
	if len(s.Cost) > 0 {
		var costs []string
		for label, c := range s.Cost {
			costs = append(costs, string(orElse(label, outside))+":"+decimal(c))
		}
		slices.Sort(costs)
		parts = append(parts, "cost="+strings.Join(costs, ","))
	}
	if s.Seed != 0 {
		parts = append(parts, "seed="+strconv.FormatUint(s.Seed, 10))
	}
	return strings.Join(parts, "+")
}

// outside is how the text form of a sampling names words that are not sensitive.
const outside = "O"

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// ParseSampling reads what [Sampling.String] writes. Parts may come in any order,
// each once.
func ParseSampling(text string) (Sampling, error) {
	var s Sampling
	if text == "" {
		return s, nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, "+") {
		key, value, _ := strings.Cut(part, "=")
		if seen[key] {
			return Sampling{}, fmt.Errorf("sampling: %q is there twice", key)
		}
		seen[key] = true
		if err := s.set(key, value); err != nil {
			return Sampling{}, err
		}
	}
	return s, s.Check()
}

func (s *Sampling) set(key, value string) (err error) {
	switch key {
	case "o":
		if s.O, err = strconv.ParseFloat(value, 64); err == nil && s.O == 0 {
			err = errors.New("it would leave none")
		}
	case "window":
		if s.Window, err = strconv.Atoi(value); err == nil && s.Window == 0 {
			err = errors.New("it would leave none")
		}
	case "cost":
		s.Cost, err = parseCosts(value)
	case "seed":
		s.Seed, err = strconv.ParseUint(value, 10, 64)
	default:
		return fmt.Errorf("sampling: unknown %q: there are o, window, cost and seed", key)
	}
	if err != nil {
		return fmt.Errorf("sampling: %s=%s: %w", key, value, reason(err))
	}
	return nil
}

// reason is why a number could not be read, without the name of a function.
func reason(err error) error {
	if n := (*strconv.NumError)(nil); errors.As(err, &n) {
		return n.Err
	}
	return err
}

func parseCosts(text string) (map[annotate.Label]float64, error) {
	costs := map[annotate.Label]float64{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, ":")
		label := annotate.Label(name)
		if err := annotate.CheckLabel(label); err != nil {
			return nil, err
		}
		if label == outside {
			label = ""
		}
		if _, twice := costs[label]; twice {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		c, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, reason(err)
		}
		costs[label] = c
	}
	return costs, nil
}

// MarshalText is [Sampling.String].
func (s Sampling) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is [ParseSampling].
func (s *Sampling) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSampling(string(text))
	return err
}

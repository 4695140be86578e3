// SPDX-License-Identifier: Apache-2.0

package sampling

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// Check refuses values out of range.
func (s Sampling) Check() error {
	if !(s.O >= 0 && s.O <= 1) {
		return fmt.Errorf("sampling: o is %g, it must be above 0 and at most 1", s.O)
	}
	if s.Window < 0 || s.Window > maxWindow {
		return fmt.Errorf("sampling: the window is %d, it must be from 1 to %d", s.Window, maxWindow)
	}
	if !(s.Times >= 0 && s.Times <= maxTimes) {
		return fmt.Errorf("sampling: times is %g, it must be above 0 and at most %d", s.Times, maxTimes)
	}
	for label, c := range s.Cost {
		if label != "" && (label == outside || annotate.CheckLabel(label) != nil) {
			return errors.New("sampling: a cost is given without a valid label")
		}
		if !(c > 0 && c <= maxCost) {
			return fmt.Errorf("sampling: a cost is %g, it must be above 0 and at most %g", c, float64(maxCost))
		}
	}
	return nil
}

const (
	maxWindow = 1 << 30
	maxCost   = 1e9
	maxTimes  = 100
)

// String writes s as [Parse] reads it: o=0.2, window=4, cost=DATE:0.5,O:0.1, times=1.9,
// seed=7, joined by plus signs; "" for the zero value.
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
			costs = append(costs, string(cmp.Or(label, outside))+":"+decimal(c))
		}
		slices.Sort(costs)
		parts = append(parts, "cost="+strings.Join(costs, ","))
	}
	if s.Times != 0 {
		parts = append(parts, "times="+decimal(s.Times))
	}
	if s.Seed != 0 {
		parts = append(parts, "seed="+strconv.FormatUint(s.Seed, 10))
	}
	return strings.Join(parts, "+")
}

// outside is the name of the words that are not sensitive, in the text form of a
// sampling.
const outside = "O"

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Parse parses the output of [Sampling.String]. Parts may come in any order,
// each at most once.
func Parse(text string) (Sampling, error) {
	var s Sampling
	if text == "" {
		return s, nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, "+") {
		key, value, _ := strings.Cut(part, "=")
		if seen[key] {
			return Sampling{}, fmt.Errorf("sampling: %q is given twice", key)
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
			err = errors.New("it must be above 0")
		}
	case "window":
		if s.Window, err = strconv.Atoi(value); err == nil && s.Window == 0 {
			err = errors.New("it must be above 0")
		}
	case "cost":
		s.Cost, err = parseCosts(value)
	case "times":
		if s.Times, err = strconv.ParseFloat(value, 64); err == nil && s.Times == 0 {
			err = errors.New("it must be above 0")
		}
	case "seed":
		s.Seed, err = strconv.ParseUint(value, 10, 64)
	default:
		return fmt.Errorf("sampling: unknown setting %q; settings are o, window, cost, times and seed", key)
	}
	if err != nil {
		return fmt.Errorf("sampling: %s=%s: %w", key, value, reason(err))
	}
	return nil
}

// reason is why a number could not be parsed, without the function name.
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

// UnmarshalText is [Parse].
func (s *Sampling) UnmarshalText(text []byte) (err error) {
	*s, err = Parse(string(text))
	return err
}

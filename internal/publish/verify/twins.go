// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode"
)

var errTwins = errors.New("an object has two fields whose names are equal or differ only in upper and lower case")

// twins refuses valid JSON in which an object, at any depth, has two fields whose names are
// equal or differ only in case. Package json takes the last of them, other programs the
// first or only one, so that the release would say different things to different readers.
func twins(text []byte) error {
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	type level struct {
		names map[string]bool // of an object; nil for an array
		value bool            // a name was read and its value follows
	}
	var open []level
	for {
		token, err := dec.Token()
		if err != nil {
			return ignoreEOF(err)
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if n := len(open) - 1; n >= 0 && open[n].names != nil {
			if name, _ := token.(string); !open[n].value {
				folded := strings.Map(caseless, name)
				if open[n].names[folded] {
					return errTwins
				}
				open[n].names[folded], open[n].value = true, true
				continue
			}
			open[n].value = false
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, level{})
		}
	}
}

// caseless is the least of the characters that differ from r only in case.
func caseless(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

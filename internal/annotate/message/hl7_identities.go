// SPDX-License-Identifier: Apache-2.0

package message

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"hide/internal/annotate"
)

// identity is a part as a note has it.
func (p hl7Part) identity(name string, rule hl7Rule) annotate.Identity {
	return annotate.Identity{Of: cmp.Or(p.of, rule.of), Label: p.label, Value: p.value, From: name}
}

// identities lists what the message says of people and places, each identifier once. A
// single letter or digit is not listed, as it stands in every text, unless hide wrote it.
func (m *hl7Message) identities() (list []annotate.Identity) {
	type key struct {
		of    annotate.Whose
		label annotate.Label
		value string
	}
	seen := map[key]bool{}
	for _, s := range m.segments {
		m.eachField(s, func(number, start, end int) {
			raw := s.text[start:end]
			rule := m.rule(s, number)
			if rule.action != hl7Replace || raw == "" {
				return
			}
			name := s.name + "-" + strconv.Itoa(number)
			for r := range strings.SplitSeq(raw, string(rune(m.sep.repetition))) {
				for _, part := range rule.form.parts(m.sep.components(r), rule.label) {
					i := part.identity(name, rule)
					if k := (key{i.Of, i.Label, i.Value}); !seen[k] && (s.name == "ZHI" || hl7Telling(i.Value)) {
						seen[k] = true
						list = append(list, i)
					}
				}
			}
		})
	}
	return list
}

func hl7Telling(value string) bool {
	n := 0
	for _, r := range value {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n > 1
}

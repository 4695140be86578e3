// SPDX-License-Identifier: Apache-2.0

package message

import (
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// replace writes a repetition with its identifiers replaced. What is neither an identifier
// nor the code of its type goes with them. If the policy leaves all identifiers, the
// repetition stays as it is.
func (x *hl7Redactor) replace(name, repetition string, rule hl7Rule) string {
	c := x.sep.components(repetition)
	parts := rule.form.parts(c, rule.label)
	if len(parts) == 0 {
		return x.drop(name, repetition)
	}
	out := make([]string, len(c.raw))
	replaced := make([]bool, len(c.raw))
	any := false
	for _, part := range parts {
		with, ok := x.policy.replacement(part.identity(name, rule))
		if !ok {
			continue
		}
		x.lost.Identities++
		any = true
		if part.label == "DATE" {
			with = hl7Date(with)
		}
		for n, i := range part.at {
			if i < len(out) {
				out[i], replaced[i] = "", true
				if n == 0 {
					out[i] = x.sep.encode(with)
				}
			}
		}
	}
	if !any {
		return repetition
	}
	c.restore(out, replaced, parts, rule.form.codes)
	return hl7Join(out, x.sep.component)
}

// restore puts the components that are not replaced back: identifiers that the policy leaves,
// and codes.
func (c hl7Components) restore(out []string, replaced []bool, parts []hl7Part, codes []int) {
	for _, part := range parts {
		for _, i := range part.at {
			if i < len(out) && !replaced[i] {
				out[i] = c.raw[i]
			}
		}
	}
	for _, i := range codes {
		if i < len(out) && !replaced[i] && hl7IsType(c.raw[i]) {
			out[i] = c.raw[i]
		}
	}
}

// replacement asks the policy. A policy without an answer removes identifiers.
func (p Policy) replacement(i annotate.Identity) (with string, ok bool) {
	if p.Replace == nil {
		return "", true
	}
	return p.Replace(i)
}

// codes keeps codes. A field with a word of an identifier is not one of codes: somebody has
// typed a name into it.
func (x *hl7Redactor) codes(name, repetition string) string {
	kept, lost := x.sep.hl7KeepCodes(repetition)
	if x.named(kept) {
		kept, lost = "", true
	}
	if lost && x.keeps(name) {
		return repetition
	}
	if lost {
		x.lost.Dropped[name]++
	}
	return kept
}

// named reports whether a field has a word of an identifier that the policy replaces.
func (x *hl7Redactor) named(field string) bool {
	if x.words == nil {
		x.words = wordsOf(x.identities(), x.policy)
	}
	return x.words.in(field)
}

func (x *hl7Redactor) observation(name, raw string) string {
	kept := hl7Service(raw, x.sep)
	if renamed, ok := x.observed[kept]; ok {
		return renamed
	}
	if x.named(kept) {
		kept = ""
	}
	if strings.TrimRight(raw, string(rune(x.sep.component))) != kept {
		if x.keeps(name) {
			return raw
		}
		x.lost.Dropped[name]++
	}
	return kept
}

// control gives the message a number instead of its control id, as systems put record
// numbers and times into these.
func (x *hl7Redactor) control(raw string) string {
	i := annotate.Identity{Of: annotate.OfPlace, Label: "IDNUM", Value: x.sep.decode(raw), From: "MSH-10"}
	if _, ok := x.policy.replacement(i); !ok {
		return raw
	}
	return strconv.Itoa(x.number)
}

func (x *hl7Redactor) isMessageType(raw string) bool {
	for c := range strings.SplitSeq(raw, string(rune(x.sep.component))) {
		if c != "" && !hl7IsCode(c) {
			return false
		}
	}
	return true
}

// SPDX-License-Identifier: Apache-2.0

package format

import (
	"encoding/json"
	"fmt"

	"hide/internal/annotate"
)

// Limits on the identities of one document. All of them together are limited as
// attributes are.
const (
	maxIdentities = 1000
	maxIdentity   = 64 << 10 // bytes of a value
)

// identityProblem has the code of every refusal of identities.
func identityProblem(hint, format string, args ...any) *Problem {
	return &Problem{Code: "identities", Reason: fmt.Sprintf(format, args...), Hint: hint}
}

func identityTooLong(n int) *Problem {
	return identityProblem("leave it out, or make it the text of a note", "identity %d is longer than %d KiB", n, maxIdentity>>10)
}

func identitiesTooLarge() *Problem {
	return identityProblem("keep those that you need", "the identities together are larger than %d MiB", maxAttributesSize>>20)
}

func tooManyIdentities() *Problem {
	return identityProblem("keep those that you need", "more than %d identities", maxIdentities)
}

// checkIdentities has the checks for the identities of a document of any format.
func checkIdentities(all []annotate.Identity) *Problem {
	if len(all) > maxIdentities {
		return tooManyIdentities()
	}
	size := 0
	for n, i := range all {
		size += len(i.Value) + len(i.From)
		if len(i.Value) > maxIdentity || len(i.From) > maxName {
			return identityTooLong(n + 1)
		}
		if size > maxAttributesSize {
			return identitiesTooLarge()
		}
		if checkText(i.Value) != nil || checkText(i.From) != nil {
			return identityProblem("", "identity %d holds invalid UTF-8 or control characters", n+1)
		}
		if err := annotate.CheckIdentity(i); err != nil {
			return identityProblem("each identity needs of, label and value", "identity %d: %v", n+1, err)
		}
	}
	return nil
}

// parseIdentities reads the field "identities" of a line of JSON.
func parseIdentities(raw json.RawMessage) ([]annotate.Identity, *Problem) {
	if raw == nil || raw[0] == 'n' {
		return nil, nil
	}
	if raw[0] != '[' {
		return nil, identityProblem("", `the field "identities" is not a list`)
	}
	var all []annotate.Identity
	p := walkArray(raw, func(value json.RawMessage) *Problem {
		if len(all) == maxIdentities {
			return tooManyIdentities()
		}
		if len(value) > 7*maxIdentity { // every byte as \u0000, and the other fields
			return identityTooLong(len(all) + 1)
		}
		i, p := parseIdentity(value, len(all)+1)
		all = append(all, i)
		return p
	})
	if p != nil {
		p.located = false // the offset counts from the start of the identities
	}
	return all, p
}

// parseIdentity reads identity n. It refuses unknown fields: they could hold what
// identifies a person, and nothing would redact that.
func parseIdentity(raw json.RawMessage, n int) (i annotate.Identity, p *Problem) {
	if raw[0] != '{' {
		return i, identityProblem("each identity is an object with of, label and value", "identity %d is not an object", n)
	}
	fields := map[string]*string{"of": (*string)(&i.Of), "label": (*string)(&i.Label), "value": &i.Value, "from": &i.From}
	p = walkObject(raw, func(key string, value json.RawMessage) *Problem {
		field := fields[key]
		if field == nil {
			return identityProblem("an identity has the fields of, label, value and from", "identity %d has an unknown field", n)
		}
		if value[0] != '"' {
			return identityProblem("", "field %q of identity %d is not a string", key, n)
		}
		*field = stringOf(value)
		return nil
	})
	return i, p
}

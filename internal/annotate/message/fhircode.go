// SPDX-License-Identifier: Apache-2.0

package message

import (
	"strings"
)

// concept keeps the codes of published systems, and the text if it only repeats one.
func (w *fhirWalk) concept(name string, v *jsonValue) (out []jsonField) {
	displays := map[string]bool{}
	for _, f := range v.fields {
		var kept *jsonValue
		switch {
		case f.name == "coding":
			kept = w.each(f.value, func(c *jsonValue) *jsonValue {
				coding := w.coding(name, c)
				if len(coding) == 0 {
					return nil
				}
				displays[strings.ToLower(c.field("display").str())] = true
				return object(coding...)
			})
		case f.name == "text" && displays[strings.ToLower(f.value.str())]:
			kept = f.value
		default:
			kept = w.drop(name+"."+f.name, f.value)
		}
		if kept != nil {
			out = append(out, jsonField{f.name, kept})
		}
	}
	return out
}

// coding keeps a code of a published system with its name.
func (w *fhirWalk) coding(name string, v *jsonValue) (out []jsonField) {
	if v.kind != '{' || !publicURL(v.field("system").str()) {
		if w.drop(name+".coding", v) != nil {
			return v.fields
		}
		return nil
	}
	for _, f := range v.fields {
		var ok bool
		switch f.name {
		case "system":
			ok = f.value.kind == '"'
		case "display":
			ok = f.value.kind == '"' && !w.words.in(f.value.str())
		case "code":
			ok = codeValue.MatchString(f.value.str())
		case "version":
			ok = formatValue.MatchString(f.value.str())
		case "userSelected":
			ok = f.value.kind == 'l'
		}
		out = w.keepIf(ok, out, name, f)
	}
	return out
}

// quantity keeps numbers with their units.
func (w *fhirWalk) quantity(name string, v *jsonValue) (out []jsonField) {
	for _, f := range v.fields {
		var ok bool
		switch f.name {
		case "value":
			ok = f.value.kind == '0'
		case "system":
			ok = publicURL(f.value.str())
		case "unit", "code", "comparator":
			ok = fhirUnitValue.MatchString(f.value.str())
		}
		out = w.keepIf(ok, out, name, f)
	}
	return out
}

// keepIf appends a field if it is harmless or the policy keeps it.
func (w *fhirWalk) keepIf(ok bool, out []jsonField, name string, f jsonField) []jsonField {
	if !ok && w.drop(name+"."+f.name, f.value) == nil {
		return out
	}
	return append(out, f)
}

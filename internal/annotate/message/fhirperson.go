// SPDX-License-Identifier: Apache-2.0

package message

import (
	"cmp"
	"slices"
	"strings"

	"hide/internal/annotate"
)

// person redacts what identifies people and places.
func (w *fhirWalk) person(kind fhirKind, name string, v *jsonValue, parent string, of annotate.Whose) *jsonValue {
	switch {
	case name == "authorString":
		of = annotate.OfClinician
	case of == "" && kind != fhirIdentifier:
		return w.drop(name, v) // of software, code systems and the like
	case of == "":
		of = annotate.OfPatient
	}
	return w.each(v, func(item *jsonValue) *jsonValue {
		id := annotate.Identity{Of: of, From: w.from(parent, name)}
		var out []jsonField
		switch {
		case item.kind == '"':
			return w.personString(kind, item, id)
		case item.kind != '{':
			return w.drop(name, item)
		case kind == fhirIdentifier:
			out = w.identifier(name, item, id)
		case kind == fhirName:
			out = w.name(item, id)
		case kind == fhirTelecom:
			out = w.telecom(item, id)
		default:
			out = w.address(item, id)
		}
		if len(out) == 0 {
			return nil
		}
		return object(out...)
	})
}

// personString redacts an identifier that is a string.
func (w *fhirWalk) personString(kind fhirKind, v *jsonValue, id annotate.Identity) *jsonValue {
	id.Value = v.str()
	switch kind {
	case fhirName:
		id.Label = fhirNameLabel(id.Of)
	case fhirTelecom:
		id.Label, id.Value = telecomValue(id.Value)
	case fhirAddress:
		id.Label = "LOCATION-OTHER"
	default:
		id.Label = "IDNUM"
	}
	return w.value(v, id)
}

func fhirNameLabel(of annotate.Whose) annotate.Label {
	switch of {
	case annotate.OfClinician:
		return "DOCTOR"
	case annotate.OfPlace:
		return "HOSPITAL"
	}
	return "PATIENT"
}

// value redacts a string that is an identifier; nil if nothing stands for it.
func (w *fhirWalk) value(v *jsonValue, id annotate.Identity) *jsonValue {
	if strings.TrimSpace(id.Value) == "" {
		return nil
	}
	with, replaced := w.replace(id)
	switch {
	case !replaced:
		return v
	case with == "":
		return nil
	}
	return jsonString(with)
}

// identifier redacts a number. Its system stays only if it is published, as others name the
// hospital.
func (w *fhirWalk) identifier(name string, v *jsonValue, id annotate.Identity) (out []jsonField) {
	id.Label, id.Value = w.numberLabel(v), v.field("value").str()
	ofDocument := name == "masterIdentifier" && w.values == nil // texts do not quote it
	for _, f := range v.fields {
		var kept *jsonValue
		switch {
		case f.name == "value" && f.value.kind == '"' && ofDocument:
			kept = f.value
		case f.name == "value" && f.value.kind == '"':
			kept = w.value(f.value, id)
		case f.name == "use" || f.name == "type":
			kept = w.plain(f.name, f.value, name, id.Of)
		case f.name == "system" && publicURL(f.value.str()):
			kept = f.value
		case f.name == "period":
			kept = w.date(f.name, f.value, name, id.Of)
		case f.name == "assigner":
			kept = w.plain(f.name, f.value, name, id.Of)
		default:
			kept = w.drop(name+"."+f.name, f.value)
		}
		if kept != nil {
			out = append(out, jsonField{f.name, kept})
		}
	}
	return out
}

func (w *fhirWalk) numberLabel(v *jsonValue) annotate.Label {
	for _, c := range v.field("type").field("coding").list() {
		code := c.field("code").str()
		if label := annotate.Label(code); cdaLabels.Has(label) && c.field("system").str() == labelSystem {
			return label
		}
		if label, ok := fhirNumbers[code]; ok {
			return label
		}
	}
	switch {
	case v.field("system").str() == ssnURL || strings.HasSuffix(v.field("system").str(), ssnSystem):
		return "SSN"
	case w.res.kind == "Patient":
		return "MEDICALRECORD"
	}
	return "IDNUM"
}

// name redacts a name. A replaced one has no parts any more.
func (w *fhirWalk) name(v *jsonValue, id annotate.Identity) (out []jsonField) {
	var parts []string
	for _, part := range []string{"given", "family"} {
		for _, p := range v.field(part).list() {
			parts = append(parts, p.str())
		}
	}
	id.Label = fhirNameLabel(id.Of)
	id.Value = cmp.Or(strings.TrimSpace(strings.Join(parts, " ")), v.field("text").str())
	if use := v.field("use"); use != nil {
		if kept := w.plain("use", use, "name", id.Of); kept != nil {
			out = append(out, jsonField{"use", kept})
		}
	}
	if id.Value == "" {
		return out
	}
	with, replaced := w.replace(id)
	switch {
	case !replaced:
		for _, f := range v.fields {
			if slices.Contains([]string{"text", "family", "given", "prefix", "suffix"}, f.name) {
				out = append(out, f)
			}
		}
	case with != "":
		out = append(out, jsonField{"text", jsonString(with)})
	default:
		return nil
	}
	return out
}

// telecom redacts a telephone number or another address.
func (w *fhirWalk) telecom(v *jsonValue, id annotate.Identity) (out []jsonField) {
	id.Label, id.Value = telecomValue(v.field("value").str())
	switch system := v.field("system").str(); system {
	case "phone", "pager", "sms":
		id.Label, id.Value = "PHONE", v.field("value").str()
	case "fax", "email", "url":
		id.Label, id.Value = annotate.Label(strings.ToUpper(system)), v.field("value").str()
	}
	for _, f := range v.fields {
		var kept *jsonValue
		switch f.name {
		case "value":
			kept = w.value(f.value, id)
		case "period":
			kept = w.date(f.name, f.value, "telecom", id.Of)
		case "system", "use", "rank":
			kept = w.plain(f.name, f.value, "telecom", id.Of)
		default:
			kept = w.drop("telecom."+f.name, f.value)
		}
		if kept != nil {
			out = append(out, jsonField{f.name, kept})
		}
	}
	return out
}

var fhirAddressParts = map[string]annotate.Label{
	"line": "STREET", "city": "CITY", "district": "LOCATION-OTHER", "state": "STATE", "postalCode": "ZIP", "country": "COUNTRY",
}

// address redacts an address part by part. Its text is dropped if it has parts too.
func (w *fhirWalk) address(v *jsonValue, id annotate.Identity) (out []jsonField) {
	hasParts := slices.ContainsFunc(v.fields, func(f jsonField) bool { return fhirAddressParts[f.name] != "" })
	for _, f := range v.fields {
		var kept *jsonValue
		switch {
		case fhirAddressParts[f.name] != "":
			id.Label = fhirAddressParts[f.name]
			kept = w.each(f.value, func(part *jsonValue) *jsonValue {
				id.Value = part.str()
				return w.value(part, id)
			})
		case f.name == "text" && !hasParts:
			id.Label, id.Value = "LOCATION-OTHER", f.value.str()
			kept = w.value(f.value, id)
		case f.name == "use" || f.name == "type":
			kept = w.plain(f.name, f.value, "address", id.Of)
		case f.name == "period":
			kept = w.date(f.name, f.value, "address", id.Of)
		default:
			kept = w.drop("address."+f.name, f.value)
		}
		if kept != nil {
			out = append(out, jsonField{f.name, kept})
		}
	}
	return out
}

// fhirDay is the day of a time such as 2024-01-31T12:00:00Z.
func fhirDay(time string) string {
	day, _, _ := strings.Cut(time, "T")
	return day
}

// date redacts a time or a period. A time that nothing stands for is masked.
func (w *fhirWalk) date(name string, v *jsonValue, parent string, of annotate.Whose) *jsonValue {
	switch v.kind {
	case '[':
		return w.each(v, func(item *jsonValue) *jsonValue { return w.date(name, item, parent, of) })
	case '{':
		if fields := w.fields(v, name, of); len(fields) > 0 {
			return object(fields...)
		}
		return nil
	case '"':
	default:
		return w.drop(name, v)
	}
	id := annotate.Identity{Of: annotate.OfPatient, Label: "DATE", Value: fhirDay(v.str()), From: w.from(parent, name)}
	if name == "birthDate" && of != "" {
		id.Of = of
	}
	if id.Value == "" {
		return nil
	}
	with, replaced := w.replace(id)
	switch {
	case !replaced:
		return v
	case fhirDateValue.MatchString(with):
		return jsonString(with)
	}
	return maskedTime
}

// reference redacts the address of another resource, and what it says of it.
func (w *fhirWalk) reference(name string, v *jsonValue) (out []jsonField) {
	address := v.field("reference").str()
	of := fhirRoles[name]
	if m := fhirPathValue.FindStringSubmatch(address); m != nil {
		of = fhirPeople[m[1]]
	} else if kind := v.field("type").str(); kind != "" {
		of = fhirPeople[kind]
	}
	w.refer(name, address)
	for _, f := range v.fields {
		var kept *jsonValue
		switch {
		case f.name == "reference":
			if link := w.link(address, false); link != "" {
				kept = jsonString(link)
			} else {
				kept = w.drop(f.name, f.value)
			}
		case f.name == "type" && resourceName.MatchString(f.value.str()):
			kept = f.value
		case f.name == "identifier":
			kept = w.person(fhirIdentifier, f.name, f.value, name, cmp.Or(of, annotate.OfPatient))
		case f.name == "display" && of != "" && f.value.kind == '"':
			kept = w.value(f.value, annotate.Identity{Of: of, Label: fhirNameLabel(of), Value: f.value.str(), From: w.from(name, f.name)})
		default:
			kept = w.drop(name+"."+f.name, f.value)
		}
		if kept != nil {
			out = append(out, jsonField{f.name, kept})
		}
	}
	return out
}

// refer notes the identities of the resource at an address.
func (w *fhirWalk) refer(name, address string) {
	if w.values != nil || address == "" {
		return
	}
	identities := w.res.contained[address]
	if identities == nil {
		identities = w.people.lookup(address)
	}
	if (name == "subject" || name == "patient") && w.res.subject == "" {
		w.res.subject = address[strings.LastIndexAny(address, "/:#")+1:]
		w.belongsTo(identities)
		return
	}
	for _, id := range identities {
		w.add(id)
	}
}

// belongsTo notes the identities of the patient of a resource.
func (w *fhirWalk) belongsTo(identities []annotate.Identity) {
	for _, id := range identities {
		w.add(id)
	}
	w.res.patient = patientNumber(identities, "MEDICALRECORD")
}

// link is the pseudonym of the address of a resource, empty if it has none. A full one names
// a server that does not exist.
func (w *fhirWalk) link(address string, full bool) string {
	if w.values == nil || w.keeps("id") {
		return address
	}
	if fhirUUIDValue.MatchString(address) {
		return w.people.uuid(address)
	}
	m := fhirPathValue.FindStringSubmatch(address)
	if m == nil {
		return ""
	}
	link := m[1] + "/" + w.people.pseudonym(m[1]+"/"+m[2])
	if full {
		link = "http://redacted.invalid/" + link
	}
	return link
}

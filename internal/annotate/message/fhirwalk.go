// SPDX-License-Identifier: Apache-2.0

package message

import (
	"regexp"

	"hide/internal/annotate"
)

// fhirWalk goes through resources and makes what their redacted form is. To read them is to
// do the same and keep only what was found on the way, so that both see the same texts in
// the same order.
type fhirWalk struct {
	people    *People
	policy    Policy
	values    [][]string // new values of the pieces of each text; nil while reading
	texts     []*narrator
	resources []*fhirResource
	res       *fhirResource // the one that is gone through
	lost      Lost
	words     whoWords   // of the people of the part, which are not known while reading
	out       *jsonValue // the redacted form
	tooLarge  bool       // a file is larger than a text can be
}

// fhirResource is what was found in a resource.
type fhirResource struct {
	kind       string
	of         annotate.Whose
	clinical   bool   // is about a patient
	id         string // of its notes
	patient    string
	subject    string // the last part of the address of the patient
	main       *narrator
	texts      []*narrator // in the order of their notes, main first
	skips      []Skip
	identities []annotate.Identity
	seen       map[annotate.Identity]bool
	contained  map[string][]annotate.Identity // by address within the resource
	attributes map[string]string
}

var resourceName = regexp.MustCompile(`^[A-Z][A-Za-z]{1,40}$`)

// resource returns the redacted form of a resource.
func (w *fhirWalk) resource(v *jsonValue) *jsonValue {
	outer := w.res
	defer func() { w.res = outer }()
	r := newFHIRResource(v.field("resourceType").str())
	r.id = fhirID(v)
	r.clinical = v.field("subject") != nil || v.field("patient") != nil
	w.res = r
	w.resources = append(w.resources, r)
	if w.values == nil {
		r.describe(v)
		r.contained = map[string][]annotate.Identity{}
		for _, c := range v.field("contained").list() {
			r.contained["#"+c.field("id").str()] = identitiesOf(c)
		}
		if r.kind == "Binary" {
			w.belongsTo(w.people.ofFile(v.field("id").str()))
		}
	}
	r.main = w.newText()
	return object(w.fields(v, "", r.of)...)
}

func newFHIRResource(kind string) *fhirResource {
	return &fhirResource{kind: kind, of: fhirPeople[kind], seen: map[annotate.Identity]bool{}, attributes: map[string]string{}}
}

// identitiesOf lists the identities that a resource has itself.
func identitiesOf(v *jsonValue) []annotate.Identity {
	w := fhirWalk{people: &People{}}
	w.resource(v)
	return w.resources[0].identities
}

// fhirID is the number of a document or else the address of a resource.
func fhirID(v *jsonValue) string {
	if number := v.field("masterIdentifier").field("value").str(); number != "" {
		return number
	}
	if id := v.field("id").str(); id != "" {
		return v.field("resourceType").str() + "/" + id
	}
	return ""
}

// describe notes the type and date of a resource.
func (r *fhirResource) describe(v *jsonValue) {
	for _, name := range []string{"type", "code"} {
		for _, c := range v.field(name).field("coding").list() {
			if display := c.field("display").str(); display != "" && publicURL(c.field("system").str()) && r.attributes["type"] == "" {
				r.attributes["type"] = display
			}
		}
	}
	for _, name := range []string{"date", "created", "indexed", "effectiveDateTime", "issued"} {
		if date := fhirDay(v.field(name).str()); fhirDateValue.MatchString(date) && r.attributes["date"] == "" {
			r.attributes["date"] = date
		}
	}
}

// newText begins a text of its own.
func (w *fhirWalk) newText() *narrator {
	t := &narrator{kinds: htmlNarrative, number: len(w.texts)}
	w.texts = append(w.texts, t)
	w.res.texts = append(w.res.texts, t)
	return t
}

// written is the new value of a piece of a text.
func (w *fhirWalk) written(t *narrator, piece int, was string) string {
	if w.values == nil {
		return was
	}
	return w.values[t.number][piece]
}

func (w *fhirWalk) skip(what, path string) {
	w.res.skips = append(w.res.skips, Skip{What: what, Path: path})
}

// drop counts a field that the redacted resource lacks, or returns it if the policy keeps it.
func (w *fhirWalk) drop(name string, v *jsonValue) *jsonValue {
	if w.keeps(name) {
		return v
	}
	if w.values != nil && !v.void() {
		w.lost.Dropped[name]++
	}
	return nil
}

func (w *fhirWalk) keeps(name string) bool { return w.policy.Keep[name] }

// replace asks the policy about an identifier; while reading it notes it. ok is false if
// the identifier stays.
func (w *fhirWalk) replace(id annotate.Identity) (with string, ok bool) {
	if w.values == nil {
		w.add(id)
		return "", false
	}
	if with, ok = w.policy.Replace(id); ok {
		w.lost.Identities++
	}
	return with, ok
}

func (w *fhirWalk) add(id annotate.Identity) {
	key := annotate.Identity{Of: id.Of, Label: id.Label, Value: id.Value}
	if !w.res.seen[key] {
		w.res.seen[key] = true
		w.res.identities = append(w.res.identities, id)
	}
}

// from names the place of an identity: "Patient.contact.name".
func (w *fhirWalk) from(parent, name string) string {
	if parent != "" {
		name = parent + "." + name
	}
	return w.res.kind + "." + name
}

// fields returns the redacted fields of an object within the element parent.
func (w *fhirWalk) fields(v *jsonValue, parent string, of annotate.Whose) []jsonField {
	var kept []jsonField
	for _, f := range v.fields {
		if parent == "" && f.name == "resourceType" && resourceName.MatchString(f.value.str()) {
			kept = append(kept, f)
			continue
		}
		name, value := f.name, w.field(v, f, parent, of)
		if value == maskedTime {
			name, value = "_"+name, object(jsonField{"extension", list1(
				object(jsonField{"url", jsonString(absentURL)}, jsonField{"valueCode", jsonString("masked")}))})
		}
		if value != nil {
			kept = append(kept, jsonField{name, value})
		}
	}
	return kept
}

// maskedTime stands for a time that is not told. The field is replaced by one that says so, as
// FHIR demands some times.
var maskedTime = &jsonValue{kind: 'l', raw: "null"}

// field returns the redacted value of a field, nil if there is none.
func (w *fhirWalk) field(owner *jsonValue, f jsonField, parent string, of annotate.Whose) *jsonValue {
	v := f.value
	if f.name == "id" && parent == "" && v.kind == '"' {
		return w.ownID(v)
	}
	switch kind := fhirKindOf(w.res.kind, parent, f.name); kind {
	case fhirPlain:
		return w.plain(f.name, v, parent, of)
	case fhirDate:
		return w.date(f.name, v, parent, of)
	case fhirIdentifier, fhirName, fhirTelecom, fhirAddress:
		return w.person(kind, f.name, v, parent, of)
	case fhirAttachment:
		return w.each(v, func(item *jsonValue) *jsonValue { return w.attachment(f.name, item, parent) })
	case fhirData:
		return w.binary(owner, f)
	case fhirText, fhirTitle:
		return w.text(kind, f.name, v, of)
	case fhirNarrative:
		return w.narrative(f.name, v, parent)
	case fhirNested:
		if v.kind == '{' {
			return w.resource(v)
		}
	case fhirFileType:
		return w.contentType(v)
	case fhirLink:
		if link := w.link(v.str(), true); link != "" {
			return jsonString(link)
		}
	}
	return w.drop(f.name, v)
}

// ownID is the pseudonym of a resource.
func (w *fhirWalk) ownID(v *jsonValue) *jsonValue {
	if w.values == nil || w.keeps("id") {
		return v
	}
	return jsonString(w.people.pseudonym(w.res.kind + "/" + v.str()))
}

// each applies change to a value, or to each item of a list.
func (w *fhirWalk) each(v *jsonValue, change func(*jsonValue) *jsonValue) *jsonValue {
	if v.kind != '[' {
		return change(v)
	}
	out := &jsonValue{kind: '['}
	for _, item := range v.items {
		if item = change(item); item != nil && item != maskedTime {
			out.items = append(out.items, item)
		}
	}
	if len(out.items) == 0 {
		return nil
	}
	return out
}

// plain returns a code, number, concept, quantity or reference, or an element of elements.
func (w *fhirWalk) plain(name string, v *jsonValue, parent string, of annotate.Whose) *jsonValue {
	switch v.kind {
	case '[':
		return w.each(v, func(item *jsonValue) *jsonValue { return w.plain(name, item, parent, of) })
	case '{':
		return w.element(name, v, parent, of)
	case '"':
		if !fhirCodes[name] || !fhirCodeValue.MatchString(v.str()) {
			return w.drop(name, v)
		}
	}
	return v
}

// element recognizes an object by the fields that it has.
func (w *fhirWalk) element(name string, v *jsonValue, parent string, of annotate.Whose) *jsonValue {
	var out []jsonField
	switch {
	case isReference(v):
		out = w.reference(name, v)
	case v.field("coding") != nil, w.isConcept(name, v):
		out = w.concept(name, v)
	case only(v, "system", "version", "code", "display", "userSelected"):
		out = w.coding(name, v)
	case only(v, "value", "comparator", "unit", "system", "code") && v.field("value") != nil && v.field("value").kind == '0':
		out = w.quantity(name, v)
	default:
		if name == "contact" {
			of = annotate.OfClinician
			if w.res.kind == "Patient" {
				of = annotate.OfRelative
			}
		}
		out = w.fields(v, name, of)
	}
	if len(out) == 0 {
		return nil
	}
	return object(out...)
}

func isReference(v *jsonValue) bool {
	if v.field("reference").str() != "" {
		return true
	}
	number := v.field("identifier")
	return only(v, "type", "identifier", "display") && (v.field("display") != nil || number != nil && number.kind == '{')
}

// isConcept recognizes a concept without codes. An answer to a question, say, has a text too.
func (w *fhirWalk) isConcept(name string, v *jsonValue) bool {
	return only(v, "text") && v.field("text").str() != "" && fhirKindOf(w.res.kind, name, "text") == fhirNarrative
}

// only reports whether an object has fields, and none but these.
func only(v *jsonValue, names ...string) bool {
	for _, f := range v.fields {
		known := f.name == "id" || f.name == "extension"
		for _, name := range names {
			known = known || f.name == name
		}
		if !known {
			return false
		}
	}
	return len(v.fields) > 0
}

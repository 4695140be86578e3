// SPDX-License-Identifier: Apache-2.0

package message

import (
	"slices"
	"strings"

	"hide/internal/annotate"
)

var cdaLabels = annotate.I2B2()

const ssnSystem = "2.16.840.1.113883.4.1" // OID of social security numbers

// cdaContext is what the elements around an element say of it.
type cdaContext struct {
	of    annotate.Whose
	place annotate.Label // label of the name of a place
	role  string         // "recordTarget", "guardian"; empty for the document itself
}

// enter is the context within n.
func (c cdaContext) enter(n *xmlNode) cdaContext {
	e := cdaElements[n.name]
	if e.of != "" {
		c.of, c.place = e.of, "HOSPITAL"
	}
	if e.label != "" {
		c.place = e.label
	}
	if e.role {
		c.role = n.name
	}
	if n.name == "associatedEntity" && clinicalParticipants[n.attr("classCode")] {
		c.of = annotate.OfClinician
	}
	return c
}

// cdaIdentity is the identifier that a leaf of the header is, in the context of the
// elements around it; false if it has none.
func (c cdaContext) cdaIdentity(n *xmlNode) (annotate.Identity, bool) {
	id := annotate.Identity{Of: c.of, From: strings.TrimPrefix(c.role+"."+n.name, ".")}
	if id.Of == "" {
		id.Of = annotate.OfPatient // number and date of the document
	}
	switch cdaElements[n.name].kind {
	case cdaID:
		id.Label, id.Value = c.number(n)
	case cdaTime:
		id.Label, id.Value = "DATE", isoDate(n.attr("value"))
		if n.name != "birthTime" {
			id.Of = annotate.OfPatient
		}
	case cdaName:
		id.Label, id.Value = c.nameLabel(), personName(n)
	case cdaTelecom:
		id.Label, id.Value = telecomValue(n.attr("value"))
	}
	return id, id.Value != ""
}

// addressPart is the identifier in a part of an address, or in text between its parts.
func (c cdaContext) addressPart(n *xmlNode) (annotate.Identity, bool) {
	id := annotate.Identity{Of: c.of, Label: "LOCATION-OTHER", Value: n.words(), From: c.role + ".addr"}
	if n.name != "" {
		id.Label = cdaAddress[n.name]
	}
	return id, id.Label != "" && id.Value != ""
}

func (c cdaContext) nameLabel() annotate.Label {
	switch {
	case c.of == annotate.OfPlace || c.role == "birthplace":
		return c.place
	case c.of == annotate.OfClinician:
		return "DOCTOR"
	}
	return "PATIENT"
}

// number is the label and value of an id. The name of an authority that is a label says
// which number it is, as fresh documents of this package do.
func (c cdaContext) number(n *xmlNode) (annotate.Label, string) {
	value := n.attr("extension")
	if value == "" {
		value = n.attr("root")
	}
	authority := annotate.Label(n.attr("assigningAuthorityName"))
	switch {
	case cdaLabels.Has(authority):
		return authority, value
	case n.attr("root") == ssnSystem:
		return "SSN", value
	case c.role == "recordTarget":
		return "MEDICALRECORD", value
	}
	return "IDNUM", value
}

// personName is a name as "Given Middle Family", without titles; or the text of a name
// without parts.
func personName(n *xmlNode) string {
	var given, family []string
	for _, k := range n.kids {
		switch k.name {
		case "given":
			given = append(given, k.words())
		case "family":
			family = append(family, k.words())
		}
	}
	if parts := strings.Join(slices.Concat(given, family), " "); strings.TrimSpace(parts) != "" {
		return strings.TrimSpace(parts)
	}
	return n.words()
}

// telecomValue is the label of an address of telecommunication, and the address without its
// scheme.
func telecomValue(url string) (annotate.Label, string) {
	url = strings.TrimFunc(url, isXMLSpace)
	scheme, rest, found := strings.Cut(url, ":")
	rest = strings.TrimFunc(rest, isXMLSpace)
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp":
		if found {
			return "URL", url
		}
	case "tel", "sms":
		if found {
			return "PHONE", rest
		}
	case "fax":
		if found {
			return "FAX", rest
		}
	case "mailto":
		if found {
			return "EMAIL", rest
		}
	}
	if strings.Contains(url, "@") {
		return "EMAIL", url
	}
	return "PHONE", url
}

// isoDate is the date of a time such as 20050329171504-0500: 2005-03-29. What is not such a
// time stays as it is, so that it is still an identifier.
func isoDate(v string) string {
	v = strings.TrimFunc(v, isXMLSpace)
	digits := 0
	for digits < len(v) && v[digits] >= '0' && v[digits] <= '9' {
		digits++
	}
	switch {
	case digits >= 8:
		return v[:4] + "-" + v[4:6] + "-" + v[6:8]
	case digits == 6 && len(v) == 6:
		return v[:4] + "-" + v[4:]
	}
	return v
}

// cdaDate is an ISO date, or its first part, as a time of a document; empty if it is not one.
func cdaDate(iso string) string {
	digits := strings.ReplaceAll(iso, "-", "")
	for _, r := range digits {
		if r < '0' || r > '9' {
			return ""
		}
	}
	if len(digits) != 4 && len(digits) != 6 && len(digits) != 8 || isoDate(digits) != iso {
		return ""
	}
	return digits
}

// cdaIdentities lists the identifiers of the header and of the people in sections, in the
// order of the document and each once. Numbers of the document itself are not among them:
// texts do not quote them.
func cdaIdentities(root *xmlNode) []annotate.Identity {
	var all []annotate.Identity
	seen := map[annotate.Identity]bool{}
	add := func(id annotate.Identity, ok bool) {
		key := annotate.Identity{Of: id.Of, Label: id.Label, Value: id.Value}
		if ok && !seen[key] {
			seen[key] = true
			all = append(all, id)
		}
	}
	var walk func(n *xmlNode, c cdaContext)
	walk = func(n *xmlNode, c cdaContext) {
		switch e := cdaElements[n.name]; {
		case e.kind == cdaBranch:
			c = c.enter(n)
		case e.kind == cdaAddr:
			for _, k := range n.kids {
				add(c.addressPart(k))
			}
			return
		case e.kind == cdaID && c.role == "":
			return
		case e.kind == cdaName, e.kind == cdaTelecom, e.kind == cdaID:
			add(c.cdaIdentity(n))
			return
		case e.kind == cdaTime:
			add(c.cdaIdentity(n)) // and low and high in it
		case n != root:
			return
		}
		for _, k := range n.kids {
			walk(k, c)
		}
	}
	walk(root, cdaContext{})
	return all
}

// SPDX-License-Identifier: Apache-2.0

package note

import (
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/known"
	"hide/web/ui"
)

// knownIdentity is an identity as the page lists it.
type knownIdentity struct {
	annotate.Identity
	found int // how often the note has it, in any form
}

// openKnown is up to how many identities are listed without a click.
const openKnown = 6

// knownIdentities lists what structured data says of the people in the note, each value once,
// with the places that it came from. A note that is annotated without suggestions has none.
func (v noteView) knownIdentities() []knownIdentity {
	if v.Blind {
		return nil
	}
	var all []knownIdentity
	var identities []annotate.Identity
	for _, i := range v.Document.Identities {
		at := slices.IndexFunc(all, func(k knownIdentity) bool { return k.Of == i.Of && k.Label == i.Label && k.Value == i.Value })
		if at >= 0 {
			if !slices.Contains(strings.Split(all[at].From, ", "), i.From) {
				all[at].From += ", " + i.From
			}
			continue
		}
		all, identities = append(all, knownIdentity{Identity: i}), append(identities, i)
	}
	for _, m := range known.Find(v.Document.Text, identities) {
		all[m.Identity].found++
	}
	return all
}

// kindWords say what an identity is. The labels of names say whose they are, which stands
// beside it.
func (k knownIdentity) kindWords() string {
	switch k.Label {
	case "PATIENT", "DOCTOR", "HOSPITAL", "ORGANIZATION":
		return "name"
	case "MEDICALRECORD":
		return "record number"
	case "IDNUM":
		return "number"
	case "SSN":
		return "social security number"
	case "HEALTHPLAN":
		return "health plan number"
	case "ACCOUNT", "LICENSE", "DEVICE", "VEHICLE":
		return ui.LabelWords(k.Label) + " number"
	}
	return ui.LabelWords(k.Label)
}

// foundWords say how often the note has an identity.
func (k knownIdentity) foundWords() string {
	if k.found == 0 {
		return "not in the note"
	}
	return ui.Count(k.found, "time", "times")
}

// SPDX-License-Identifier: Apache-2.0

package account

// Role is what a person may do. Names are stored: do not change them.
type Role string

// The roles, from most to least allowed.
const (
	Admin     Role = "admin"     // everything, and people
	Broker    Role = "broker"    // projects, import, annotate, train, sanitize, publish
	Annotator Role = "annotator" // read notes and annotate them
	Reviewer  Role = "reviewer"  // released text and figures only, never an identified note
)

// Permission is one kind of act that roles are asked about.
type Permission string

// The permissions.
const (
	ManagePeople Permission = "manage people"
	ManageWork   Permission = "manage projects, import and export"
	ReadNotes    Permission = "read identified notes"
	Annotate     Permission = "annotate"
	Sanitize     Permission = "sanitize and publish"
	SeeFigures   Permission = "see figures and releases"
	ReadAudit    Permission = "read the audit trail"
)

var granted = map[Role][]Permission{
	Admin:     {ManagePeople, ManageWork, ReadNotes, Annotate, Sanitize, SeeFigures, ReadAudit},
	Broker:    {ManageWork, ReadNotes, Annotate, Sanitize, SeeFigures, ReadAudit},
	Annotator: {ReadNotes, Annotate},
	Reviewer:  {SeeFigures},
}

// Can reports whether the role grants p. An unknown role grants nothing.
func (r Role) Can(p Permission) bool {
	for _, g := range granted[r] {
		if g == p {
			return true
		}
	}
	return false
}

// User is a person with an account.
type User struct {
	ID       string `json:"id"`   // random, never reused; what audit rows carry
	Name     string `json:"name"` // what they sign in with, unique regardless of case
	Role     Role   `json:"role"`
	Disabled bool   `json:"disabled"`
}

// SPDX-License-Identifier: Apache-2.0

package trail

import (
	"slices"
	"strings"
)

// group is a set of actions of audit rows that people look for together.
type group struct {
	name     string
	actions  []string
	prefixes []string
}

// groups are tried in this order: an action is in the first that has it.
var groups = []group{
	{
		name:     "sign-ins",
		actions:  []string{"account.sign-in-link", "account.first-link", "account.break-glass", "token.use", "api.request"},
		prefixes: []string{"session."},
	},
	{
		name:     "accounts",
		actions:  []string{"add member", "change member", "remove member", "invite member", "take in members"},
		prefixes: []string{"account.", "token."},
	},
	{
		name:    "edits",
		actions: []string{"tag", "tag-all", "remove", "relabel", "resize", "accept", "reject", "finish", "reopen", "undo", "redo", "note.edit"},
	},
	{
		name:    "reading",
		actions: []string{"read", "document.read", "read passage", "search text"},
	},
	{
		name:     "exports and releases",
		actions:  []string{"export", ExportAction, "release", "begin release", "freeze candidate", "drop candidate", "read candidate file", "sign statement"},
		prefixes: []string{"download ", "take ", "publish ", "withdraw", "supersede", "add recipient"},
	},
	{
		name:     "imports and removals",
		actions:  []string{"import", "create project", "destroy project", "empty bin", "purge", "delete note", "restore note", "erase note", "remove notes", "remove patient"},
		prefixes: []string{"begin import", "finish import", "forget import", "undo import", "restore import", "erase import", "drop import"},
	},
	{
		name:     "keys and backups",
		actions:  []string{"backup", "delete backups", "key rotated", "root key rotated", "rotate key", "export secrets", "import secrets", "make signing key", "create space", "destroy space"},
		prefixes: []string{"store.", "audit."},
	},
}

// otherGroup has the actions of no other group: settings, trainings, runs, drafts, reviews.
const otherGroup = "other work"

// Groups are the names of the groups of actions.
func Groups() []string {
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
	}
	return append(names, otherGroup)
}

// GroupOf is the group of an action.
func GroupOf(action string) string {
	for _, g := range groups {
		if slices.Contains(g.actions, action) || slices.ContainsFunc(g.prefixes, func(p string) bool { return strings.HasPrefix(action, p) }) {
			return g.name
		}
	}
	return otherGroup
}

// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Scope is a kind of use that a token may allow. A scope never grants more than the role of
// the person does. Scopes are stored: do not change their text.
type Scope string

// The scopes.
const (
	ScopeReadNotes    Scope = "notes:read"
	ScopeWriteNotes   Scope = "notes:write"
	ScopeExport       Scope = "export"
	ScopeRedact       Scope = "redact"
	ScopeRuns         Scope = "runs"
	ScopeReadReleases Scope = "releases:read"
	ScopePublish      Scope = "releases:write"
	ScopeReadAudit    Scope = "audit:read"
)

// knownScope is a scope with what it allows.
type knownScope struct {
	scope Scope
	words string
	notes bool // requests or answers hold identified text
}

// knownScopes are all scopes, in the order of lists.
var knownScopes = []knownScope{
	{ScopeReadNotes, "Read notes, their spans and suggestions.", true},
	{ScopeWriteNotes, "Import notes, edit spans, decide suggestions, finish and reopen notes.", true},
	{ScopeExport, "Export annotated notes with their text.", true},
	{ScopeRedact, "Redact notes with a redaction model of the project.", true},
	{ScopeRuns, "Start, cancel and read trainings and runs.", false},
	{ScopeReadReleases, "List releases and candidates, and download released files.", false},
	{ScopePublish, "Publish releases, under the same conditions as on the page.", false},
	{ScopeReadAudit, "Read the audit trail.", false},
}

// Scopes are all scopes, in the order of lists.
func Scopes() []Scope {
	all := make([]Scope, len(knownScopes))
	for i, k := range knownScopes {
		all[i] = k.scope
	}
	return all
}

// known finds what is known of a scope; the zero value for an unknown one.
func (s Scope) known() knownScope {
	for _, k := range knownScopes {
		if k.scope == s {
			return k
		}
	}
	return knownScope{}
}

// Words say what a scope allows, "" for an unknown one.
func (s Scope) Words() string { return s.known().words }

// HandlesNotes reports whether requests or answers of the scope hold identified text.
func (s Scope) HandlesNotes() bool { return s.known().notes }

// ErrScope is returned for a token without a scope, or with an unknown one.
var ErrScope = errors.New("a token has at least one scope; scopes are " + scopeList())

func scopeList() string { return ScopeText(Scopes(), ", ") }

// ScopeText is the scopes in one line.
func ScopeText(scopes []Scope, separator string) string {
	all := make([]string, len(scopes))
	for i, s := range scopes {
		all[i] = string(s)
	}
	return strings.Join(all, separator)
}

// SplitScopes reads scopes with commas between them. CreateToken checks them.
func SplitScopes(text string) (scopes []Scope) {
	for _, s := range strings.Split(text, ",") {
		scopes = append(scopes, Scope(strings.TrimSpace(s)))
	}
	return scopes
}

// cleanScopes are the scopes once each, in the order of lists, or ErrScope.
func cleanScopes(scopes []Scope) ([]Scope, error) {
	for _, s := range scopes {
		if s.Words() == "" {
			return nil, fmt.Errorf("unknown scope %q: %w", shortened(string(s)), ErrScope)
		}
	}
	clean := slices.DeleteFunc(Scopes(), func(s Scope) bool { return !slices.Contains(scopes, s) })
	if len(clean) == 0 {
		return nil, ErrScope
	}
	return clean, nil
}

// shortened bounds what an error repeats of a request.
func shortened(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "..."
	}
	return text
}

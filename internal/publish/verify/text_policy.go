// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// policyName is the file of a policy, and policySchema its schema.
const (
	policyName   = "policy.json"
	policySchema = "hide policy 1"
	policyLimit  = 1 << 20
)

// policyClaim names the policy of a release.
type policyClaim struct {
	Name    string            `json:"name"`
	Version int               `json:"version"`
	Basis   string            `json:"basis"`
	SHA256  string            `json:"sha256"`
	Means   map[string]string `json:"means,omitempty"` // label of the default set, of labels that are none
}

// Signed is the statement that a person signed for a release.
type Signed struct {
	Text string `json:"text"`
	By   string `json:"by"`
	At   string `json:"at"`
}

// policyFile is policy.json, its fields in the order of the file.
type policyFile struct {
	Schema      string       `json:"schema"`
	Name        string       `json:"name"`
	Version     int          `json:"version"`
	Basis       string       `json:"basis"`
	Title       string       `json:"title"`
	About       []string     `json:"about"`
	Placeholder string       `json:"placeholder"`
	Repeat      string       `json:"repeat"`
	Shift       *policyShift `json:"shift,omitempty"`
	Rules       []policyRule `json:"rules"`
}

type policyShift struct {
	Days  int  `json:"days"`
	Weeks bool `json:"weeks,omitempty"`
}

type policyRule struct {
	Label  string `json:"label"`
	Action string `json:"action"`
	To     string `json:"to,omitempty"`
	Why    string `json:"why,omitempty"`
}

// Policy is what a release says of the policy that it follows.
type Policy struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Basis   string `json:"basis"`
	Title   string `json:"title"`
	SHA256  string `json:"sha256"` // of policy.json
	// Means says which label of the default set a label of the release is treated as, "" for
	// OTHER. Labels of the default set mean themselves.
	Means  map[string]string `json:"means,omitempty"`
	Signed *Signed           `json:"signed,omitempty"`
	Agreed []string          `json:"agreed,omitempty"`
	Like   string            `json:"like,omitempty"` // the earlier release whose numbers it continues
}

// ID names the policy with its version: "safe-harbor 1".
func (p Policy) ID() string { return p.Name + " " + strconv.Itoa(p.Version) }

// Lines say for people what a release claims of its policy.
func (p Policy) Lines() []string {
	out := []string{"policy " + p.ID() + " (" + p.Title + "), basis " + p.Basis}
	for _, label := range slices.Sorted(maps.Keys(p.Means)) {
		out = append(out, fmt.Sprintf("  label %s is treated as %s", label, cmp.Or(p.Means[label], "OTHER")))
	}
	if s := p.Signed; s != nil {
		out = append(out, "signed by "+s.By+" at "+s.At+": "+s.Text)
	}
	if len(p.Agreed) > 0 {
		out = append(out, strconv.Itoa(len(p.Agreed))+" items of a data use agreement were confirmed")
	}
	if p.Like != "" {
		out = append(out, "numbers of notes continue those of "+p.Like)
	}
	return out
}

// checkPolicy checks the policy file, that the policy keeps to its basis, and that the release
// says what the basis demands.
func (c *textChecker) checkPolicy() {
	claim := c.claims.Policy
	if claim == nil {
		if c.claims.Signed != nil || c.claims.Agreed != nil || c.claims.Like != "" {
			c.Add(manifestName, "has claims of a policy, but names none")
		}
		return
	}
	p := c.readPolicy()
	if p == nil {
		return
	}
	if p.Name != claim.Name || p.Version != claim.Version || p.Basis != claim.Basis || p.Placeholder != c.claims.Placeholder {
		c.Add(manifestName, "claims another policy than the one in %s", policyName)
	}
	c.policy = p
	c.report.Policy = &Policy{Name: p.Name, Version: p.Version, Basis: p.Basis, Title: p.Title, SHA256: claim.SHA256, Means: claim.Means, Signed: c.claims.Signed, Agreed: c.claims.Agreed, Like: c.claims.Like}
	c.report.Report.policy = c.report.Policy
	for _, what := range p.problems() {
		c.Add(policyName, "%s", what)
	}
	for _, label := range slices.Sorted(maps.Keys(claim.Means)) {
		if standard(label) {
			c.Add(manifestName, "claims that %s means another label, but it is one of the default set", label)
		}
	}
	for _, what := range c.basisProblems(p.Basis) {
		c.Add(manifestName, "%s", what)
	}
}

// readPolicy reads the file that is claimed; nil if it cannot be.
func (c *textChecker) readPolicy() *policyFile {
	text, err := c.read(policyName, policyLimit)
	if err != nil {
		c.Add(policyName, "%v", err)
		return nil
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != c.claims.Policy.SHA256 {
		c.Add(policyName, "does not have the SHA-256 that is claimed")
	}
	p := &policyFile{}
	if err := strict(text, p); err != nil {
		c.Add(policyName, "%v", err)
		return nil
	}
	var again bytes.Buffer
	enc := json.NewEncoder(&again)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(p) != nil || !bytes.Equal(again.Bytes(), text) {
		c.Add(policyName, "is not written as it should be")
	}
	return p
}

// problems are why the policy is none, or breaks its basis.
func (p *policyFile) problems() (out []string) {
	if p.Schema != policySchema {
		out = append(out, "has another schema than "+policySchema)
	}
	if p.Name == "" || p.Version < 1 || !slices.Contains([]string{safeHarbor, limitedDataSet, statistical, own}, p.Basis) {
		out = append(out, "has no name, version or known basis")
	}
	seen, shifts := map[string]bool{}, false
	for _, r := range p.Rules {
		if seen[r.Label] || !slices.Contains(actions, r.Action) || (r.To != "") != (r.Action == generalize) {
			out = append(out, "has two rules for "+r.Label+", or one that is none")
		}
		seen[r.Label] = true
		shifts = shifts || r.Action == shift
		if what := forbidden(p.Basis, r.Label, r.Action, r.To); what != "" {
			out = append(out, what)
		}
	}
	for _, label := range listedLabels() {
		if !seen[label] {
			out = append(out, "has no rule for "+label)
		}
	}
	if shifts != (p.Shift != nil) || p.Shift != nil && p.Shift.Days < 1 {
		out = append(out, "shifts dates without a limit, or limits a shift that it has not")
	}
	return out
}

// basisProblems are what the manifest does not say although the basis of the policy demands it.
func (c *textChecker) basisProblems(basis string) (out []string) {
	if need := mustSay[basis]; !strings.Contains(c.manifest.Statement, need) {
		out = append(out, "its statement is not that of the basis "+basis)
	}
	switch basis {
	case safeHarbor:
		if s := c.claims.Signed; s == nil || s.By == "" || !strings.Contains(s.Text, "no actual knowledge") || !isTime(s.At) {
			out = append(out, "nobody signed that there is no actual knowledge, 45 CFR 164.514(b)(2)(ii)")
		}
	case limitedDataSet:
		agreed := slices.Clone(c.claims.Agreed)
		slices.Sort(agreed)
		if len(slices.Compact(agreed)) < agreementItems || slices.Contains(agreed, "") {
			out = append(out, "not every item of the data use agreement was confirmed, 45 CFR 164.514(e)(4)")
		}
		if c.callsItselfDeidentified() {
			out = append(out, "a limited data set is not de-identified, but the release calls itself so")
		}
	}
	return out
}

// callsItselfDeidentified looks at everything that the manifest and the policy say in words.
func (c *textChecker) callsItselfDeidentified() bool {
	said := slices.Concat(c.manifest.Warnings, c.policy.About, c.claims.Agreed, []string{c.manifest.Statement, c.manifest.Name, c.policy.Name, c.policy.Title})
	if s := c.claims.Signed; s != nil {
		said = append(said, s.Text)
	}
	return slices.ContainsFunc(said, func(s string) bool {
		s = strings.ReplaceAll(strings.ToLower(s), "not de-identified", "")
		return strings.Contains(s, "de-identified") || strings.Contains(s, "deidentified")
	})
}

func isTime(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// as is the label of the default set that a label of the release corresponds to, OTHER for
// none.
func (c *textChecker) as(label string) string {
	if p := c.claims.Policy; p != nil {
		if means, other := p.Means[label]; other {
			label = means
		}
	}
	if !standard(label) {
		return "OTHER"
	}
	return label
}

// standard reports whether a label is in the default set. Such a label means itself.
func standard(label string) bool { return letters[label] != "" || slices.Contains(unlisted, label) }

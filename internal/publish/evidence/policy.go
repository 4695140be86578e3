// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"encoding/json"
	"fmt"
	"time"
)

// Policy is the policy that the candidate follows, with what its basis demands.
type Policy struct {
	Name    string   `json:"name"`
	Version int      `json:"version"`
	Basis   string   `json:"basis"`
	Words   string   `json:"basis_words"`
	SHA256  string   `json:"sha256"` // of policy.json in the candidate
	Signed  *Signed  `json:"signed,omitempty"`
	Agreed  []string `json:"agreed,omitempty"` // items of the data use agreement that were confirmed
}

// Signed is the statement that a person signed.
type Signed struct {
	Text string    `json:"text"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
}

// Attack is what an attacker who goes for the patients links.
type Attack struct {
	Words   []string        `json:"words"`
	Figures json.RawMessage `json:"figures,omitempty"` // nothing is recomputed from them
}

// id names the policy with its version: "safe-harbor 1".
func (p *Policy) id() string { return fmt.Sprintf("%s %d", p.Name, p.Version) }

// words say what becomes of the identifiers of a label.
func (l Label) words() string {
	if l.Technique == "" {
		return "replaced by a placeholder that names the label"
	}
	return l.Technique
}

// replacementsHead heads the column of counts. Invented text is not counted: a reader of the
// release must not be able to tell it.
func (v view) replacementsHead() string {
	if v.Policy == nil {
		return "Placeholders"
	}
	return "Visible replacements"
}

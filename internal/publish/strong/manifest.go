// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/release"
)

// requestSchema is part of every request in a ledger. It stays as it is: the same
// request has to give the same release at no cost.
const requestSchema = "hide strong release 1"

// Neighbours is the relation that epsilon is about.
const Neighbours = "one unit more or less, with all that it contributes"

// Statement is what each release says about itself, beside its promise.
const Statement = "Strong privacy: differentially private counts, for anybody. The promise among the claims says what epsilon means, and the conditions when it holds."

// Manifest is what a release says about itself, as the ledger keeps it.
type Manifest struct {
	Schema     string          `json:"schema"`
	Tool       string          `json:"tool"`
	Created    time.Time       `json:"created"`
	Kind       release.Kind    `json:"kind"`
	Promise    string          `json:"promise"`    // in plain words
	Conditions []string        `json:"conditions"` // under which it holds
	Warnings   []string        `json:"warnings"`
	Source     string          `json:"source"` // of the domain, as the configuration says
	Neighbours string          `json:"neighbours"`
	Epsilon    ledger.Micro    `json:"micro_epsilon"`
	Receipt    ledger.Receipt  `json:"receipt"`
	Phases     []cube.Phase    `json:"phases"`
	Errors     []ExpectedError `json:"expected_errors"`
	Trends     []Trend         `json:"trends,omitempty"`
	Config     json.RawMessage `json:"config"` // an [asked]
}

// asked is what was asked for, with its defaults.
type asked struct {
	Config   any `json:"config"`
	Params   any `json:"params,omitempty"`
	Question any `json:"question,omitempty"`
}

// Claims are what a release claims.
type Claims struct {
	Promise    string          `json:"promise"`
	Conditions []string        `json:"conditions"`
	Source     string          `json:"source"`
	Neighbours string          `json:"neighbours"`
	Epsilon    ledger.Micro    `json:"micro_epsilon"`
	Receipt    ledger.Receipt  `json:"receipt"`
	Phases     []cube.Phase    `json:"phases"`
	Errors     []ExpectedError `json:"expected_errors"`
	Trends     []Trend         `json:"trends,omitempty"`
	Settings   json.RawMessage `json:"settings"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Query      string          `json:"query,omitempty"`
}

func (m Manifest) claims() (Claims, error) {
	var of struct {
		Config, Params json.RawMessage
		Question       string
	}
	err := json.Unmarshal(m.Config, &of)
	return Claims{
		m.Promise, m.Conditions, m.Source, m.Neighbours, m.Epsilon, m.Receipt, m.Phases, m.Errors, m.Trends, of.Config, of.Params, of.Question,
	}, err
}

// ExpectedError is how far a count is off, in the mean, as far as that can be said
// without the data: of the release, and what other ways would have come to for the
// same epsilon.
type ExpectedError struct {
	Question  string             `json:"question"`
	Release   float64            `json:"release"`
	Baselines map[string]float64 `json:"baselines"`
}

// Meta is what the caller knows.
type Meta struct {
	Tool string
	Now  func() time.Time
	// Opening opens the lineage's account when it has none, once nothing else can be
	// refused.
	Opening *ledger.Opening
}

// Release is one release, made or made earlier.
type Release struct {
	Manifest Manifest
	Replayed bool // it had been made before and cost nothing now
	files    []file
}

// file is kept as it is, so that a release can be written again.
type file struct {
	Name    string `json:"name"`
	Content []byte `json:"content"`
}

type stored struct {
	Manifest Manifest `json:"manifest"`
	Files    []file   `json:"files"`
}

// promise says what epsilon means.
func promise(r ledger.Receipt) string {
	return fmt.Sprintf("Whatever anybody concludes from this release, they would have concluded almost the same, each conclusion at most %s times as likely or unlikely, had any one %s not been in the data. "+
		"With the releases before it, of the same data, the factor is %s. It does not promise that nothing is learnt of a %s: what holds for all of them holds for each.",
		factor(r.Epsilon), r.Unit, factor(r.After), r.Unit)
}

// conditions hold for every release.
func conditions(r ledger.Receipt, c Common, bound int64) []string {
	unit := r.Unit
	joined := "Who each belongs to was known without error."
	if c.Unjoined > 1 {
		joined = fmt.Sprintf("Of those that were taken for different people at most %d are one %s.", c.Unjoined, unit)
	}
	if c.LeaveOutNameless {
		joined += fmt.Sprintf(" What came without the name of a %s was left out.", unit)
	}
	return []string{
		fmt.Sprintf("Each %s counts with at most %d, and the noise is for so many.", unit, bound),
		joined,
		"Domain, bins, bounds and all parameters were chosen without looking at this data.",
		"If values were extracted from text or records linked by a model, the model was not fitted to the same people.",
		alone(r),
	}
}

// alone says what else there may be of the data: nothing, unless something was released
// before.
func alone(r ledger.Receipt) string {
	if len(r.Weak) == 0 {
		return "Neither the data nor anything else computed from it is published beside the releases of this ledger."
	}
	return "Only what the releases of this ledger tell is bounded. Beside them there were, when this one was made: " + strings.Join(r.Weak, "; ") + "."
}

// warnings name what voids the promise.
func warnings(r ledger.Receipt) []string {
	out := []string{}
	if len(r.Weak) > 0 {
		out = append(out, "The promise covers this release alone and not what is known of this data by now, since these were released too: "+strings.Join(r.Weak, "; "))
	}
	out = append(out, r.Notes...)
	if r.After > 5*ledger.One {
		out = append(out, fmt.Sprintf("What was spent in all, epsilon %v, promises little.", r.After))
	}
	return out
}

// keyless warns that a condition was stated and nothing was there to check it by.
func keyless(unit string) string {
	return fmt.Sprintf("The rows carry no keys: that each is another %[1]s was stated and could not be checked, nor whether some %[1]s has a budget under another name. If it does not hold, the promise is for one row and not for a %[1]s.", unit)
}

// newRelease puts a manifest around what was made.
func newRelease(kind release.Kind, receipt ledger.Receipt, c Common, bound int64, config asked, m Meta) (Release, error) {
	raw, err := json.Marshal(config)
	return Release{Manifest: Manifest{
		Schema: requestSchema, Tool: m.Tool, Created: m.Now().UTC().Truncate(time.Second), Kind: kind,
		Promise: promise(receipt), Conditions: conditions(receipt, c, bound), Warnings: warnings(receipt), Source: c.Source,
		Neighbours: Neighbours, Epsilon: receipt.Epsilon, Receipt: receipt, Config: raw, Errors: []ExpectedError{},
	}}, err
}

func (r *Release) add(name string, content []byte) {
	r.files = append(r.files, file{name, content})
}

// encode is what the ledger keeps.
func (r *Release) encode() ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(stored{r.Manifest, r.files}); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// Decode reads what the ledger has kept.
func Decode(raw []byte) (Release, error) {
	var s stored
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err == nil {
		err = json.NewDecoder(z).Decode(&s)
	}
	if err != nil {
		return Release{}, fmt.Errorf("the stored release cannot be read: %w", err)
	}
	return Release{Manifest: s.Manifest, files: s.Files}, nil
}

// Write writes the release as a folder, which appears whole or not at all, and
// gives the SHA-256 of its manifest. The same release is the same bytes each time.
func (r Release) Write(ctx context.Context, dir string) (string, error) {
	claims, err := r.Manifest.claims()
	if err != nil {
		return "", fmt.Errorf("the stored release cannot be read: %w", err)
	}
	m := release.Manifest{
		Kind: r.Manifest.Kind, Version: r.Manifest.Tool, Created: r.Manifest.Created, Statement: Statement, Warnings: r.Manifest.Warnings, Claims: claims,
	}
	var contents []release.Content
	for _, f := range r.files {
		contents = append(contents, release.Bytes(f.Name, f.Content))
	}
	return release.Write(ctx, dir, m, contents, nil)
}

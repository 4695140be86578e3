// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"
	"time"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/release"
	"hide/internal/tabular"
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
	Conditions []string        `json:"conditions"` // of the promise
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

// asked is the request with its defaults.
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

// ExpectedError is the mean absolute error of a count, as far as it is known without the
// data: that of the release, and those of other methods with the same epsilon.
type ExpectedError struct {
	Question  string             `json:"question"`
	Release   float64            `json:"release"`
	Baselines map[string]float64 `json:"baselines"`
}

// Meta is what the caller knows.
type Meta struct {
	Tool string
	Now  func() time.Time
	// Opening opens an account for the lineage if it has none, after everything else
	// was checked.
	Opening *ledger.Opening
}

// Release is one release, made now or earlier.
type Release struct {
	Manifest Manifest
	Replayed bool // it was made earlier and costs nothing now
	files    []file
}

// file is a file of the release, which the ledger keeps to write it again.
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
	return fmt.Sprintf("Anybody who draws a conclusion from this release would have drawn almost the same one without the data of any single %[2]s: each conclusion is at most %[1]s times more or less likely. "+
		"Together with the earlier releases of the same data the factor is %[3]s. It does not promise that nothing is learnt about a %[2]s: what holds for all of them holds for each.",
		factor(r.Epsilon), r.Unit, factor(r.After))
}

// conditions hold for every release.
func conditions(r ledger.Receipt, c Common, bound int64) []string {
	unit := r.Unit
	joined := fmt.Sprintf("The %s of each row was known without error.", unit)
	if c.Unjoined > 1 {
		joined = fmt.Sprintf("At most %d of the keys belong to one %s.", c.Unjoined, unit)
	}
	if c.LeaveOutNameless {
		joined += fmt.Sprintf(" Rows without the key of a %s were left out.", unit)
	}
	return []string{
		fmt.Sprintf("Each %s contributes at most %d to the counts, and the noise is scaled to that.", unit, bound),
		joined,
		"Domain, bins, bounds and all parameters were chosen without looking at this data.",
		"If values were extracted from text or records linked by a model, the model was not fitted to the same people.",
		otherReleases(r),
	}
}

// otherReleases states which other releases of the data exist.
func otherReleases(r ledger.Receipt) string {
	if len(r.Weak) == 0 {
		return "Neither the data nor anything else computed from it is published outside of the releases of this ledger."
	}
	return "Only the releases of this ledger are bounded. When this one was made, there were also: " + strings.Join(r.Weak, "; ") + "."
}

// warnings name everything that voids or weakens the promise.
func warnings(r ledger.Receipt) []string {
	out := []string{}
	if len(r.Weak) > 0 {
		out = append(out, "The promise covers this release alone, and not everything that is known about the data, since these were released too: "+strings.Join(r.Weak, "; "))
	}
	out = append(out, r.Notes...)
	if r.After > 5*ledger.One {
		out = append(out, fmt.Sprintf("The total epsilon spent, %v, promises little.", r.After))
	}
	return out
}

// warnNoKeys warns of a condition that could not be checked.
func warnNoKeys(unit string) string {
	return fmt.Sprintf("The rows have no keys. It could not be checked that each row is another %[1]s, or that no %[1]s has a budget under another name. If that is wrong, the promise is about one row and not about a %[1]s.", unit)
}

// newRelease is a release with a manifest and without files.
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

// encode writes the release as the ledger keeps it.
func (r *Release) encode() ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := json.NewEncoder(z).Encode(stored{r.Manifest, r.files}); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// Decode reads a release that the ledger keeps.
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

// Write writes the release as a folder, which appears whole or not at all, and gives the
// SHA-256 of its manifest. The same release gives the same bytes.
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
		contents = append(contents, f.toWrite())
	}
	return release.Write(ctx, dir, m, contents, nil)
}

// toWrite is the file as a release has it. The ledger keeps the cells of tables as they are.
func (f file) toWrite() release.Content {
	if path.Ext(f.Name) != ".csv" {
		return release.Bytes(f.Name, f.Content)
	}
	return release.Content{Name: f.Name, Table: func(w *tabular.Writer) error {
		in := csv.NewReader(bytes.NewReader(f.Content))
		in.ReuseRecord = true
		for {
			record, err := in.Read()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return fmt.Errorf("the stored release cannot be read: %w", err)
			}
			if err := w.Write(record); err != nil {
				return err
			}
		}
	}}
}

// request identifies a request: equal ones get the same release.
type request struct {
	Schema string       `json:"schema"`
	Kind   release.Kind `json:"kind"`
	Config any          `json:"config"`
	Params any          `json:"params"`
}

// publication is a release before it is paid for. Only the ledger can still refuse it.
type publication struct {
	Common
	by    string           // the unit that the ledger protects; "" without a key
	what  string           // the release in a few words
	units iter.Seq[string] // keys of the people in the data
	body  request
	// outline is the release without its noisy counts.
	outline func(ledger.Receipt) (Release, error)
	draw    func(context.Context, ledger.Receipt) (Release, error)
}

// publish debits, draws the noise, and stores the release.
func (p publication) publish(ctx context.Context, l *ledger.Ledger, data io.WriterTo, e ledger.Micro, m Meta) (Release, error) {
	r, err := p.request(l, data, e)
	if err != nil {
		return Release{}, err
	}
	account, toOpen, err := payer(l, r, m)
	if err != nil {
		return Release{}, err
	}
	if err := p.rehearse(account, r); err != nil {
		return Release{}, err
	}
	if toOpen {
		if err := l.Open(*m.Opening); err != nil {
			return Release{}, err
		}
	}
	a, err := l.Publish(ctx, r, p.encoded)
	if err != nil {
		return Release{}, err
	}
	out, err := Decode(a.Bytes)
	out.Replayed = a.Replayed
	return out, err
}

// request is the request to the ledger.
func (p publication) request(l *ledger.Ledger, data io.WriterTo, e ledger.Micro) (r ledger.Request, err error) {
	r = ledger.Request{Lineage: p.Lineage, Part: p.Part, Epsilon: e, What: p.what, By: p.by}
	if r.Body, err = json.Marshal(p.body); err != nil {
		return r, err
	}
	if r.Data, err = l.Fingerprint(data); err != nil {
		return r, err
	}
	r.Units, err = l.Sketch(func(yield func(string) bool) {
		for key := range p.units {
			if !yield(key) {
				return
			}
		}
		for _, key := range p.Also {
			if !yield(key) {
				return
			}
		}
	})
	return r, err
}

// payer is the account that pays, and whether m still has to open it. An account that is
// to be opened can pay.
func payer(l *ledger.Ledger, r ledger.Request, m Meta) (a ledger.Account, toOpen bool, err error) {
	a, err = l.Account(r.Lineage)
	missing := (*ledger.NoAccountError)(nil)
	if m.Opening == nil || !errors.As(err, &missing) {
		return a, false, err
	}
	return ledger.Account{Lineage: m.Opening.Lineage, Unit: m.Opening.Unit, Limit: m.Opening.Limit}, true, l.Affords(*m.Opening, r)
}

// rehearse encodes the release without its noisy counts, so that a release that cannot be
// described fails before it is paid for.
func (p publication) rehearse(a ledger.Account, r ledger.Request) error {
	if err := r.Check(); err != nil {
		return err
	}
	out, err := p.outline(ledger.Receipt{Lineage: r.Lineage, Unit: a.Unit, Epsilon: r.Epsilon, Part: r.Part, Before: a.Spent, After: a.Spent + r.Epsilon, Limit: a.Limit})
	if err == nil {
		_, err = out.encode()
	}
	if err != nil {
		return fmt.Errorf("nothing was debited, since the release could not be described: %w", err)
	}
	return nil
}

// encoded draws the release and encodes it for the ledger.
func (p publication) encoded(ctx context.Context, receipt ledger.Receipt) ([]byte, error) {
	made, err := p.draw(ctx, receipt)
	if err != nil {
		return nil, err
	}
	if p.by == "" {
		made.Manifest.Warnings = append(made.Manifest.Warnings, warnNoKeys(receipt.Unit))
	}
	return made.encode()
}

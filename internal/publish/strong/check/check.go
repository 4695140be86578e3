// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Schema is the release that this package understands.
const Schema = "hide strong release 1"

// Report is what was found.
type Report struct {
	OK       bool            `json:"ok"`
	Kind     string          `json:"kind"`
	Epsilon  int64           `json:"micro_epsilon"`
	Counts   int             `json:"counts"` // with noise
	Files    int             `json:"files"`
	SHA256   string          `json:"manifest_sha256"`
	Promise  string          `json:"promise"`
	Receipt  json.RawMessage `json:"receipt"`
	Problems []string        `json:"problems"`
	// Ledger is whether a ledger has the debit: "" when none was asked.
	Ledger string `json:"ledger,omitempty"`
}

// Add puts a problem on the report.
func (r *Report) Add(format string, args ...any) {
	r.OK = false
	if len(r.Problems) < 100 {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

type manifest struct {
	Schema  string          `json:"schema"`
	Kind    string          `json:"kind"`
	Promise string          `json:"promise"`
	Epsilon int64           `json:"micro_epsilon"`
	Receipt json.RawMessage `json:"receipt"`
	Phases  []phase         `json:"phases"`
	Trends  []trend         `json:"trends"`
	Files   []listed        `json:"files"`
	Config  struct {
		Config config `json:"config"`
	} `json:"config"`
}

// config is what was asked for, as far as it is checked.
type config struct {
	Bound      int64       `json:"bound"`    // rows of one key; 0 is 1
	Unjoined   int64       `json:"unjoined"` // keys of one unit; 0 is 1
	Dimensions []dimension `json:"dimensions"`
	Alphabet   []string    `json:"alphabet"`
	Ordered    bool        `json:"ordered"` // the alphabet is
	Fixed      bool        `json:"fixed"`
	Separator  string      `json:"separator"`
}

type phase struct {
	Name        string  `json:"name"`
	Epsilon     int64   `json:"micro_epsilon"`
	Sensitivity int64   `json:"sensitivity"`
	Scale       float64 `json:"scale"`
	Counts      int     `json:"counts"`
}

type listed struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

type receipt struct {
	Epsilon int64 `json:"micro_epsilon"`
	Part    struct {
		Partition string `json:"partition"`
	} `json:"part"`
	Before int64 `json:"spent_before_micro_epsilon"`
	After  int64 `json:"spent_after_micro_epsilon"`
	Limit  int64 `json:"limit_micro_epsilon"`
}

const (
	manifestName = "manifest.json"
	sumsName     = "SHA256SUMS"
	mostBytes    = 4 << 30
	mostEpsilon  = 1 << 40 // in millionths: sums of phases do not wrap around
)

// ErrNoRelease is returned when there is no release of this kind to check.
var ErrNoRelease = errors.New("this is not a release with strong privacy")

// Release checks a release. What is wrong is in the report; an error means that
// something could not be read, or that this is no such release.
func Release(fsys fs.FS) (Report, error) {
	r := Report{OK: true, Problems: []string{}}
	raw, err := read(fsys, manifestName)
	if err != nil {
		return r, fmt.Errorf("%w: %w", ErrNoRelease, err)
	}
	var m manifest
	if err := json.Unmarshal(raw, &m); err != nil || m.Schema != Schema {
		return r, fmt.Errorf("%w: %s", ErrNoRelease, manifestName)
	}
	r.Kind, r.Epsilon, r.Promise, r.Receipt, r.SHA256 = m.Kind, m.Epsilon, m.Promise, m.Receipt, hash(raw)
	if err := r.files(fsys, m, raw); err != nil {
		return r, err
	}
	r.arithmetic(m)
	r.receipt(m)
	r.counts(fsys, m)
	r.trends(fsys, m)
	return r, nil
}

// table reads a file of counts, which has a row at least and as many columns in each.
func table(fsys fs.FS, name string) ([][]string, error) {
	raw, err := read(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("%s is not there", name)
	}
	rows, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("%s is no table", name)
	}
	return rows, nil
}

func read(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	raw, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err == nil && len(raw) > mostBytes {
		err = fmt.Errorf("%s has more than %d bytes", name, int64(mostBytes))
	}
	return raw, err
}

func hash(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// files compares what there is with what is listed.
func (r *Report) files(fsys fs.FS, m manifest, own []byte) error {
	sums := []string{r.SHA256 + "  " + manifestName}
	known := map[string]bool{manifestName: true, sumsName: true}
	for i, l := range m.Files {
		if known[l.Path] {
			r.Add("file %d of the manifest's list is there twice", i+1)
		}
		known[l.Path] = true
		raw, err := read(fsys, l.Path)
		switch {
		case err != nil:
			r.Add("%s is not there", l.Path)
			continue
		case int64(len(raw)) != l.Bytes || hash(raw) != l.SHA256:
			r.Add("%s is not what the manifest lists", l.Path)
		}
		sums = append(sums, l.SHA256+"  "+l.Path)
		r.Files++
	}
	slices.SortFunc(sums, func(a, b string) int { return strings.Compare(nameIn(a), nameIn(b)) })
	if raw, err := read(fsys, sumsName); err != nil || string(raw) != strings.Join(sums, "\n")+"\n" {
		r.Add("%s does not list these files", sumsName)
	}
	again := bytes.TrimSpace(own)
	if !json.Valid(again) {
		r.Add("%s is not one JSON value", manifestName)
	}
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !known[name] {
			r.Add("%s is not listed", name)
		}
		return err
	})
}

// nameIn is the file of a line of SHA256SUMS.
func nameIn(line string) string {
	_, name, _ := strings.Cut(line, "  ")
	return name
}

// arithmetic checks what is spent and how much noise that asks for.
func (r *Report) arithmetic(m manifest) {
	var sum int64
	most := max(1, m.Config.Config.Bound) * max(1, m.Config.Config.Unjoined)
	for _, p := range m.Phases {
		sum += p.Epsilon
		switch {
		case p.Epsilon < 1 || p.Sensitivity < 1 || p.Counts < 0:
			r.Add("phase %q spends nothing, or protects nobody", p.Name)
		case p.Epsilon > mostEpsilon:
			r.Add("phase %q spends more than any budget has", p.Name)
		case p.Sensitivity != most:
			r.Add("phase %q has a sensitivity of %d; of each, %d may count", p.Name, p.Sensitivity, most)
		case math.Abs(p.Scale*float64(p.Epsilon)/1e6/float64(p.Sensitivity)-1) > 1e-9:
			r.Add("phase %q has noise of scale %v; sensitivity %d and epsilon %v ask for %v", p.Name, p.Scale, p.Sensitivity, float64(p.Epsilon)/1e6, float64(p.Sensitivity)*1e6/float64(p.Epsilon))
		}
		r.Counts += p.Counts
	}
	if sum != m.Epsilon {
		r.Add("the phases spend %d millionths of epsilon, and %d are claimed", sum, m.Epsilon)
	}
}

func (r *Report) receipt(m manifest) {
	var c receipt
	if err := json.Unmarshal(m.Receipt, &c); err != nil {
		r.Add("there is no receipt of a debit")
		return
	}
	spent := c.After - c.Before
	switch {
	case c.Epsilon != m.Epsilon:
		r.Add("the receipt is about %d millionths of epsilon, and %d are claimed", c.Epsilon, m.Epsilon)
	case spent < 0 || spent > c.Epsilon || c.Part.Partition == "" && spent != c.Epsilon:
		r.Add("the receipt does not add up")
	case c.After > c.Limit:
		r.Add("the receipt spends %d of %d", c.After, c.Limit)
	}
}

// counts checks that there is a count for each time noise was drawn, and no more.
func (r *Report) counts(fsys fs.FS, m manifest) {
	want := map[string]int{}
	for i, p := range m.Phases {
		switch {
		case m.Kind == "cube" && p.Name == "cells" && len(m.Phases) == 1:
			want["cells.csv"] = p.Counts
		case p.Name == "blocks" || p.Name == "total":
			want["blocks.csv"] = p.Counts
		case m.Kind == "cube" && strings.HasPrefix(p.Name, "marginal "):
			want[fmt.Sprintf("marginal-%d.csv", i+1)] = p.Counts
		case m.Kind == "sequences":
			want["tree.csv"] += p.Counts
		case m.Kind == "query":
			want["answer.csv"] += p.Counts
		}
	}
	for name, n := range want {
		rows, err := table(fsys, name)
		if err != nil || drawn(rows) != n {
			r.Add("%s has not the %d counts that noise was drawn for", name, n)
			continue
		}
		if name == "blocks.csv" && len(m.Phases) == 2 {
			r.covers(rows, m.Phases[0].Counts)
		}
	}
}

// drawn is how many noisy counts a file is made of: one a row, but for blocks that
// say that they were put together of several.
func drawn(rows [][]string) int {
	at := slices.Index(rows[0], "noisy counts")
	if at < 0 {
		return len(rows) - 1
	}
	sum := 0
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[at])
		if err != nil || n < 1 || n > mostBytes {
			return -1
		}
		sum += n
	}
	return sum
}

// covers checks that the blocks are as many cells as there are.
func (r *Report) covers(rows [][]string, cells int) {
	at, sum := slices.Index(rows[0], "cells"), 0
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[max(0, at)])
		if err != nil || n < 1 {
			sum = -1
			break
		}
		sum += n
	}
	if sum != cells {
		r.Add("the blocks are not the %d cells that there are", cells)
	}
}

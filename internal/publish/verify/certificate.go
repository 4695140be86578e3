// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// reading is what people found in a candidate release, as an evidence pack has it.
type reading struct {
	Alpha     float64         `json:"alpha"`
	Anytime   bool            `json:"any_time"`
	Doubtful  stratum         `json:"doubtful"`
	Random    stratum         `json:"random"`
	Planned   int             `json:"planned"`
	Plants    plants          `json:"plants"`
	Readers   json.RawMessage `json:"readers"` // no bound depends on them
	Double    *double         `json:"double"`
	Labels    []labelCount    `json:"labels"`
	Unlabeled strata          `json:"unlabeled"`
	Documents units           `json:"documents"`
	Patients  units           `json:"patients"`
}

type stratum struct {
	Passages int   `json:"passages"`
	Read     int   `json:"read"`
	Found    []int `json:"found"`
}

type plants struct {
	Planned int `json:"planned"`
	Read    int `json:"read"`
	Caught  int `json:"caught"`
}

type double struct {
	First  int `json:"first"`
	Second int `json:"second"`
	Both   int `json:"both"`
}

type strata struct {
	Doubtful int `json:"doubtful"`
	Random   int `json:"random"`
}

type labelCount struct {
	Label string `json:"label"`
	strata
}

type units struct {
	Total int `json:"total"`
	Found int `json:"found"`
}

// CertificateBounds are the figures of a certificate that follow from a reading. Their
// names in JSON are those of a certificate.
type CertificateBounds struct {
	Confidence    float64          `json:"confidence"`
	Method        string           `json:"method"`
	Refusal       string           `json:"refusal,omitempty"`
	Passages      int              `json:"passages"`
	Read          int              `json:"read"`
	Found         int              `json:"found"`
	Expected      float64          `json:"expected"`
	Bound         int              `json:"bound"`
	Left          int              `json:"left"`
	Share         float64          `json:"share"`
	Exact         bool             `json:"exact"`
	DoubtfulBound int              `json:"doubtful_bound"`
	RandomBound   int              `json:"random_bound"`
	Alphas        AlphaFigures     `json:"alphas"`
	Recall        *RecallFigures   `json:"recall,omitempty"`
	Worse         *WorseFigures    `json:"worse,omitempty"`
	Labels        []LabelFigures   `json:"labels,omitempty"`
	Documents     *UnitFigures     `json:"documents,omitempty"`
	Patients      *UnitFigures     `json:"patients,omitempty"`
	TwoReaders    *EstimateFigures `json:"two_readers,omitempty"`
}

// RecallFigures are what planted identifiers show.
type RecallFigures struct {
	plants
	Rate  float64 `json:"rate"`
	Lower float64 `json:"lower"`
	Least float64 `json:"least"`
}

// AlphaFigures are the probabilities of error of the parts.
type AlphaFigures struct {
	Recall   float64 `json:"recall"`
	Doubtful float64 `json:"doubtful"`
	Random   float64 `json:"random"`
}

// WorseFigures are the bound if real identifiers are missed twice as often.
type WorseFigures struct {
	Recall float64 `json:"recall"`
	Bound  int     `json:"bound"`
	Left   int     `json:"left"`
}

// LabelFigures are the bound for one label.
type LabelFigures struct {
	Label string `json:"label"`
	Found int    `json:"found"`
	Bound int    `json:"bound"`
	Left  int    `json:"left"`
}

// UnitFigures are the bound for documents or patients.
type UnitFigures struct {
	Total int `json:"total"`
	Found int `json:"found"`
	Bound int `json:"bound"`
	Left  int `json:"left"`
}

// EstimateFigures are the estimate of Chapman.
type EstimateFigures struct {
	double
	Estimate float64 `json:"estimate"`
}

// RecomputeCertificate computes what the certificate of a reading must say. It shares no
// code with the program that made it: probabilities come from recursions, not from
// factorials, and the any-time bound sums over the passages that readers would find, not
// over those they missed. The error says what cannot be read.
func RecomputeCertificate(rawReading []byte) (*CertificateBounds, error) {
	var r reading
	in := json.NewDecoder(bytes.NewReader(rawReading))
	in.DisallowUnknownFields()
	if err := in.Decode(&r); err != nil {
		return nil, errors.New("the reading is not one: its JSON has other fields or types")
	}
	return r.certificate(), nil
}

// CheckCertificate compares a certificate with what its reading shows, and lists the
// figures that differ.
func CheckCertificate(rawReading, certificate []byte) (differences []string, err error) {
	want, err := RecomputeCertificate(rawReading)
	if err != nil {
		return nil, err
	}
	var claimed CertificateBounds
	if json.Unmarshal(certificate, &claimed) != nil {
		return nil, errors.New("the certificate is not one")
	}
	return differ("", flat(claimed), flat(*want)), nil
}

// flat is the JSON of a value as maps, lists and numbers.
func flat(v any) (out any) {
	raw, err := json.Marshal(v)
	if err != nil || json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// differ lists what is not equal, numbers with fractions within rounding.
func differ(name string, got, want any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		var out []string
		for _, key := range keysOf(g, w) {
			out = append(out, differ(name+"."+key, g[key], w[key])...)
		}
		return out
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			break
		}
		var out []string
		for i := range w {
			out = append(out, differ(fmt.Sprintf("%s %d", name, i+1), g[i], w[i])...)
		}
		return out
	case float64:
		if g, ok := got.(float64); ok && math.Abs(g-w) <= 1e-7*max(1, math.Abs(w)) {
			return nil
		}
	default:
		if got == want {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s is %s, the reading gives %s", name[1:], inWords(got), inWords(want))}
}

// inWords describes a value of JSON; lists and groups by their size.
func inWords(v any) string {
	switch v := v.(type) {
	case nil:
		return "missing"
	case map[string]any:
		return fmt.Sprintf("%d figures", len(v))
	case []any:
		return fmt.Sprintf("%d entries", len(v))
	}
	return fmt.Sprint(v)
}

func keysOf(a, b map[string]any) []string {
	var out []string
	for _, m := range []map[string]any{a, b} {
		for key := range m {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Limits of a reading, and the recall that must be shown.
const (
	mostPassages = 2_000_000
	mostRead     = 200_000
	mostPlanted  = 100_000
	mostLabels   = 1_000
	leastRecall  = .8
)

// possible reports whether the numbers of a reading fit each other.
func (r *reading) possible() bool {
	all := r.Doubtful.Passages + r.Random.Passages
	found := len(r.Doubtful.Found) + len(r.Random.Found)
	for _, s := range []stratum{r.Doubtful, r.Random} {
		last := 0
		for _, at := range s.Found {
			if at <= last || at > s.Read {
				return false
			}
			last = at
		}
		if s.Passages < 0 || s.Passages > mostPassages || s.Read < 0 || s.Read > s.Passages || s.Read > mostRead {
			return false
		}
	}
	for _, c := range append([]labelCount{{strata: r.Unlabeled}}, r.Labels...) {
		if c.Doubtful < 0 || c.Random < 0 || c.Doubtful > len(r.Doubtful.Found) || c.Random > len(r.Random.Found) {
			return false
		}
	}
	for i, u := range []units{r.Documents, r.Patients} {
		if i == 1 && u == (units{}) || i == 0 && all == 0 && u == (units{}) {
			continue
		}
		if u.Total > all || u.Total < min(1, all) && i == 0 || u.Found > u.Total || u.Found > found || u.Found < min(1, found) {
			return false
		}
	}
	if d := r.Double; d != nil && (d.Both < 0 || d.Both > d.First || d.Both > d.Second) {
		return false
	}
	p := r.Plants
	return r.Alpha > 0 && r.Alpha <= .5 && r.Planned >= 0 && r.Planned <= r.Random.Passages && (r.Anytime || r.Random.Read <= r.Planned) &&
		0 <= p.Caught && p.Caught <= p.Read && p.Read <= p.Planned && p.Planned <= mostPlanted && len(r.Labels) <= mostLabels
}

// certificate follows the rules of the documentation of certificates.
func (r *reading) certificate() *CertificateBounds {
	c := &CertificateBounds{Confidence: 1 - r.Alpha, Method: "fixed", Passages: r.Doubtful.Passages + r.Random.Passages, Read: r.Doubtful.Read + r.Random.Read, Found: len(r.Doubtful.Found) + len(r.Random.Found)}
	if r.Anytime {
		c.Method = "any-time"
	}
	if !r.possible() {
		return c.refused(r, "invalid")
	}
	onRecall, onDoubtful, onRandom := r.alphas()
	c.Alphas = AlphaFigures{onRecall, onDoubtful, onRandom}
	recall := 1.
	if r.Plants.Planned > 0 {
		recall = r.recall(onRecall)
		c.Recall = &RecallFigures{plants: r.Plants, Lower: recall, Least: leastRecall}
		if r.Plants.Read > 0 {
			c.Recall.Rate = float64(r.Plants.Caught) / float64(r.Plants.Read)
		}
	}
	c.Expected = r.expected(c.Recall)
	if d := r.Double; d != nil {
		c.TwoReaders = &EstimateFigures{*d, float64((d.First+1)*(d.Second+1))/float64(d.Both+1) - 1}
	}
	if r.Random.Passages > 0 && r.Random.Read == 0 {
		return c.refused(r, "unread")
	}
	if c.Recall != nil && recall <= leastRecall {
		return c.refused(r, "recall")
	}
	c.DoubtfulBound, c.RandomBound = r.ofDoubtful(len(r.Doubtful.Found), onDoubtful, recall), r.ofRandom(onRandom, recall)
	c.set(r, c.DoubtfulBound+c.RandomBound)
	c.Exact = c.Recall == nil && c.Read == c.Passages
	if twice := 2*recall - 1; c.Recall != nil && twice > 0 {
		bound := r.ofDoubtful(len(r.Doubtful.Found), onDoubtful, twice) + r.ofRandom(onRandom, twice)
		c.Worse = &WorseFigures{twice, bound, bound - c.Found}
	}
	for _, l := range r.Labels {
		c.Labels = append(c.Labels, r.ofLabel(l, onDoubtful/float64(len(r.Labels)), onRandom/float64(len(r.Labels)), recall))
	}
	return c
}

func (c *CertificateBounds) refused(r *reading, why string) *CertificateBounds {
	c.Refusal, c.DoubtfulBound, c.RandomBound = why, r.Doubtful.Passages, r.Random.Passages
	c.set(r, c.Passages)
	return c
}

func (c *CertificateBounds) set(r *reading, bound int) {
	c.Bound, c.Left = bound, bound-c.Found
	if c.Passages > 0 {
		c.Share = float64(c.Left) / float64(c.Passages)
	}
	of := func(u units) *UnitFigures {
		if u.Total <= 0 {
			return nil
		}
		return &UnitFigures{u.Total, u.Found, min(u.Total, u.Found+c.Left), min(u.Total, c.Left)}
	}
	c.Documents, c.Patients = of(r.Documents), of(r.Patients)
}

// alphas divide alpha: half for recall, and of the other half a fifth for the doubtful
// passages.
func (r *reading) alphas() (recall, doubtful, random float64) {
	a := r.Alpha
	switch {
	case r.Plants.Planned == 0:
		return 0, 0, a
	case r.Doubtful.Passages == 0:
		return a / 2, 0, a / 2
	case r.Random.Passages == 0:
		return a / 2, a / 2, 0
	}
	return a / 2, a / 10, a * 2 / 5
}

func (r *reading) recall(alpha float64) float64 {
	p := r.Plants
	if !r.Anytime {
		return clopperPearson(p.Planned, p.Caught, alpha)
	}
	return max(clopperPearson(p.Planned, p.Caught, alpha*4/5), recallAtEveryLook(p.Read, p.Caught, alpha/5))
}

func (r *reading) expected(recall *RecallFigures) float64 {
	if r.Random.Passages > 0 && r.Random.Read == 0 {
		return 0
	}
	n := float64(len(r.Doubtful.Found))
	if r.Random.Read > 0 {
		n += float64(len(r.Random.Found)*r.Random.Passages) / float64(r.Random.Read)
	}
	if recall != nil && recall.Rate > 0 {
		n /= recall.Rate
	}
	return min(n, float64(r.Doubtful.Passages+r.Random.Passages))
}

// ofDoubtful counts unread passages as leaking ones that were found.
func (r *reading) ofDoubtful(found int, alpha, recall float64) int {
	found += r.Doubtful.Passages - r.Doubtful.Read
	if recall >= 1 {
		return found
	}
	return wholeAtMost(r.Doubtful.Passages, found, alpha, recall)
}

func (r *reading) ofRandom(alpha, recall float64) int {
	if !r.Anytime {
		return r.ofSample(len(r.Random.Found), alpha, recall)
	}
	bound, k := r.Random.Passages, 0
	for t := 1; t <= r.Random.Read; t++ {
		if k < len(r.Random.Found) && r.Random.Found[k] == t {
			k++
		}
		bound = answersOf(r.Random.Passages, t, k, recall).descend(bound, alpha)
	}
	return max(bound, k)
}

func (r *reading) ofSample(found int, alpha, recall float64) int {
	return sampleAtMost(r.Random.Passages, r.Planned, found+r.Planned-r.Random.Read, alpha, recall)
}

func (r *reading) ofLabel(l labelCount, onDoubtful, onRandom, recall float64) LabelFigures {
	doubtful, random := min(l.Doubtful+r.Unlabeled.Doubtful, len(r.Doubtful.Found)), min(l.Random+r.Unlabeled.Random, len(r.Random.Found))
	bound := r.ofDoubtful(doubtful, onDoubtful, recall)
	switch {
	case !r.Anytime:
		bound += r.ofSample(random, onRandom, recall)
	case r.Random.Read > 0:
		bound += answersOf(r.Random.Passages, r.Random.Read, random, recall).descend(r.Random.Passages, onRandom)
	default:
		bound += r.Random.Passages
	}
	return LabelFigures{l.Label, doubtful + random, bound, bound - doubtful - random}
}

// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"math"
)

// Linkage tells how records became patients, as the release claims it. Its estimates cannot be
// recomputed from the release.
type Linkage struct {
	Linked   bool `json:"linked"`
	Records  int  `json:"records,omitempty"`
	Patients int  `json:"patients,omitempty"`
	*LinkageError
	Agreeing   int          `json:"agreeing_records,omitempty"` // that look like the same people
	Unlinked   bool         `json:"unlinked_said"`              // a person said to publish without linking them
	Duplicates *float64     `json:"expected_duplicates,omitempty"`
	Classes    *LinkageRisk `json:"classes,omitempty"`
}

// LinkageError is the estimated error of the linkage.
type LinkageError struct {
	Links     int     `json:"links"`
	Decided   int     `json:"decided"`
	Missed    float64 `json:"expected_missed"`
	False     float64 `json:"expected_false"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// LinkageRisk is the effect of missed links on the classes of a table.
type LinkageRisk struct {
	K      int     `json:"k"`
	People float64 `json:"expected_people_in_smallest_class"`
	Risk   float64 `json:"expected_risk"`
	BelowK float64 `json:"probability_that_a_class_has_fewer_than_k_people"`
}

// linkable is the number of patients and the classes in the files of a release.
type linkable struct {
	patients int // as the release counts them, or the most that it can have
	exactly  bool
	k        int // 0 without classes
	smallest int // class
}

// checkLinkage checks that the claims of a release about linkage agree with each other and with
// its files.
func (r *release) checkLinkage(of linkable) {
	l := r.manifest.Linkage
	if r.Linkage = l; l == nil {
		return
	}
	if l.Agreeing < 0 || l.Agreeing > 0 && !l.Unlinked {
		r.Add(manifestName, "records look like the same people, and nobody said to publish without linking them")
	}
	figures := l.LinkageError != nil || l.Duplicates != nil || l.Classes != nil
	if !l.Linked && (figures || l.Records != l.Patients) {
		r.Add(manifestName, "says that records were not linked, and has figures of a linkage")
	}
	switch r.Kind {
	case "cube", "sequences", "query":
		if figures || l.Records != 0 || l.Patients != 0 || l.Agreeing != 0 {
			r.Add(manifestName, "has numbers of patients without noise in what it says of linkage")
		}
		return
	}
	switch {
	case l.Patients < 1 || l.Records < l.Patients:
		r.Add(manifestName, "counts %d records as %d patients", l.Records, l.Patients)
	case of.exactly && l.Patients != of.patients, l.Patients > of.patients:
		r.Add(manifestName, "counts %d patients in what it says of linkage; the release has %d", l.Patients, of.patients)
	}
	r.checkLinkageError(l)
	r.checkLinkageRisk(l, of)
}

func (r *release) checkLinkageError(l *Linkage) {
	if e := l.LinkageError; e != nil && (e.Links < 0 || e.Decided < 0 || !(e.Missed >= 0 && e.False >= 0) || !isShare(e.Precision) || !isShare(e.Recall)) {
		r.Add(manifestName, "the error of its linkage is not a number of pairs, or not a share")
	}
	if d := l.Duplicates; d != nil && !(*d >= 0) {
		r.Add(manifestName, "the expected number of patients who count twice is negative")
	}
}

// checkLinkageRisk recomputes the risk from the expected number of people: 1 / people.
func (r *release) checkLinkageRisk(l *Linkage, of linkable) {
	c := l.Classes
	if c == nil {
		return
	}
	switch {
	case of.k == 0:
		r.Add(manifestName, "has the risk of classes, and no classes")
	case c.K != of.k:
		r.Add(manifestName, "gives the risk of linkage for k = %d, and claims k = %d", c.K, of.k)
	case !(c.People >= 1) || c.People > float64(of.smallest)+1e-9:
		r.Add(manifestName, "expects %.3g people in a smallest class of %d rows", c.People, of.smallest)
	case math.Abs(c.Risk-1/c.People) > 1e-9 || !isShare(c.BelowK):
		r.Add(manifestName, "the risk of linkage does not follow from the expected number of people")
	}
}

func isShare(x float64) bool { return x >= 0 && x <= 1 }

// Lines describe for people how records became patients.
func (l *Linkage) Lines() (out []string) {
	switch {
	case l == nil:
		return nil
	case !l.Linked:
		out = append(out, "not linked: records are counted as patients")
	case l.Patients == 0:
		out = append(out, "records of one person were linked")
	default:
		out = append(out, fmt.Sprintf("%d records are counted as %d patients", l.Records, l.Patients))
	}
	if e := l.LinkageError; e != nil {
		out = append(out, fmt.Sprintf("linkage: %d links; estimated precision %.3g, recall %.3g; %s missed and %s false links expected", e.Links, e.Precision, e.Recall, expected(e.Missed), expected(e.False)))
	}
	if d := l.Duplicates; d != nil {
		out = append(out, fmt.Sprintf("expected number of patients who count twice: %s", expected(*d)))
	}
	if c := l.Classes; c != nil {
		out = append(out, fmt.Sprintf("smallest class: %.3g people expected where k is %d, risk %.3g; a class has fewer than k people with probability %s", c.People, c.K, c.Risk, expected(c.BelowK)))
	}
	switch {
	case l.Agreeing > 0:
		out = append(out, fmt.Sprintf("%d records look like the same people, and a person said to publish without linking them", l.Agreeing))
	case l.Unlinked:
		out = append(out, "a person said to publish although records may look like the same people")
	}
	return out
}

// expected writes an expected number. Sums of probabilities leave very small amounts that mean
// nothing.
func expected(x float64) string {
	if x > 0 && x < .001 {
		return "less than 0.001"
	}
	return fmt.Sprintf("%.3g", x)
}

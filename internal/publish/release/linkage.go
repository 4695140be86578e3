// SPDX-License-Identifier: Apache-2.0

package release

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"hide/internal/outfile"
	"hide/internal/words"
)

// Linkage says how records became patients, and how far the patients that a release counts may
// be wrong. A release that costs epsilon has only Linked and Unlinked: its other figures are
// numbers of patients without noise.
type Linkage struct {
	Linked   bool `json:"linked"`             // records were linked; otherwise each counts as a patient
	Records  int  `json:"records,omitempty"`  // of the released notes: keys of patients, and notes without a key
	Patients int  `json:"patients,omitempty"` // that they count as
	*LinkageError
	// Agreeing is how many records of the project look like the same people and were not linked.
	Agreeing int `json:"agreeing_records,omitempty"`
	// Unlinked is set where a person said to publish although records agree.
	Unlinked bool `json:"unlinked_said"`
	// Duplicates is the expected number of patients too many, because pairs were missed. Nil if
	// the records were never linked: then nothing is estimated.
	Duplicates *float64     `json:"expected_duplicates,omitempty"`
	Classes    *LinkageRisk `json:"classes,omitempty"` // of a table, or of notes with a table
}

// LinkageError is the estimated error of the linkage of a project.
type LinkageError struct {
	Links     int     `json:"links"`   // pairs of records that are linked
	Decided   int     `json:"decided"` // pairs that people decided about
	Missed    float64 `json:"expected_missed"`
	False     float64 `json:"expected_false"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// LinkageRisk is what missed links mean for k-anonymity.
type LinkageRisk struct {
	K      int     `json:"k"`
	People float64 `json:"expected_people_in_smallest_class"`
	Risk   float64 `json:"expected_risk"` // 1 / People, beside the claimed 1 / K
	BelowK float64 `json:"probability_that_a_class_has_fewer_than_k_people"`
}

// Public is what a release that costs epsilon says.
func (l *Linkage) Public() Linkage { return Linkage{Linked: l.Linked, Unlinked: l.Unlinked} }

// NotLinked is what stands where figures would, if no records were linked.
const NotLinked = "Not linked: records are counted as patients."

// Words are sentences for people: how patients were counted, and what it means for the release.
func (l *Linkage) Words() (out []string) {
	switch {
	case l == nil:
		return nil
	case !l.Linked:
		out = append(out, NotLinked)
	case l.Patients == 0:
		out = append(out, "Records of one person were linked.")
	default:
		out = append(out, fmt.Sprintf("%s are counted as %s.", words.Count(l.Records, "record", "records"), words.Count(l.Patients, "patient", "patients")))
	}
	if e := l.LinkageError; e != nil {
		out = append(out, fmt.Sprintf("Of the links an estimated %s are right, and an estimated %s of all were found: %s missed and %s false links are expected.",
			words.Percent(e.Precision), words.Percent(e.Recall), number(e.Missed), number(e.False)))
	}
	if l.Duplicates != nil {
		out = append(out, fmt.Sprintf("Expected number of patients who count twice: %s.", number(*l.Duplicates)))
	}
	if l.Classes != nil {
		out = append(out, l.Classes.words())
	}
	if l.Agreeing > 0 {
		out = append(out, fmt.Sprintf("%s look like the same people, and a person said to publish without linking them.", words.Count(l.Agreeing, "record", "records")))
	} else if l.Unlinked {
		out = append(out, "A person said to publish although records may look like the same people.")
	}
	return out
}

// words compare the risk with the claimed one where they differ.
func (c *LinkageRisk) words() string {
	risk, claimed := number(c.Risk), number(1/float64(c.K))
	if risk != claimed {
		risk += " and not " + claimed
	}
	return fmt.Sprintf("The smallest class is expected to have %s people where k is %d, so the risk of the prosecutor is %s. The probability that a class has fewer than %d people is %s.",
		number(c.People), c.K, risk, c.K, number(c.BelowK))
}

// number writes a figure with three digits. Sums of probabilities leave very small amounts
// that mean nothing.
func number(x float64) string {
	if x > 0 && x < .001 {
		return "less than 0.001"
	}
	return fmt.Sprintf("%.3g", x)
}

// SetLinkage writes what the linkage means into the manifest of a release folder that nobody has
// seen yet. It returns the SHA-256 of the new manifest.
func SetLinkage(dir string, l Linkage) (sum string, err error) {
	m, claims, err := readManifest(dir)
	if err != nil {
		return "", err
	}
	m.Linkage, m.Claims = &l, claims
	text, err := m.text()
	if err != nil {
		return "", err
	}
	sha := sha256.Sum256(text)
	sum = hex.EncodeToString(sha[:])
	return sum, errors.Join(m.rewrite(dir, text, sum), outfile.SyncFolder(dir))
}

// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// Review is what a release says about the review before it. Only an evidence pack can show
// that it is true.
type Review struct {
	Rule      string `json:"rule"`      // of the project that made it, in words
	Candidate string `json:"candidate"` // hash of the files that were reviewed

	Session     int      `json:"session,omitempty"`
	Decided     string   `json:"decided,omitempty"`
	Until       string   `json:"valid_until,omitempty"`
	Approved    int      `json:"approved,omitempty"` // votes
	Refused     int      `json:"refused,omitempty"`
	Abstained   int      `json:"abstained,omitempty"`
	Conditions  []string `json:"conditions,omitempty"`
	Forecast    string   `json:"expected_before_reading,omitempty"`
	Certificate string   `json:"at_most_after_reading,omitempty"`
	Key         string   `json:"key,omitempty"` // fingerprint of the key that signs the evidence pack
}

// checkReview compares the files with those that were reviewed.
func (r *release) checkReview() {
	r.Review = r.manifest.Review
	if r.Review != nil && r.Review.Candidate != r.candidateHash() {
		r.Add(manifestName, "the files are not the candidate that was reviewed")
	}
}

// candidateHash is the SHA-256 of the lines of SHA256SUMS without that of the manifest, for
// the files as they are.
func (r *release) candidateHash() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.found)) {
		if name != sumsName && name != manifestName {
			fmt.Fprintf(h, "%s  %s\n", r.found[name].SHA256, name)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

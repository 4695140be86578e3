// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"

	"hide/internal/project/sanitize"
)

// certificateJSON is what the certificate of an L/C comes to, beside what other
// attackers of the run gain.
type certificateJSON struct {
	LC        float64           `json:"lc"`
	Certified []string          `json:"certified"` // learners that the certificate is about
	Verdict   string            `json:"verdict"`
	But       string            `json:"but,omitempty"`
	Paying    []sanitize.Paying `json:"paying,omitempty"`
	why       string
}

// certificates are those of a run, none in paper mode.
func certificates(r *sanitize.Run) []certificateJSON {
	out := []certificateJSON{}
	for _, c := range r.Choices {
		if len(c.Certificate) == 0 {
			continue
		}
		row := certificateJSON{LC: c.LC, Paying: r.Params.Paying(c)}
		row.Verdict, row.why, row.But = sanitize.CertificateWords(r.Params, c)
		for _, k := range c.Certificate {
			row.Certified = append(row.Certified, k.Learner)
		}
		out = append(out, row)
	}
	return out
}

func writeCertificates(w io.Writer, r *sanitize.Run) {
	for _, c := range certificates(r) {
		fmt.Fprintln(w, strings.TrimSpace(fmt.Sprintf("L/C %g: %s %s %s", c.LC, c.Verdict, c.why, c.But)))
	}
}

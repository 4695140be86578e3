// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"fmt"
	"strings"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
	"hide/internal/publish/release"
)

// About says which candidates with notes are meant: those of a run, those of a redaction
// model, or a single one. Only one of the fields is not 0.
type About struct {
	Run, Bundle, Candidate int
}

// Sampled is what people have read of a candidate with notes, in the newest review in which
// they read, beside the forecast. Without a review nobody has read.
type Sampled struct {
	Review      int    `json:"review,omitempty"`
	Candidate   int    `json:"candidate,omitempty"`
	Forecast    string `json:"expected_before_reading,omitempty"`
	Certificate string `json:"at_most_after_reading,omitempty"` // or why there is no certificate
	Certified   bool   `json:"certified"`
	Void        string `json:"void,omitempty"` // why it says nothing of what would be published today
}

// Counts reports whether there is a certificate of what would be published today.
func (s Sampled) Counts() bool { return s.Certified && s.Void == "" }

// Words state the certificate for who did not take part in the review; "" without one that
// counts.
func (s Sampled) Words() string {
	if !s.Counts() {
		return ""
	}
	return fmt.Sprintf("Review %d of candidate %d. %s", s.Review, s.Candidate, s.Certificate)
}

// sampled is what people have read.
func (s *Service) sampled(ws *workspace, about About) (Sampled, error) {
	if s.decided == nil {
		return Sampled{}, nil
	}
	return s.decided.Sampled(ws.Workspace, about)
}

// mostReason is the length limit of a reason in bytes.
const mostReason = 300

// Uncertified is why a release needs a certificate that it does not have: its forecast does
// not hold, and nobody has read a sample of it. It is "" otherwise. An audit of an earlier
// version counts as long as the notes are as they were.
func (s *Service) Uncertified(ctx context.Context, by account.User, id project.ID, about About) (string, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return "", err
	}
	return s.uncertified(ws, about)
}

func (s *Service) uncertified(ws *workspace, about About) (string, error) {
	bundle := about.Bundle
	if about.Candidate > 0 {
		c, err := s.StoredCandidate(ws.ID, about.Candidate)
		if err != nil || c.Kind != KindText { // notes with their fields have no forecast
			return "", err
		}
		bundle = c.Bundle
	}
	info, err := s.sanitize.StoredBundle(ws.ID, bundle)
	var run sanitize.Run
	if err == nil {
		run, err = s.sanitize.StoredRun(ws.Workspace, info.Run)
	}
	if project.KindOf(err) == project.NotFound {
		return "", nil // the run's figures are deleted, as the page says
	}
	if err != nil {
		return "", err
	}
	why := run.ForecastDoubt()
	if why == "" {
		return "", nil
	}
	if old, err := s.audit.Audited(ws.Workspace, bundle); err != nil || old != nil {
		return "", err
	}
	if read, err := s.sampled(ws, about); err != nil || read.Counts() {
		return "", err
	}
	return why, nil
}

// mayGoUncertified refuses a release that needs a certificate and has none, unless a reason is
// given, which it records.
func (s *Service) mayGoUncertified(ws *workspace, by account.User, about About, reason string) error {
	why, err := s.uncertified(ws, about)
	if err != nil || why == "" {
		return err
	}
	reason = strings.Join(strings.Fields(reason), " ")
	if reason == "" {
		return project.Obstructed(project.NotCertified, "let people read passages of a candidate in a review, or give a reason to publish without a certificate", "%s needs a certificate, because its forecast does not hold: %s", about.words(), why)
	}
	if len(reason) > mostReason {
		return project.Invalidf("use fewer words", "the reason has %d bytes; at most %d are allowed", len(reason), mostReason)
	}
	return s.projects.Record(ws.ID, project.EventBy(by, "publish uncertified", about.object(ws.ID), reason))
}

// said is what the manifest of a release without a review says of one.
func (s *Service) said(ws *workspace, r Release) (release.Review, error) {
	out := release.Review{Rule: ws.Rule().Words()}
	if r.Kind != KindText {
		return out, nil
	}
	read, err := s.sampled(ws, About{Bundle: r.Bundle})
	out.Forecast, out.Certificate = read.Forecast, read.Words()
	return out, err
}

func (a About) words() string {
	if a.Candidate > 0 {
		return fmt.Sprintf("candidate %d", a.Candidate)
	}
	return fmt.Sprintf("the release with redaction model %d", a.Bundle)
}

func (a About) object(id project.ID) string {
	if a.Candidate > 0 {
		return id.Object("candidates", a.Candidate)
	}
	return id.Object("bundles", a.Bundle)
}

// readingWarnings state what people have read of the notes with a bundle, or that nobody has
// where the forecast does not hold. Those of a candidate do not: people read it afterwards.
func (s *Service) readingWarnings(ws *workspace, info sanitize.Bundle, run *sanitize.Run, ending Ending) (out []string, err error) {
	old, err := s.audit.Audited(ws.Workspace, info.Number)
	if err != nil {
		return nil, err
	}
	if old != nil {
		out = append(out, audit.Words(*old))
	}
	read, err := s.sampled(ws, About{Bundle: info.Number})
	if err != nil {
		return nil, err
	}
	if said := read.Words(); said != "" && ending == Publish {
		return append(out, said), nil
	}
	why := run.ForecastDoubt()
	if old != nil || why == "" {
		return out, nil
	}
	said := "The forecast does not hold for these notes: " + why + "."
	if ending == Publish {
		said += " Nobody has read a sample of them, so the residual PHI is unknown."
	}
	return append(out, said), nil
}

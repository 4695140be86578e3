// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"fmt"
	"strings"

	"hide/internal/account"
	greedyaudit "hide/internal/greedy/audit"
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

	Doubt  string              `json:"doubt,omitempty"`     // why the forecast does not hold, "" if it does
	Old    *greedyaudit.Result `json:"old_audit,omitempty"` // of the newest audit of an earlier version that still holds
	Audits int                 `json:"-"`                   // of earlier versions, in the whole project
}

// Counts reports whether there is a certificate of what would be published today.
func (s Sampled) Counts() bool { return s.Certified && s.Void == "" }

// Lacks says why a certificate is missing: the forecast does not hold, and nobody has read a
// sample. It is "" if none is needed, or there is one. An audit of an earlier version counts as long as the
// notes are as they were.
func (s Sampled) Lacks() string {
	if s.Counts() || s.Old != nil {
		return ""
	}
	return s.Doubt
}

// Words state the certificate for people who did not take part in the review; "" without one that
// counts.
func (s Sampled) Words() string {
	if !s.Counts() {
		return ""
	}
	return fmt.Sprintf("Review %d of candidate %d. %s", s.Review, s.Candidate, s.Certificate)
}

// SampleRead is what people have read of the newest of these candidates that they read of,
// beside its forecast. If nobody has read, it is the forecast of the redaction model.
func (s *Service) SampleRead(ctx context.Context, by account.User, id project.ID, about About) (Sampled, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return Sampled{}, err
	}
	return s.sampled(ws, about)
}

func (s *Service) sampled(ws *workspace, about About) (out Sampled, err error) {
	if s.decided != nil {
		if out, err = s.decided.Sampled(ws.Workspace, about); err != nil {
			return out, err
		}
	}
	run, bundle, err := s.behind(ws, about)
	if err != nil {
		return out, err
	}
	if run != nil {
		out.Doubt = run.ForecastDoubt()
	}
	out.Old, out.Audits, err = s.audit.Audited(ws.Workspace, func(a audit.Audit) bool {
		return a.Bundle == bundle && bundle > 0 || a.Run == about.Run && about.Run > 0
	})
	return out, err
}

// behind is the run behind a release and the number of its redaction model. The run is nil if
// its figures are deleted, and for notes with their fields, which have no forecast.
func (s *Service) behind(ws *workspace, about About) (run *sanitize.Run, bundle int, err error) {
	number := about.Run
	if bundle = about.Bundle; about.Candidate > 0 {
		c, err := s.StoredCandidate(ws.ID, about.Candidate)
		if project.KindOf(err) == project.NotFound || err == nil && c.Kind != KindText {
			return nil, 0, nil
		} else if err != nil {
			return nil, 0, err
		}
		bundle = c.Bundle
	}
	if bundle > 0 {
		info, err := s.sanitize.StoredBundle(ws.ID, bundle)
		if project.KindOf(err) == project.NotFound {
			return nil, bundle, nil
		} else if err != nil {
			return nil, bundle, err
		}
		number = info.Run
	}
	found, err := s.sanitize.StoredRun(ws.Workspace, number)
	if project.KindOf(err) == project.NotFound {
		return nil, bundle, nil
	}
	return &found, bundle, err
}

// mostReason is the length limit of a reason in bytes.
const mostReason = 300

// mayGoUncertified refuses a release that needs a certificate and has none, unless a reason is
// given, which it records.
func (s *Service) mayGoUncertified(ws *workspace, by account.User, about About, reason string) error {
	read, err := s.sampled(ws, about)
	why := read.Lacks()
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
	if r.Kind != KindText || r.Bundle == 0 {
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
func (s *Service) readingWarnings(ws *workspace, bundle int, ending Ending) (out []string, err error) {
	read, err := s.sampled(ws, About{Bundle: bundle})
	if err != nil {
		return nil, err
	}
	if read.Old != nil {
		out = append(out, audit.Words(*read.Old))
	}
	if said := read.Words(); said != "" && ending == Publish {
		return append(out, said), nil
	}
	if read.Doubt == "" || read.Old != nil {
		return out, nil
	}
	said := "The forecast does not hold for these notes: " + read.Doubt + "."
	if ending == Publish {
		said += " Nobody has read a sample of them, so the residual PHI is unknown."
	}
	return append(out, said), nil
}

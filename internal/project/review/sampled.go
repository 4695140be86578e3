// SPDX-License-Identifier: Apache-2.0

package review

import (
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
)

// Sampled implements [release.Decisions].
func (s *Service) Sampled(p *project.Workspace, about release.About) (out release.Sampled, err error) {
	ws := s.of(p)
	all, err := project.ListJSON[Session](s.projects, ws.ID, bucketReviews)
	if err != nil {
		return out, err
	}
	for _, session := range slices.Backward(all) {
		if !session.Kind.HasText() || len(session.Draws) == 0 {
			continue
		}
		c, err := s.releases.StoredCandidate(ws.ID, session.Candidate)
		if err != nil {
			return out, err
		}
		if meant, err := s.meant(ws, c, about); err != nil || !meant {
			if err != nil {
				return out, err
			}
			continue
		}
		if out, err = s.sampledIn(ws, &session, c); err != nil || out.Review > 0 {
			return out, err
		}
	}
	switch {
	case about.Bundle > 0:
		out.Forecast, err = s.forecastWith(ws, about.Bundle)
	case about.Candidate > 0:
		out.Forecast, err = s.forecastFor(ws, about.Candidate)
	}
	return out, err
}

// forecastFor is the forecast for a candidate, in words; "" for a number that has none.
func (s *Service) forecastFor(ws *workspace, candidate int) (string, error) {
	f, err := s.forecast(ws, account.Operator(), candidate)
	if project.KindOf(err) == project.NotFound || f.Notes == 0 {
		return "", nil // a release that was never a candidate
	}
	return f.Words(), err
}

// forecastWith is the forecast for a release of all notes with a redaction model, in words; ""
// if the figures of its run are deleted.
func (s *Service) forecastWith(ws *workspace, bundle int) (string, error) {
	b, err := s.sanitize.StoredBundle(ws.ID, bundle)
	if err != nil {
		return "", err
	}
	run, err := s.sanitize.StoredRun(ws.Workspace, b.Run)
	if project.KindOf(err) == project.NotFound {
		return "", nil
	}
	o := ws.Overview()
	if c, found := run.At(b.LC); found {
		f := forecastOf(c.Outcome, run.Params.Mode, o.Documents, o.Done)
		f.hold(new(run.Validity(b.LC)))
		return f.Words(), err
	}
	return "", err
}

// meant reports whether a candidate is among those asked about.
func (s *Service) meant(ws *workspace, c release.Candidate, about release.About) (bool, error) {
	if about.Run == 0 {
		return c.Number == about.Candidate || about.Candidate == 0 && c.Bundle == about.Bundle, nil
	}
	b, err := s.sanitize.StoredBundle(ws.ID, c.Bundle)
	if project.KindOf(err) == project.NotFound {
		return false, nil
	}
	return b.Run == about.Run, err
}

// sampledIn is what people have read in a session; the zero value if nothing.
func (s *Service) sampledIn(ws *workspace, session *Session, c release.Candidate) (release.Sampled, error) {
	out := release.Sampled{Review: session.Number, Candidate: c.Number}
	b := bounded{}
	if d := session.Decision; d != nil {
		b = bounded{d.Forecast, d.Certificate, d.Bound, d.Read}
	} else {
		var err error
		if b, err = s.bound(ws, session); project.KindOf(err) == project.NotFound {
			return release.Sampled{}, nil // what was read of a dropped candidate is gone
		} else if err != nil {
			return release.Sampled{}, err
		}
	}
	if b.read == nil || b.read.Reading.Doubtful.Read+b.read.Reading.Random.Read == 0 {
		return release.Sampled{}, nil
	}
	out.Forecast, out.Certificate, out.Certified = b.forecast, b.certificate, b.left != nil
	var err error
	if d := session.Decision; d != nil && d.Outcome == Refused {
		out.Void = "the review refused the candidate"
	} else {
		out.Void, err = s.releases.Stale(ws.Workspace, c)
	}
	return out, err
}

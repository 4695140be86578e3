// SPDX-License-Identifier: Apache-2.0

package review

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"hide/internal/account"
	"hide/internal/greedy"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
	publishrelease "hide/internal/publish/release"
	"hide/internal/words"
)

// Forecast is what is expected to remain before anybody reads.
type Forecast struct {
	Known    bool
	Expected float64 // identifiers
	AtMost   float64 // upper end of the 95 % interval
	Notes    int     // of the candidate
	Finished int     // of them annotated to the end by people: what they marked is redacted
	Joint    bool    // its notes come with their fields: what they marked is redacted, generalized, or shared
	// Halves is how many more finished notes would about halve the width of the interval;
	// 0 if that is not known. The width falls with the root of their number.
	Halves   int
	Warnings []string // of its run: drift, few notes
	// Validity says whether the figures of the run hold for the candidate; nil without a redaction
	// model, and if the run is gone. If they do not hold, nothing is Known.
	Validity *publish.Validity
}

// hold withdraws a forecast that does not hold for the notes.
func (f *Forecast) hold(v *publish.Validity) {
	if f.Validity = v; f.doubted() {
		f.Known, f.Expected, f.AtMost, f.Halves = false, 0, 0, 0
	}
}

// doubted reports whether notes that only a model redacts differ from the measured ones, or may.
func (f Forecast) doubted() bool {
	return f.Validity != nil && !f.Validity.Hold && f.Finished < f.Notes
}

// Words state the forecast.
func (f Forecast) Words() string {
	if f.doubted() {
		return fmt.Sprintf("Before reading: how many identifiers remain in %s is unknown: %s.", words.Count(f.Notes-f.Finished, "unfinished note", "unfinished notes"), f.Validity.Because)
	}
	if !f.Known && !f.Joint {
		return "Before reading: there is no forecast for this candidate."
	}
	if f.Joint {
		return fmt.Sprintf("Before reading: people have annotated all %s. Everything they marked is redacted, generalized, or shared by all patients of a class. What they overlooked is not known.", words.Count(f.Notes, "note", "notes"))
	}
	if f.Finished >= f.Notes {
		return fmt.Sprintf("Before reading: people have annotated all %s, and everything they marked is redacted. What they overlooked is not known.", words.Count(f.Notes, "note", "notes"))
	}
	expected := "no identifier is"
	if n := int(math.Round(f.Expected)); n > 0 {
		expected = fmt.Sprintf("about %s", words.Count(n, "identifier is", "identifiers are"))
	}
	s := fmt.Sprintf("Before reading: %s expected to remain in %s, at most %s (95 %% interval of the forecast).",
		expected, words.Count(f.Notes-f.Finished, "unfinished note", "unfinished notes"), words.Number(int(math.Ceil(f.AtMost))))
	if f.Halves > 0 {
		s += fmt.Sprintf(" %s would about halve the interval.", words.Count(f.Halves, "more finished note", "more finished notes"))
	}
	return s
}

// ReviewForecast is the forecast of a session's candidate.
func (s *Service) ReviewForecast(ctx context.Context, by account.User, id project.ID, number int) (Forecast, error) {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return Forecast{}, err
	}
	return s.forecast(ws, by, session.Candidate)
}

func (s *Service) forecast(ws *workspace, by account.User, number int) (Forecast, error) {
	c, err := s.releases.StoredCandidate(ws.ID, number)
	if err != nil || !c.HasText() {
		return Forecast{}, err
	}
	if c.Kind == release.KindJoint { // only finished notes are in it
		return Forecast{Notes: c.Documents, Finished: c.Documents, Joint: true, Warnings: c.Joint.Warnings}, nil
	}
	f := forecastOf(c.Outcome, c.Mode, c.Documents, c.Finished)
	f.Warnings = c.Warnings
	v, err := s.validity(ws, c)
	f.hold(v)
	return f, err
}

// validity says whether the figures of the run behind a candidate hold for it. Candidates of
// earlier versions do not keep it; for them it is what the run says today.
func (s *Service) validity(ws *workspace, c release.Candidate) (*publish.Validity, error) {
	if c.Validity != nil || c.Bundle == 0 {
		return c.Validity, nil
	}
	b, err := s.sanitize.StoredBundle(ws.ID, c.Bundle)
	if err == nil {
		var run sanitize.Run
		if run, err = s.sanitize.StoredRun(ws.Workspace, b.Run); err == nil {
			return new(run.Validity(b.LC)), nil
		}
	}
	if project.KindOf(err) == project.NotFound {
		err = nil
	}
	return nil, err
}

// forecastOf is the forecast by what a run measured for a number of notes, of which people have
// finished some.
func forecastOf(o greedy.Outcome, mode greedy.Mode, notes, finished int) Forecast {
	f := Forecast{Notes: notes, Finished: finished}
	missed, ok := o.MissedIn(notes-finished, mode) // people have read the others
	if ok {
		f.Known, f.Expected, f.AtMost = true, missed.Value, max(missed.AtMost, missed.Value)
		f.Halves = 3 * o.Unseen().Documents // four times as many
	}
	return f
}

// Words state a certificate. It is about the passages of the candidate.
func Words(c audit.Certificate, left int) string {
	if c.Refusal != "" {
		return "After reading: no certificate. " + c.Reason
	}
	s := fmt.Sprintf("After reading %s of %s: at most %s may still hold an identifier, with %.0f %% confidence.",
		words.Number(c.Read), words.Count(c.Passages, "passage", "passages"), words.Number(left), 100*c.Confidence)
	if c.Exact {
		s = fmt.Sprintf("After reading all %s: %s.", words.Count(c.Passages, "passage", "passages"), words.Count(left, "passage holds", "passages hold")+" an identifier that somebody found")
	}
	if r := c.Recall; r != nil {
		s += fmt.Sprintf(" Readers caught %d of %s.", r.Caught, words.Count(r.Read, "planted identifier", "planted identifiers"))
	}
	return s
}

// bounded is what is known of a session's candidate.
type bounded struct {
	forecast, certificate string
	left                  *int       // nil without a certificate
	read                  *Evidenced // nil if nothing was drawn
}

func (s *Service) bound(ws *workspace, session *Session) (b bounded, err error) {
	if !session.Kind.HasText() {
		return b, nil
	}
	f, err := s.forecast(ws, account.Operator(), session.Candidate)
	if err != nil {
		return b, err
	}
	b.forecast = f.Words()
	p, err := s.progress(context.Background(), ws, session)
	if err != nil || p == nil {
		return b, err
	}
	b.certificate, b.read = Words(p.Certificate, p.Left), evidenced(p)
	if p.Refusal == "" {
		b.left = &p.Left
	}
	return b, nil
}

// publicReview is what a release says about its review.
func publicReview(session *Session, rule project.Rule, key string) publishrelease.Review {
	out := publishrelease.Review{Rule: rule.Words()}
	if session == nil || session.Decision == nil {
		return out
	}
	d := session.Decision
	at, until := d.At.Truncate(1e9), d.Until.Truncate(1e9)
	out.Session, out.Decided, out.Until = session.Number, &at, &until
	out.Approved, out.Refused, out.Abstained = d.Approved, d.Refused, d.Abstained
	out.Conditions, out.Forecast, out.Certificate, out.Key = d.Conditions.Words(), d.Forecast, d.Certificate, key
	return out
}

// RepairFound starts to freeze a candidate that redacts what readers found so far, and nothing
// else. The bound of the reading holds for it.
func (s *Service) RepairFound(ctx context.Context, by account.User, id project.ID, number int) error {
	ws, session, err := s.run(by, account.Sanitize, id, number)
	if err != nil {
		return err
	}
	if err := session.must(s.now(), Open); err != nil {
		return err
	}
	found, err := s.findings(ws, &session)
	if err != nil {
		return err
	}
	return s.releases.StartRepair(ctx, by, id, session.Candidate, found)
}

// findings are everything that was found until now. No answer is stored meanwhile: those with
// a later time are not among them.
func (s *Service) findings(ws *workspace, session *Session) (out release.Findings, err error) {
	ws.changing.Lock()
	defer ws.changing.Unlock()
	out.Review, out.At = session.Number, s.now()
	out.Found, err = s.found(ws.ID, session)
	return out, err
}

// found is what readers found in the samples of a session, abandoned ones too, and what was
// found in games and confirmed.
func (s *Service) found(id project.ID, session *Session) ([]release.Found, error) {
	out, err := s.confirmed(id, session)
	if err != nil {
		return nil, err
	}
	for i, number := range session.Draws {
		d, err := s.storedDraw(id, number)
		if err != nil {
			return nil, err
		}
		c, err := s.releases.StoredCandidate(id, d.Candidate)
		if err != nil {
			return nil, err
		}
		if c.Dropped && i < len(session.Draws)-1 {
			continue // nobody can say any more where in the notes it is
		}
		reads, err := s.storedReads(id, number)
		if err != nil {
			return nil, err
		}
		in := release.Found{Candidate: d.Candidate}
		for _, r := range reads {
			in.Marks = append(in.Marks, r.Marks...)
		}
		if len(in.Marks) > 0 {
			out = append(out, in)
		}
	}
	return out, nil
}

// AdoptCandidate replaces a session's candidate by a repaired one.
func (s *Service) AdoptCandidate(ctx context.Context, by account.User, id project.ID, number, repairedCandidate int) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	c, err := s.releases.StoredCandidate(id, repairedCandidate)
	if err != nil {
		return err
	}
	now := s.now()
	_, err = s.change(ws, by, number, "adopt candidate", func(session *Session) (string, error) {
		if err := session.must(now, Prepared, Open); err != nil {
			return "", err
		}
		if c.Parent != session.Candidate || c.Redacts == nil {
			return "", project.Invalidf("open a new review of it", "%s is not a repair of candidate %d: what was read says nothing about it", c.Title(), session.Candidate)
		}
		if c.Redacts.Review != session.Number {
			return "", project.Invalidf("press “Redact what was found” in this review", "%s redacts what was found in review %d, not in this one", c.Title(), c.Redacts.Review)
		}
		session.Repairs = append(session.Repairs, Repair{From: session.Candidate, Hash: session.Hash, At: c.Created, Until: c.Redacts.Until})
		session.Candidate, session.Hash = c.Number, c.Hash
		return c.Title() + ", hash " + c.Hash, nil
	})
	return err
}

// PlanReading says which reading gives which bound, before anybody reads.
func (s *Service) PlanReading(ctx context.Context, by account.User, id project.ID, number, doubtful, plants int) (audit.Outlook, error) {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return audit.Outlook{}, err
	}
	passages, err := s.passages(ws.ID, session.Candidate)
	if err != nil {
		return audit.Outlook{}, err
	}
	total, doubted := 0, false
	for _, p := range passages {
		total, doubted = total+int(p.Words), doubted || p.Doubt >= 0
	}
	if !doubted {
		doubtful = 0
	}
	pace, err := s.pace(ctx, ws, &session)
	if err != nil {
		return audit.Outlook{}, err
	}
	o := audit.OutlookOptions{Passages: len(passages), Doubtful: min(max(0, doubtful), len(passages)), Plants: max(0, plants), Alpha: audit.Alpha, WordsPerMinute: pace}
	if len(passages) > 0 {
		o.MeanWords = float64(total) / float64(len(passages))
	}
	for _, n := range planned {
		if n < len(passages)-o.Doubtful {
			o.Read = append(o.Read, n)
		}
	}
	o.Read = append(o.Read, len(passages)-o.Doubtful)
	return audit.NewOutlook(o), nil
}

// planned are the amounts of reading that a plan shows, besides all.
var planned = []int{30, 60, 100, 200, 300, 500, 1000, 2000, 3000}

// usualPace is how fast people read for identifiers, in words a minute, before anybody has.
const usualPace = 150

// pace is that of the session's readers so far.
func (s *Service) pace(ctx context.Context, ws *workspace, session *Session) (float64, error) {
	p, err := s.progress(ctx, ws, session)
	if err != nil || p == nil {
		return usualPace, err
	}
	read, seconds := 0, 0.
	for _, r := range p.Readers {
		read, seconds = read+r.Words, seconds+r.Seconds
	}
	if read < 200 || seconds <= 0 {
		return usualPace, nil
	}
	return 60 * float64(read) / seconds, nil
}

// AddReviewFindings adds what readers found to the notes, as spans. Nothing of a reading is trained
// on before: the session must be over, and its candidate published or not approved, since the
// spans change the notes that it was made from.
func (s *Service) AddReviewFindings(ctx context.Context, by account.User, id project.ID, number int) (added, skipped int, err error) {
	_, session, err := s.run(by, account.Annotate, id, number)
	if err != nil {
		return 0, 0, err
	}
	if err := session.must(s.now(), Decided, Expired, Ended); err != nil {
		return 0, 0, err
	}
	c, err := s.releases.StoredCandidate(id, session.Candidate)
	if err != nil {
		return 0, 0, err
	}
	if d := session.Decision; d != nil && d.Outcome == Approved && !c.Published && !c.Dropped && s.now().Before(d.Until) {
		return 0, 0, project.Invalidf("publish it first, or drop it", "%s is approved and not published: new spans would change the notes that it was made from", c.Title())
	}
	found, err := s.found(id, &session)
	if err != nil {
		return 0, 0, err
	}
	return s.releases.AddMarks(ctx, by, id, found)
}

// Rates are what people miss: in the literature, and in this project.
func Rates(p *Progress) []string {
	out := []string{"In published studies people found 92 to 95 % of the identifiers in clinical notes when they read alone."}
	if p == nil || p.Recall == nil || p.Recall.Read == 0 {
		return out
	}
	return append(out, fmt.Sprintf("In this review readers caught %d of %d planted identifiers (%s).", p.Recall.Caught, p.Recall.Read, words.Percent(p.Recall.Rate)))
}

// ReviewFigures are those of the run behind a candidate at each of its L/C, without any text, for
// members who look at what other choices would give up.
func (s *Service) ReviewFigures(ctx context.Context, by account.User, id project.ID, number int) ([]sanitize.Result, error) {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return nil, err
	}
	c, err := s.releases.StoredCandidate(id, session.Candidate)
	if err != nil || c.Kind != release.KindText || c.Bundle == 0 {
		return nil, err
	}
	ws.mu.Lock()
	known := ws.figures
	ws.mu.Unlock()
	if known.bundle == c.Bundle && known.all != nil {
		return known.all, nil
	}
	bundle, err := s.sanitize.StoredBundle(id, c.Bundle)
	if err != nil {
		return nil, err
	}
	run, err := s.sanitize.StoredRun(ws.Workspace, bundle.Run)
	if project.KindOf(err) == project.NotFound {
		return nil, nil // the run's figures are deleted
	}
	if err != nil {
		return nil, err
	}
	var out []sanitize.Result
	for _, choice := range run.Choices {
		choice.Leaks, choice.Lost = nil, nil // their text is that of notes
		out = append(out, choice)
	}
	if run.Target.Done() {
		out = append(out, *run.Target.Result)
		slices.SortFunc(out, func(a, b sanitize.Result) int { return cmp.Compare(a.LC, b.LC) })
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.figures.bundle, ws.figures.all = c.Bundle, out
	return out, nil
}

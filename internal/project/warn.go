// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"
	"strings"

	"hide/internal/account"
	"hide/internal/greedy"
	"hide/internal/greedy/audit"
)

// fewDocuments is how many finished documents figures need to be taken at their
// word.
const fewDocuments = 50

// Warnings are the reasons not to take the run's figures as they stand, in
// words. Pages, the command line and releases give the same ones.
func (r *Run) Warnings() []string {
	var out []string
	if r.Changed {
		out = append(out, "Documents have changed since this run: the figures are of an earlier state. Start a new run before you publish.")
	}
	if r.Params.Mode == greedy.Paper {
		out = append(out, "These counts come from documents that the classifiers have seen. In text they have not seen, many more names stay: hide's default mode measures that.")
	}
	if r.Documents < fewDocuments {
		out = append(out, fmt.Sprintf("Only %d finished notes: the intervals are wide, and rare kinds of names may not occur at all. Finish at least %d.", r.Documents, fewDocuments))
	}
	switch {
	case r.Random == r.Documents:
	case r.Measured == r.Random:
		out = append(out, fmt.Sprintf("%d of the %d finished notes are a random sample, and the figures are of these alone. The others were picked for what they hold: models learn from them, but figures from them would be several times too high or too low.", r.Random, r.Documents))
	default:
		out = append(out, fmt.Sprintf("%d of the %d finished notes are a random sample, too few for figures of their own. Figures from notes chosen in another way do not carry over to the rest of the project: they may be several times too high or too low.", r.Random, r.Documents))
	}
	return append(out, r.driftWarnings()...)
}

// driftWarnings say how the other documents differ from those measured. A release
// carries them along, so they name no institution.
func (r *Run) driftWarnings() []string {
	if r.Drift == nil || !r.Drift.Rings() {
		return nil
	}
	out := []string{"The notes to be published are not like those that the figures are from: the figures do not hold for them. " + adviceWords(r.Gains())}
	out = append(out, r.Drift.All.Sentences()...)
	differ, strange := 0, 0
	for _, s := range r.Drift.Sources {
		if s.Rings() {
			differ++
		}
		if !s.Annotated {
			strange++
		}
	}
	if differ > 0 {
		out = append(out, fmt.Sprintf("Taken by themselves, the notes of %d of %d institutions differ from the annotated ones.", differ, len(r.Drift.Sources)))
	}
	if strange > 0 {
		out = append(out, fmt.Sprintf("Hardly any annotated note is from %d of %d institutions whose notes are to be published.", strange, len(r.Drift.Sources)))
	}
	return out
}

// adviceWords say what annotating notes like those to be published is expected to
// do.
func adviceWords(gains []audit.Gain) string {
	ten, thirty := gains[0], gains[1]
	return fmt.Sprintf("Annotate 10 to 30 of them: 10 are expected to leave %.0f to %.0f %% of what would stay readable now, 30 to leave %.0f to %.0f %%.",
		100*ten.Low, 100*ten.High, 100*thirty.Low, 100*thirty.High)
}

// PublishWarnings are the reasons to think twice before publishing with a bundle:
// those of the run it is from, and what is particular to this release.
func (s *Service) PublishWarnings(ctx context.Context, by account.User, id ID, bundle int) ([]string, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, err
	}
	info, err := s.bundleInfo(id, bundle)
	if err != nil {
		return nil, err
	}
	run, err := s.run(ws, info.Run)
	if err != nil {
		return nil, err
	}
	out := s.present(ws, by, run).Warnings()
	audited, err := s.auditWarnings(ws, bundle, &run)
	if err != nil {
		return nil, err
	}
	out = append(out, audited...)
	if o := ws.overview(); o.Done < o.Documents {
		out = append(out, fmt.Sprintf("%d of %d notes are not finished: apart from what is marked in them already, the bundle alone redacts them, and nobody has checked what it finds.", o.Documents-o.Done, o.Documents))
	}
	if len(info.Excluded) > 0 {
		labels := make([]string, len(info.Excluded))
		for i, l := range info.Excluded {
			labels[i] = string(l)
		}
		out = append(out, fmt.Sprintf("Published as it stands, marked or not, is what has the label %s: the run was told that it is not sensitive.", strings.Join(labels, ", ")))
	}
	return out, nil
}

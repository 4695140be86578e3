// SPDX-License-Identifier: Apache-2.0

package release

import (
	"fmt"
	"time"

	"hide/internal/project"
	"hide/internal/publish/idview"
)

// PreviewStatus is how the work on a preview stands.
type PreviewStatus struct {
	Running bool
	Error   string // in words, when the last preview failed
	Changed bool   // notes or roles have changed since
	Made    time.Time

	mark string // of the notes and roles that it is about, "" until they are read
}

// ended enters how the preview has ended.
func (p *PreviewStatus) ended(err error) {
	p.Error = project.Failure(err, "the preview was cancelled", "")
}

// since is the status when the notes and roles have this mark.
func (p PreviewStatus) since(mark string, running bool) PreviewStatus {
	p.Running = running
	p.Changed = p.mark != "" && p.mark != mark
	return p
}

// version tells previews of other notes, roles or settings apart.
func (p PreviewStatus) version(settings any) string {
	return project.Fingerprint("%q %v", p.mark, settings)
}

// viewMark changes whenever the identifier view may.
func (s *Service) viewMark(ws *workspace) (string, error) {
	decisions, err := s.decisions(ws.ID)
	if err != nil {
		return "", err
	}
	decided := attributesIn(decisions)
	population, err := s.population(ws.ID)
	if population != nil {
		decided = append(decided, idview.Attribute{Form: population.Added.String()})
	}
	return ws.NotesMark() + fmt.Sprint(decided), err
}

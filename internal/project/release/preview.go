// SPDX-License-Identifier: Apache-2.0

package release

import (
	"fmt"
	"time"

	"hide/internal/project"
	"hide/internal/publish/idview"
)

// PreviewStatus is the state of a preview.
type PreviewStatus struct {
	Running bool
	Error   string // in words, if the last preview failed
	Changed bool   // notes or roles have changed since
	Made    time.Time

	mark string // of its notes and roles, "" until they are read
}

// ended records how the preview ended.
func (p *PreviewStatus) ended(err error) {
	p.Error = project.Failure(err, "the preview was cancelled", "")
}

// since returns the status, given the current mark of notes and roles.
func (p PreviewStatus) since(mark string, running bool) PreviewStatus {
	p.Running = running
	p.Changed = p.mark != "" && p.mark != mark
	return p
}

// version distinguishes previews of different notes, roles or settings.
func (p PreviewStatus) version(settings any) string {
	return project.Fingerprint("%q %v", p.mark, settings)
}

// viewMark changes whenever the identifier view may have changed.
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

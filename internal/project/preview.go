// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hide/internal/parallel"
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

// startPreview cancels the preview of a kind that runs and starts another: replace,
// called when the workspace is locked, puts its state where that of the old one is,
// so that a job that has been cancelled writes into its own.
func (s *Service) startPreview(ctx context.Context, ws *Workspace, key string, last *lastJob, replace func(), run func(context.Context) error) error {
	s.jobs.Cancel(key)
	if err := last.ended(ctx); err != nil {
		return err
	}
	ws.mu.Lock()
	replace()
	ws.mu.Unlock()
	last.set(s.jobs.Submit(key, run))
	s.Tell(ws.ID, TopicPublish)
	return nil
}

// runPreview is the job of a preview that try works on and p tells about.
func (s *Service) runPreview(ws *Workspace, p *PreviewStatus, try func() error) error {
	err := parallel.Guard(try)
	ws.mu.Lock()
	p.Running = false
	switch {
	case errors.Is(err, context.Canceled):
		p.Error = "the preview was cancelled"
	case err != nil:
		p.Error = err.Error()
	}
	ws.mu.Unlock()
	s.Tell(ws.ID, TopicPublish)
	return err
}

// since is the status when the notes and roles have this mark.
func (p PreviewStatus) since(mark string) PreviewStatus {
	p.Changed = p.mark != "" && p.mark != mark
	return p
}

// version tells previews of other notes, roles or settings apart.
func (p PreviewStatus) version(settings any) string {
	return Fingerprint("%q %v", p.mark, settings)
}

// viewMark changes whenever the identifier view may.
func (s *Service) viewMark(ws *Workspace) (string, error) {
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

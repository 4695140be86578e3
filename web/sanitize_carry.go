// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/greedy/drift"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
)

// fillAudits adds the audits of the run shown to the view.
func (s *Server) fillAudits(ctx context.Context, u account.User, v *sanitizeView) error {
	all, _, err := s.projects.SampleAudits(ctx, u, v.Project.ID)
	v.Audits = slices.DeleteFunc(slices.Clone(all), func(a audit.Audit) bool { return a.Run != v.Run.Number })
	slices.SortFunc(v.Audits, func(a, b audit.Audit) int { return b.Number - a.Number })
	return err
}

// sanitizeCarryPart is the block about the rest of the notes, for the run that the
// query names.
func (s *Server) sanitizeCarryPart(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	run, err := runNumber(q.Get("run"))
	if err != nil {
		return nil, err
	}
	v := sanitizeView{Project: project.Overview{Project: project.Project{ID: id}}}
	if v.Run, err = s.projects.Run(ctx, u, id, run); err != nil {
		return nil, err
	}
	if err := s.fillAudits(ctx, u, &v); err != nil {
		return nil, err
	}
	return sanitizeCarry(v), nil
}

// alarmWords say whether the notes to be published are like those measured.
func alarmWords(r *sanitize.Run) string {
	switch {
	case r.Drift == nil && r.State == sanitize.Running:
		return "Whether the other notes are like those measured is looked at when the run is done."
	case r.Drift == nil && r.State != sanitize.Finished:
		return "Whether the other notes are like those measured was not looked at: the run did not come to its end."
	case r.Drift == nil:
		return "No other notes to compare with, or too few: nobody can tell whether these figures hold for them."
	case r.Drift.Rings():
		return "Alarm: the notes to be published are not like those measured. What differs is said below; the figures do not hold for them."
	case !r.Drift.Known():
		return "Too few notes to tell whether those to be published are like those measured."
	default:
		return "No alarm: " + count(r.Drift.All.Target, "note", "notes") + " to be published " + wereCompared(r.Drift) + " with " +
			count(r.Drift.All.Reference, "measured one", "measured ones") + ", and look like them."
	}
}

// wereCompared: "(120 of them from institutions with hardly any annotated note) were
// compared".
func wereCompared(r *drift.Report) string {
	foreign := 0
	for _, s := range r.Sources {
		if !s.Annotated {
			foreign += s.Target
		}
	}
	if foreign == 0 {
		return "were compared"
	}
	return "(" + number(foreign) + " of them from institutions with hardly any annotated note) were compared"
}

// auditStands is why there should be an audit, where there should and none of the run's
// audits holds, and what the newest that holds says, or else the newest, and how far a
// newer one is.
func auditStands(v sanitizeView) string {
	if len(v.Audits) == 0 {
		return cmp.Or(auditCalledFor(v.Run), "No audit yet. In an audit people read a sample as it would be published; their count replaces the prediction.")
	}
	newest := auditWords(v.Audits[0])
	at := slices.IndexFunc(v.Audits, func(a audit.Audit) bool { return a.Result != nil && !a.Changed })
	switch {
	case at < 0:
		return strings.TrimSpace(auditCalledFor(v.Run) + " " + newest)
	case at > 0 && v.Audits[0].Result == nil:
		return newest + " Before it: " + auditWords(v.Audits[at])
	}
	return auditWords(v.Audits[at])
}

func auditCalledFor(r *sanitize.Run) string {
	if why := r.AuditNeeded(); why != "" {
		return "An audit is needed before you publish: " + why + "."
	}
	return ""
}

// auditWords are what an audit came to, or how far it is.
func auditWords(a audit.Audit) string {
	if a.Result == nil {
		return "Audit of L/C " + formatRatio(a.LC) + ": " + sampleStands(a) + "."
	}
	return "L/C " + formatRatio(a.LC) + ". " + audit.Words(*a.Result)
}

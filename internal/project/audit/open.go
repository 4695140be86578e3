// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/words"
)

// OpenFindings counts the identifiers found in audits that no redacted
// annotation covers. Only the bundle itself could still redact them.
type OpenFindings struct {
	Found     int
	Audit     int  // the newest audit with such findings; 0 if none
	Elsewhere bool // some were found only in audits of other bundles, so this one may find them
}

// Words describes the findings, "" when there are none.
func (o OpenFindings) Words() string {
	if o.Found == 0 {
		return ""
	}
	said := words.Count(o.Found, "identifier marked in an audit is not fully redacted and would be published",
		"identifiers marked in an audit are not fully redacted and would be published")
	if o.Elsewhere {
		return said + ", unless the bundle itself finds them."
	}
	return said + "."
}

// Unless refuses a release if the number of open findings differs from the number
// that the requester confirmed. The confirmation goes into the audit trail.
func (o OpenFindings) Unless(known int) error {
	if o.Found == known {
		return nil
	}
	if o.Found < known {
		return project.Invalidf("confirm the number of open findings, and 0 if there are none",
			"%s not %d", words.Count(o.Found, "identifier marked in an audit is still open,", "identifiers marked in an audit are still open,"), known)
	}
	return project.Obstructed(project.StillOpen, fmt.Sprintf("add the findings of audit %d to the notes on its page, or confirm that you know all %d", o.Audit, o.Found), "%s", strings.TrimSuffix(o.Words(), "."))
}

// OpenFindings counts the findings that a release with the bundle would leave
// readable. It returns only numbers.
func (s *Service) OpenFindings(ctx context.Context, by account.User, id project.ID, bundle int) (OpenFindings, error) {
	ws, err := s.projects.Enter(by, account.SeeFigures, id)
	if err != nil {
		return OpenFindings{}, err
	}
	return s.FindOpen(ctx, ws, bundle)
}

// OpenInFinished counts the findings that a release of the finished notes, redacted
// by their annotations alone, would leave readable.
func (s *Service) OpenInFinished(ctx context.Context, by account.User, id project.ID) (OpenFindings, error) {
	ws, err := s.projects.Enter(by, account.SeeFigures, id)
	if err != nil {
		return OpenFindings{}, err
	}
	return s.FindOpenInFinished(ctx, ws)
}

// FindOpenInFinished is [Service.OpenInFinished] for a caller who has entered the
// project. Bundles do not matter here, because such a release uses none.
func (s *Service) FindOpenInFinished(ctx context.Context, ws *project.Workspace) (OpenFindings, error) {
	finished := map[annotate.DocumentID]bool{}
	for _, doc := range ws.Finished() {
		finished[doc] = true
	}
	open, err := s.openAmong(ctx, ws, sanitize.Bundle{}, func(doc annotate.DocumentID) bool { return finished[doc] })
	open.Elsewhere = false
	return open, err
}

// FindOpen is [Service.OpenFindings] for a caller who has entered the project. It
// covers a release of all documents with a bundle.
func (s *Service) FindOpen(ctx context.Context, ws *project.Workspace, bundle int) (OpenFindings, error) {
	info, err := s.sanitize.StoredBundle(ws.ID, bundle)
	if err != nil {
		return OpenFindings{}, err
	}
	return s.openAmong(ctx, ws, info, func(annotate.DocumentID) bool { return true })
}

// openAmong reads the audits of this bundle first: what they found, this bundle
// does not find, even if other audits found it too. Only documents of the release
// count.
func (s *Service) openAmong(ctx context.Context, ws *project.Workspace, info sanitize.Bundle, leaves func(annotate.DocumentID) bool) (OpenFindings, error) {
	var open OpenFindings
	all, err := s.audits(ws)
	other := func(a Audit) int { return min(1, max(a.Bundle-info.Number, info.Number-a.Bundle)) }
	slices.SortStableFunc(all, func(a, b Audit) int { return cmp.Compare(other(a), other(b)) })
	seen := map[annotate.DocumentID][]annotate.Span{}
	for _, a := range all {
		if err != nil {
			continue
		}
		var n int
		if n, err = s.stillOpen(ctx, ws, a, info, leaves, seen); n > 0 {
			open.Found += n
			open.Audit = max(open.Audit, a.Number)
			open.Elsewhere = open.Elsewhere || a.Bundle != info.Number
		}
	}
	return open, err
}

// stillOpen counts what one audit adds to the findings already seen. Findings at
// unknown places count while no note has changed since the audit, because nobody
// can have marked them.
func (s *Service) stillOpen(ctx context.Context, ws *project.Workspace, a Audit, info sanitize.Bundle, leaves func(annotate.DocumentID) bool, seen map[annotate.DocumentID][]annotate.Span) (n int, err error) {
	for i, note := range a.Notes {
		if note.Found == 0 || !leaves(note.Document) || !ws.Has(note.Document) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return n, err
		}
		found, err := s.foundIn(ws, a, i+1, info)
		if err != nil {
			return n, err
		}
		if !a.Changed {
			n += note.Found - len(found.spans)
		}
		for _, span := range found.spans {
			left, known := found.left(span, found.goes), seen[note.Document]
			if len(left) > 0 && !slices.ContainsFunc(left, func(s annotate.Span) bool { return overlapsAny(s, known) }) {
				seen[note.Document] = append(known, left...)
				n++
			}
		}
	}
	return n, nil
}

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

// OpenFindings are the identifiers that people found in audits read to their end, and
// that annotations do not cover, or do with labels that the bundle lets pass: nothing
// but the bundle would redact what is left of them.
type OpenFindings struct {
	Found     int
	Audit     int  // the newest of these audits; 0 for none
	Elsewhere bool // some were found in audits of other bundles only, so that this one may find them
}

// Words say what becomes of them, "" when there are none.
func (o OpenFindings) Words() string {
	if o.Found == 0 {
		return ""
	}
	said := words.Count(o.Found, "identifier that people marked in an audit is not wholly redacted yet and would be published",
		"identifiers that people marked in an audit are not wholly redacted yet and would be published")
	if o.Elsewhere {
		return said + ", unless the bundle itself finds what was marked."
	}
	return said + "."
}

// Unless refuses a release where more or less is open than whoever asks for it knows of:
// what they say goes into the audit trail.
func (o OpenFindings) Unless(known int) error {
	if o.Found == known {
		return nil
	}
	if o.Found < known {
		return project.Invalidf("say how many are open, and nothing where none is",
			"%s not %d", words.Count(o.Found, "identifier that people marked in an audit is open,", "identifiers that people marked in an audit are open,"), known)
	}
	return project.Obstructed(project.StillOpen, fmt.Sprintf("add what audit %d found to the notes, on its page; or say that you know of all %d", o.Audit, o.Found), "%s", strings.TrimSuffix(o.Words(), "."))
}

// OpenFindings counts what a release with the bundle would leave readable although
// people have found it. It tells of numbers alone.
func (s *Service) OpenFindings(ctx context.Context, by account.User, id project.ID, bundle int) (OpenFindings, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return OpenFindings{}, err
	}
	return s.FindOpen(ctx, ws.Workspace, bundle)
}

// OpenInFinished counts what a release of the finished notes as people have marked
// them would leave readable, although people have found it.
func (s *Service) OpenInFinished(ctx context.Context, by account.User, id project.ID) (OpenFindings, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return OpenFindings{}, err
	}
	return s.FindOpenInFinished(ctx, ws.Workspace)
}

// FindOpenInFinished is [Service.OpenInFinished] for who has entered the project. It does not care for bundles: none redacts anything there, nor lets a
// label pass.
func (s *Service) FindOpenInFinished(ctx context.Context, ws *project.Workspace) (OpenFindings, error) {
	finished := map[annotate.DocumentID]bool{}
	for _, doc := range ws.Finished() {
		finished[doc] = true
	}
	open, err := s.openAmong(ctx, s.of(ws), sanitize.Bundle{}, func(doc annotate.DocumentID) bool { return finished[doc] })
	open.Elsewhere = false
	return open, err
}

// FindOpen is [Service.OpenFindings] for who has entered the project, of a release of all documents with a bundle.
func (s *Service) FindOpen(ctx context.Context, ws *project.Workspace, bundle int) (OpenFindings, error) {
	info, err := s.sanitize.StoredBundle(ws.ID, bundle)
	if err != nil {
		return OpenFindings{}, err
	}
	return s.openAmong(ctx, s.of(ws), info, func(annotate.DocumentID) bool { return true })
}

// openAmong looks through the audits of the bundle first: what these found and
// others too, the bundle does not find. Only documents that leave are counted.
func (s *Service) openAmong(ctx context.Context, ws *workspace, info sanitize.Bundle, leaves func(annotate.DocumentID) bool) (OpenFindings, error) {
	var open OpenFindings
	all, err := s.audits(ws)
	other := func(a Audit) int { return min(1, max(a.Bundle-info.Number, info.Number-a.Bundle)) }
	slices.SortStableFunc(all, func(a, b Audit) int { return cmp.Compare(other(a), other(b)) })
	seen := map[annotate.DocumentID][]annotate.Span{}
	for _, a := range all {
		if err != nil || !a.over() {
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

// stillOpen counts what one audit adds to what was seen. What it found at places that
// are not known counts while no note has changed since: nobody can have marked it.
func (s *Service) stillOpen(ctx context.Context, ws *workspace, a Audit, info sanitize.Bundle, leaves func(annotate.DocumentID) bool, seen map[annotate.DocumentID][]annotate.Span) (n int, err error) {
	for i, note := range a.Notes {
		if note.Found == 0 || !leaves(note.Document) {
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

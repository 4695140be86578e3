// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/sanitize"
)

// Readable lists, sorted, the annotated labels that a release with the bundle does not
// redact, because its run counted them as not sensitive.
func (s *Service) Readable(ctx context.Context, by account.User, id project.ID, bundle int) ([]annotate.Label, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, err
	}
	info, err := s.sanitize.StoredBundle(id, bundle)
	if err != nil {
		return nil, err
	}
	return s.readable(ctx, ws, info)
}

// readable looks for labels excluded by the bundle in every note, finished or not,
// because all notes are published.
func (s *Service) readable(ctx context.Context, ws *workspace, info sanitize.Bundle) ([]annotate.Label, error) {
	var used []annotate.Label
	for _, doc := range ws.All() {
		if len(used) == len(info.Excluded) {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		layer, err := ws.Layer(doc)
		if err != nil {
			return nil, err
		}
		for _, a := range layer.Annotations {
			if slices.Contains(info.Excluded, a.Span.Label) && !slices.Contains(used, a.Span.Label) {
				used = append(used, a.Span.Label)
			}
		}
	}
	slices.Sort(used)
	return used, nil
}

// knownReadable refuses a release unless the caller knows exactly the labels that stay
// readable.
func knownReadable(readable, known []annotate.Label, info sanitize.Bundle) error {
	if slices.Equal(readable, slices.Compact(slices.Sorted(slices.Values(known)))) {
		return nil
	}
	if len(readable) == 0 {
		return project.Invalidf("name no label", "bundle %d redacts all annotations", info.Number)
	}
	return project.Obstructed(project.StaysReadable, "use a bundle of a run that counts them as sensitive, or confirm that exactly these labels stay readable",
		"bundle %d does not redact annotations with the labels %s", info.Number, project.Joined(readable))
}

// recordReadable records which labels are published unredacted.
func (s *Service) recordReadable(ws *workspace, by account.User, readable []annotate.Label, info sanitize.Bundle) error {
	if len(readable) == 0 {
		return nil
	}
	return s.projects.Record(ws.ID, project.EventBy(by, "publish readable", ws.ID.Object("bundles", info.Number), project.Joined(readable)))
}

// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/store"
)

// Readable are the labels, sorted, of what people have marked that a release with the
// bundle leaves as it stands: its run was told that they are not sensitive.
func (s *Service) Readable(ctx context.Context, by account.User, id ID, bundle int) ([]annotate.Label, error) {
	ws, err := s.Enter(by, account.SeeFigures, id)
	if err != nil {
		return nil, err
	}
	info, err := s.bundleInfo(id, bundle)
	if err != nil {
		return nil, err
	}
	return s.readable(ctx, ws, info)
}

// readable looks for labels that the bundle excludes in every note, finished or not:
// all are published.
func (s *Service) readable(ctx context.Context, ws *Workspace, info BundleInfo) ([]annotate.Label, error) {
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

// layer reads what is marked in a document, without its text.
func (ws *Workspace) Layer(doc annotate.DocumentID) (l annotate.Layer, err error) {
	err = ws.service.View(ws.ID, func(tx *store.Tx) error {
		l, err = store.GetJSON[annotate.Layer](tx, bucketLayers, docKey(doc))
		return err
	})
	if err != nil {
		err = fmt.Errorf("read what is marked in document %d of %s: %w", doc, ws.ID, err)
	}
	return l, err
}

// knownReadable refuses a release unless exactly the labels that it leaves readable
// are known to whoever asks for it.
func knownReadable(readable, known []annotate.Label, info BundleInfo) error {
	if slices.Equal(readable, slices.Compact(slices.Sorted(slices.Values(known)))) {
		return nil
	}
	if len(readable) == 0 {
		return Invalidf("name no label", "bundle %d leaves nothing readable that people have marked", info.Number)
	}
	return Obstructed(StaysReadable, "use a bundle of a run that counts them as sensitive, or say that exactly these labels stay readable",
		"bundle %d leaves readable, in every note, what people marked as %s", info.Number, Joined(readable))
}

// recordReadable puts on record which labels of what people have marked are published
// as they stand.
func (s *Service) recordReadable(ws *Workspace, by account.User, readable []annotate.Label, info BundleInfo) error {
	if len(readable) == 0 {
		return nil
	}
	return s.Update(ws.ID, EventBy(by, "publish readable", ws.ID.Object("bundles", info.Number), Joined(readable)), func(*store.Tx) error { return nil })
}

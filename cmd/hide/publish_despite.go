// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hide/internal/annotate"
	"hide/internal/project"
)

// withFlags says which flags answer what stood against a release of text.
func withFlags(ctx context.Context, f *folder, id project.ID, bundle int, err error) error {
	var refused *project.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Obstacle {
	case project.NotAudited:
		return withHint(err, fmt.Sprintf("run hide sample draw --project %s --bundle %d and let people read the sample; or give a reason to publish without: --unaudited REASON", id, bundle))
	case project.StillOpen:
		open, missing := f.projects.OpenFindings(ctx, operator(), id, bundle)
		return errors.Join(withHint(err, fmt.Sprintf("add what audit %d found to the notes, on its page; or, when you know of all of it: --found %d", open.Audit, open.Found)), missing)
	case project.StaysReadable:
		labels, missing := f.projects.Readable(ctx, operator(), id, bundle)
		return errors.Join(withHint(err, "use a bundle of a run that counts them as sensitive; or, where they are meant to stay: --readable "+commas(labels)), missing)
	}
	return err
}

func commas(labels []annotate.Label) string {
	words := make([]string, len(labels))
	for i, l := range labels {
		words[i] = string(l)
	}
	return strings.Join(words, ",")
}

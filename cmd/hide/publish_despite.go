// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"strings"

	"hide/internal/annotate"
	"hide/internal/project"
)

// withFlags says which flags answer what stood against a release of text.
func withFlags(ctx context.Context, f *folder, id project.ID, bundle int, err error) error {
	var refused *project.Error
	if !errors.As(err, &refused) || refused.Obstacle != project.StaysReadable {
		return err
	}
	labels, missing := f.projects.Readable(ctx, operator(), id, bundle)
	if missing != nil {
		return errors.Join(err, missing)
	}
	return withHint(err, "use a bundle of a run that counts them as sensitive; or, where they are meant to stay: --readable "+commas(labels))
}

func commas(labels []annotate.Label) string {
	words := make([]string, len(labels))
	for i, l := range labels {
		words[i] = string(l)
	}
	return strings.Join(words, ",")
}

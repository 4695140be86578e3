// SPDX-License-Identifier: Apache-2.0

package training

import (
	"fmt"
	"hide/internal/crf"
	"hide/internal/project"
)

// optionsOf returns the training options of the settings, without dictionaries.
func optionsOf(s project.Settings) trainOptions {
	return trainOptions{Options: crf.Options{Features: s.Features(), C2: s.C2, Sampling: s.Sampling}}
}

// trainOptions are how a project's models are trained, and checked.
type trainOptions struct {
	crf.Options
	dictionaries string // identifies Options.Dictionaries; see dictionaryLists
}

// fingerprint changes whenever other options would give another model.
func (o trainOptions) fingerprint() string {
	mark := fmt.Sprintf("features=%x c2=%g sampling=%s", uint32(o.Features), o.C2, o.Sampling)
	if o.dictionaries != "" { // without dictionaries, models of older versions stay valid
		mark += " dictionaries=" + o.dictionaries
	}
	return mark
}

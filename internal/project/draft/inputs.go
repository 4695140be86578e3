// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"errors"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/publish/surrogate"
)

// inputs are fingerprints of the data that a draft is made from. Structured data about people came
// with the notes and never changes.
type inputs struct {
	Notes string `json:"notes"`           // the chosen notes and the state of their spans
	Names int    `json:"names"`           // version of the labels' names
	Links int    `json:"links,omitempty"` // version of the links between records
	Model string `json:"model"`           // SHA-256 of the redaction model, "" without one
}

// inputsOf fingerprints what a draft with these settings would be made from now.
func (s *Service) inputsOf(ws *workspace, settings Settings, docs []annotate.DocumentID) (in inputs, err error) {
	in.Notes, in.Names = project.RevisionsMark(ws.DocumentRevisions(docs)), ws.Names().Version()
	in.Links = ws.Links().Version
	if settings.Bundle > 0 {
		b, err := s.sanitize.StoredBundle(ws.ID, settings.Bundle)
		if err != nil {
			return in, err
		}
		in.Model = b.SHA256
	}
	return in, nil
}

// stale is why a draft is not what would be prepared now, "" if it is.
func (s *Service) stale(ws *workspace, r record) (string, error) {
	var why []string
	docs, err := s.release.Chosen(ws.Workspace, r.Subset)
	switch {
	case project.KindOf(err) == project.Invalid: // a note of the cohort, or a map, was deleted
		return "notes of the draft were deleted since it was prepared", nil
	case err != nil:
		return "", err
	case !sameNotes(docs, r.Docs):
		why = append(why, "other notes would be released now")
	}
	now, err := s.inputsOf(ws, r.Settings, r.Docs)
	if project.KindOf(err) == project.NotFound {
		return "its redaction model was deleted", nil
	}
	if err != nil {
		return "", err
	}
	if now.Notes != r.Inputs.Notes {
		why = append(why, "notes or their annotations have changed since it was prepared")
	}
	if now.Names != r.Inputs.Names {
		why = append(why, "labels have changed since it was prepared")
	}
	if now.Links != r.Inputs.Links {
		why = append(why, "records of patients were linked, or links removed, since it was prepared")
	}
	if now.Model != r.Inputs.Model {
		why = append(why, "its redaction model has changed")
	}
	if r.Like > 0 && r.Policy.Hides() {
		if _, err := s.keyOfRelease(ws.ID, r.Like); project.KindOf(err) == project.Invalid {
			why = append(why, "the key of the release that it is like was destroyed")
		} else if err != nil {
			return "", err
		}
	}
	return strings.Join(why, "; "), nil
}

func sameNotes(a, b []annotate.DocumentID) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// check refuses settings that no draft can be made with, and lists the notes.
func (s *Service) check(ws *workspace, settings Settings) ([]annotate.DocumentID, error) {
	if err := settings.Policy.Check(); err != nil {
		return nil, project.Invalidf("choose one of the policies of the program, or mend the policy file", "the policy cannot be used: %v", err)
	}
	known := annotate.I2B2().Labels()
	for of, as := range settings.Pairs {
		if slices.Contains(known, of) && as != of {
			return nil, project.Invalidf("rename the label in the project", "the label %q is one of the set i2b2-2014, so it cannot be paired with %q", of, as)
		}
		if !ws.Labels().Has(of) || as != "" && !slices.Contains(known, as) {
			return nil, project.Invalidf("a label of the project corresponds to a label of the set i2b2-2014, or to none", "the labels %q and %q cannot be paired", of, as)
		}
	}
	if settings.Locale != "" && !slices.Contains(surrogate.Locales(), settings.Locale) {
		return nil, project.Invalidf("use one of "+project.Joined(surrogate.Locales()), "there are no invented values in the language %q", settings.Locale)
	}
	if settings.Bundle > 0 {
		if err := s.checkModel(ws, settings.Bundle); err != nil {
			return nil, err
		}
	}
	docs, err := s.release.Chosen(ws.Workspace, settings.Subset)
	switch {
	case err != nil:
		return nil, err
	case len(docs) == 0:
		return nil, noNotes(ws, settings)
	}
	if open := len(ws.Unfinished(docs)); settings.Bundle == 0 && open > 0 {
		return nil, project.Invalidf("release finished notes only, or choose a redaction model", "%d of %d notes are not finished, and without a redaction model only people find identifiers", open, len(docs))
	}
	if settings.Like > 0 {
		err = s.checkLike(ws, settings)
	}
	return docs, err
}

// noNotes says why settings choose no notes.
func noNotes(ws *workspace, settings Settings) error {
	switch {
	case len(ws.All()) == 0:
		return project.Invalidf("import notes first", "the project has no notes")
	case settings.Subset.Finished && len(ws.Unfinished(ws.All())) == len(ws.All()):
		return project.Invalidf("finish notes, or choose a redaction model and all notes", "no note of the project is finished")
	}
	return project.Invalidf("choose other notes", "there are no such notes: %s", settings.Subset.Words())
}

func (s *Service) checkModel(ws *workspace, number int) error {
	b, info, err := s.sanitize.OpenBundle(ws.ID, number)
	if err != nil {
		return err
	}
	return info.CheckLabels(ws.Names(), ws.Labels(), b.Policy)
}

// checkLike refuses an earlier release that a draft cannot be like.
func (s *Service) checkLike(ws *workspace, settings Settings) error {
	_, err := s.release.NumbersOf(ws.ID, settings.Like)
	if settings.Policy.Hides() {
		_, err2 := s.keyOfRelease(ws.ID, settings.Like)
		err = errors.Join(err, err2)
	}
	return err
}

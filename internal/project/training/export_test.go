// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"

	"hide/internal/project"
)

// What tests outside the package look at.
const (
	TrainFrom          = trainFrom
	CheckFolds         = checkFolds
	ErrorsKept         = errorsKept
	MaxDictionaryName  = maxDictionaryName
	MaxPhrase          = maxPhrase
	MaxPhrases         = maxPhrases
	MaxDictionaries    = maxDictionaries
	MaxDictionaryBytes = maxDictionaryBytes
	BucketModels       = bucketModels
	BucketDictionaries = bucketDictionaries
)

var (
	ModelKey      = modelKey
	ModelCheckKey = modelCheckKey
	PresetOf      = presetOf
	Detected      = detected
	PlaceErrors   = placeErrors
	WithKnown     = withKnown
	IdentifierOf  = identifierOf
)

type (
	ModelInfo        = modelInfo
	DictionaryRecord = dictionaryRecord
	CheckRecord      = checkRecord
	CheckedDocument  = checkedDocument
)

var Passes = modelInfo.passes

var KeepErrors = (*checkRecord).keep

// OptionsMark is the fingerprint of the options that a project trains with.
func (s *Service) OptionsMark(ws *project.Workspace) (string, error) {
	o, err := s.trainOptions(of(ws))
	return o.fingerprint(), err
}

// HideSuggestions takes the model's suggestions from those who annotate.
func HideSuggestions(p *project.Workspace) {
	ws := of(p)
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.model.info.Shown = false
}

// Occupy makes the trainings of a project wait until release is closed.
func Occupy(p *project.Workspace, release <-chan struct{}) (ended <-chan struct{}) {
	done := make(chan struct{})
	of(p).train.Enqueue(func(context.Context) error { <-release; return nil }, func(*progress, error) { close(done) })
	return done
}

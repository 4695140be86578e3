// SPDX-License-Identifier: Apache-2.0

package training

import (
	"reflect"
	"slices"
	"sync"

	"hide/internal/crf"
	"hide/internal/project"
)

// keptTrainers is how many projects keep the state of their last training, about 100
// bytes per token, so that the next training reads only new notes.
const keptTrainers = 2

// trainers holds the trainers of the most recently trained projects, the newest last.
type trainers struct {
	mu   sync.Mutex
	kept []keptTrainer
}

type keptTrainer struct {
	id      project.ID
	options trainOptions // without functions, model and phrases
	*crf.Trainer
}

// of returns the project's trainer, or a new one that starts from o.Warm if there is none
// or its options differ.
func (t *trainers) of(id project.ID, o trainOptions) (*crf.Trainer, error) {
	plain := o
	plain.Warm, plain.Progress, plain.Dictionaries = nil, nil, nil
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.kept, func(k keptTrainer) bool { return k.id == id })
	if i >= 0 {
		k := t.kept[i]
		t.kept = slices.Delete(t.kept, i, i+1)
		if reflect.DeepEqual(k.options, plain) {
			k.Progress = o.Progress
			t.kept = append(t.kept, k)
			return k.Trainer, nil
		}
	}
	made, err := crf.NewTrainer(o.Options)
	if err != nil {
		return nil, err
	}
	t.kept = append(t.kept, keptTrainer{id, plain, made})
	t.kept = t.kept[max(0, len(t.kept)-keptTrainers):]
	return made, nil
}

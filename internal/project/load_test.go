// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"sync"
	"testing"

	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/store"
)

// slowLearner holds up the load of one project.
type slowLearner struct {
	inner   project.Learner
	slow    project.ID
	entered chan struct{}
	goOn    chan struct{}
	mu      sync.Mutex // guards loads
	loads   int
}

func (l *slowLearner) OpenModel(ws *project.Workspace, tx *store.Tx) (project.Model, error) {
	if ws.ID == l.slow {
		l.mu.Lock()
		l.loads++
		l.mu.Unlock()
		close(l.entered) // a second load would panic here
		<-l.goOn
	}
	return l.inner.OpenModel(ws, tx)
}

// TestLoadingOneProjectHoldsUpNoOther opens a project that is slow to load, from two
// sides, and meanwhile works in another project.
func TestLoadingOneProjectHoldsUpNoOther(t *testing.T) {
	b := newBench(t)
	slow := b.NewProject(projecttest.Plain("one"), false)
	p, err := b.Create(t.Context(), projecttest.Broker, "Ward 8", nil)
	if err != nil {
		t.Fatal(err)
	}
	other := p.ID
	b.MustImport(other, projecttest.Plain("two"), false)
	b.Reopen()
	l := &slowLearner{inner: b.Trainer, slow: slow, entered: make(chan struct{}), goOn: make(chan struct{})}
	b.SetLearner(l)
	opened := make(chan *project.Workspace, 2)
	for range 2 {
		go func() {
			ws, _ := b.Workspace(slow)
			opened <- ws
		}()
	}
	<-l.entered
	b.MustNote(projecttest.Annotator, other, 1) // takes the lock of the service
	close(l.goOn)
	if first, second := <-opened, <-opened; first == nil || first != second || l.loads != 1 {
		t.Errorf("two workspaces of one project: %p and %p after %d loads", first, second, l.loads)
	}
}

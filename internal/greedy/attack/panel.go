// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"context"
	"crypto/sha256"
	"sync"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Panel is attackers who look at several publications of the same documents, as with
// one L/C after the other. What they learn elsewhere they learn once, and what was
// published before they do not attack again. One goroutine at a time uses it.
type Panel struct {
	p    Params
	done map[[sha256.Size]byte][]Result
}

// NewPanel takes the parameters of [Run].
func NewPanel(p Params) *Panel {
	p.elsewhere = nil
	for _, l := range p.Learners {
		p.elsewhere = append(p.elsewhere, &trainedOnce{Learner: l})
	}
	return &Panel{p, map[[sha256.Size]byte][]Result{}}
}

// Attack is [Run] of its attackers.
func (a *Panel) Attack(ctx context.Context, views []annotate.View) ([]Result, error) {
	if len(a.p.Kinds) == 0 {
		return nil, nil
	}
	masks := make([][]bool, len(views))
	for i, v := range views {
		masks[i] = v.Redacted
	}
	key := greedy.HashMasks(masks)
	if results, done := a.done[key]; done {
		return results, nil
	}
	results, err := Run(ctx, views, a.p, nil)
	if err == nil {
		a.done[key] = results
	}
	return results, err
}

// trainedOnce is a learner that is always given the same documents: it trains on
// them the first time.
type trainedOnce struct {
	greedy.Learner
	mu sync.Mutex // guards h
	h  greedy.Classifier
}

func (l *trainedOnce) Train(ctx context.Context, views []annotate.View) (greedy.Classifier, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.h != nil {
		return l.h, nil
	}
	h, err := l.Learner.Train(ctx, views)
	if err == nil {
		l.h = h
	}
	return h, err
}

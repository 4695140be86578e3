// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"hide/internal/account"
	"hide/internal/publish/joint"
)

// Limits of a preview of notes published with their fields.
const (
	maxJointKs      = 12
	maxJointLambdas = 21
)

func jointKey(id ID) string { return "joint/" + string(id) }

// StartJointPreview starts to try settings on the finished notes; what people marked
// is what is sensitive in them. A preview that runs is cancelled.
func (s *Service) StartJointPreview(ctx context.Context, by account.User, id ID, set JointSettings) error {
	ws, err := s.Enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	set.Ks, set.Lambdas = slices.Compact(slices.Sorted(slices.Values(set.Ks))), slices.Compact(slices.Sorted(slices.Values(set.Lambdas)))
	if err := set.check(); err != nil {
		return err
	}
	p := &JointPreview{Settings: set, PreviewStatus: PreviewStatus{Running: true}, All: len(set.Ks) * (1 + len(set.Lambdas))}
	return s.startPreview(ctx, ws, jointKey(id), &ws.joining, func() { ws.joint = p }, func(ctx context.Context) error {
		return s.runPreview(ws, &p.PreviewStatus, func() error { return s.tryJoint(ctx, ws, p) })
	})
}

func (set JointSettings) check() error {
	hint := "k is the number of patients that must be alike, lambda the weight of the fields from 0 to 1"
	if len(set.Ks) == 0 || len(set.Ks) > maxJointKs || len(set.Lambdas) == 0 || len(set.Lambdas) > maxJointLambdas {
		return Invalidf(hint, "a preview tries 1 to %d values of k and 1 to %d of lambda", maxJointKs, maxJointLambdas)
	}
	for _, k := range set.Ks {
		for _, lambda := range set.Lambdas {
			if err := (JointChoice{K: k, Lambda: lambda, Cut: set.Cut}).check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// CancelJointPreview ends the preview under way; what it has found stays.
func (s *Service) CancelJointPreview(ctx context.Context, by account.User, id ID) error {
	if _, err := s.Enter(by, account.Sanitize, id); err != nil {
		return err
	}
	s.jobs.Cancel(jointKey(id))
	return nil
}

// JointPreview is the newest preview, the zero value before the first. bundle is whose
// leaks count in its risk, 0 for the newest.
func (s *Service) JointPreview(ctx context.Context, by account.User, id ID, bundle int) (JointPreview, error) {
	ws, err := s.Enter(by, account.Sanitize, id)
	if err != nil {
		return JointPreview{}, err
	}
	mark, err := s.viewMark(ws)
	if err != nil {
		return JointPreview{}, err
	}
	leak, err := s.textLeak(ws, bundle)
	if err != nil {
		return JointPreview{}, err
	}
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	if ws.joint == nil {
		return JointPreview{Leak: leak}, nil
	}
	p := *ws.joint
	p.Points = slices.Clone(p.Points)
	p.Leak = leak
	p.PreviewStatus = p.since(mark)
	return p, nil
}

// tryJoint tries one k after the other, the least first.
func (s *Service) tryJoint(ctx context.Context, ws *Workspace, p *JointPreview) error {
	mark, err := s.viewMark(ws)
	if err != nil {
		return err
	}
	set, err := s.jointSet(ctx, ws, p.Settings.Known, p.Settings.Own)
	if err != nil {
		return err
	}
	v, err := set.view(ctx)
	if err != nil {
		return err
	}
	if set.Elsewhere, err = elsewhere(ctx, set.rows); err != nil {
		return err
	}
	ws.mu.Lock()
	p.JointData, p.mark, p.Made = set.JointData, mark, s.opts.Now().UTC()
	p.All = 0
	for _, k := range p.Settings.Ks {
		if k <= p.People {
			p.All += 1 + len(p.Settings.Lambdas)
		}
	}
	ws.mu.Unlock()
	if p.All == 0 {
		return Invalidf("try a smaller k, or finish notes of more patients", "only %d patients have finished notes, and k asks for %d", p.People, p.Settings.Ks[0])
	}
	for _, k := range p.Settings.Ks {
		o := joint.SweepOptions{K: []int{k}, Lambda: p.Settings.Lambdas, Cuts: []joint.Cut{cmp.Or(p.Settings.Cut, joint.Least)}, Ours: true, Workers: runtime.GOMAXPROCS(0)}
		before := p.Done // nobody else writes it
		points, err := v.Sweep(ctx, o, func(n, _ int) { s.jointTried(ws, p, before+n) })
		if err != nil {
			return err
		}
		ws.mu.Lock()
		p.Points = append(p.Points, points...)
		ws.mu.Unlock()
		s.Tell(ws.ID, TopicPublish)
	}
	return nil
}

func (s *Service) jointTried(ws *Workspace, p *JointPreview, done int) {
	ws.mu.Lock()
	p.Done = done
	ws.mu.Unlock()
	s.Tell(ws.ID, TopicPublish)
}

// SPDX-License-Identifier: Apache-2.0

package release

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/publish/joint"
)

// Limits of a preview of notes published with their fields.
const (
	maxJointKs      = 12
	maxJointLambdas = 21
)

// StartJointPreview starts to try settings on the finished notes. The annotations are the
// sensitive terms. It cancels a running preview.
func (s *Service) StartJointPreview(ctx context.Context, by account.User, id project.ID, set JointSettings) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	set.Ks, set.Lambdas = slices.Compact(slices.Sorted(slices.Values(set.Ks))), slices.Compact(slices.Sorted(slices.Values(set.Lambdas)))
	if err := set.check(); err != nil {
		return err
	}
	return ws.joint.Restart(ctx, JointPreview{Settings: set, All: len(set.Ks) * (1 + len(set.Lambdas))},
		func(ctx context.Context) error { return s.tryJoint(ctx, ws, set) },
		func(p *JointPreview, err error) { p.ended(err) },
	)
}

func (set JointSettings) check() error {
	hint := "k is the smallest size of an equivalence class; lambda, from 0 to 1, is the weight of the fields"
	if len(set.Ks) == 0 || len(set.Ks) > maxJointKs || len(set.Lambdas) == 0 || len(set.Lambdas) > maxJointLambdas {
		return project.Invalidf(hint, "a preview can try 1 to %d values of k and 1 to %d values of lambda", maxJointKs, maxJointLambdas)
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

// CancelJointPreview cancels the running preview; its results so far stay.
func (s *Service) CancelJointPreview(ctx context.Context, by account.User, id project.ID) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	ws.joint.Cancel()
	return nil
}

// JointPreview is the newest preview, the zero value before the first. Its risk uses the
// leak estimate of this bundle, 0 for the newest.
func (s *Service) JointPreview(ctx context.Context, by account.User, id project.ID, bundle int) (JointPreview, error) {
	ws, err := s.enter(by, account.Sanitize, id)
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
	p, running := ws.joint.State()
	p.Points = slices.Clone(p.Points)
	p.Leak = leak
	p.PreviewStatus = p.since(mark, running)
	return p, nil
}

// tryJoint tries the values of k in ascending order.
func (s *Service) tryJoint(ctx context.Context, ws *workspace, asked JointSettings) error {
	mark, err := s.viewMark(ws)
	if err != nil {
		return err
	}
	set, err := s.jointSet(ctx, ws, asked.Known, asked.Own)
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
	all := 0
	for _, k := range asked.Ks {
		if k <= set.People {
			all += 1 + len(asked.Lambdas)
		}
	}
	ws.joint.Change(func(p *JointPreview) {
		p.JointData, p.mark, p.Made, p.All = set.JointData, mark, s.projects.Now().UTC(), all
	})
	if all == 0 {
		return project.Invalidf("try a smaller k, or finish notes of more patients", "only %d patients have finished notes, and k is %d", set.People, asked.Ks[0])
	}
	for _, k := range asked.Ks {
		o := joint.SweepOptions{K: []int{k}, Lambda: asked.Lambdas, Cuts: []joint.Cut{cmp.Or(asked.Cut, joint.Least)}, Ours: true, Workers: runtime.GOMAXPROCS(0)}
		before, _ := ws.joint.State()
		points, err := v.Sweep(ctx, o, func(n, _ int) {
			ws.joint.Change(func(p *JointPreview) { p.Done = before.Done + n })
		})
		if err != nil {
			return err
		}
		ws.joint.Change(func(p *JointPreview) { p.Points = append(p.Points, points...) })
	}
	return nil
}

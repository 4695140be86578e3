// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"net/url"
	"slices"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
)

// releasedParts are the job and the releases of one kind, on the page that publishes
// it.
func (s *Server) releasedParts() []livePart {
	part := func(name string, kind release.Kind) livePart {
		return livePart{
			name: name, target: "#publish-state", needs: account.Sanitize,
			topics: []project.Topic{project.TopicPublish},
			render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
				p, err := s.projects.Project(ctx, u, id)
				if err != nil {
					return nil, err
				}
				v, err := s.released(ctx, u, p, kind)
				return publishState(v), err
			},
		}
	}
	return []livePart{part("table-released", release.KindTable), part("joint-released", release.KindJoint)}
}

// released is what has been published of one kind, and the job when it is of this.
func (s *Server) released(ctx context.Context, u account.User, p project.Overview, kind release.Kind) (publishView, error) {
	v := publishView{Project: p, Only: kind}
	if err := s.fillReleases(ctx, u, &v); err != nil {
		return v, err
	}
	v.Releases = slices.DeleteFunc(v.Releases, func(r release.Release) bool { return r.Kind != kind })
	if v.Status.Kind != kind && !v.Status.Running {
		v.Status = release.Status{}
	}
	return v, nil
}

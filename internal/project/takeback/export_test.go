// SPDX-License-Identifier: Apache-2.0

package takeback

import (
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// Begin records a removal and does no more, as if the process died there.
func (s *Service) Begin(ws *project.Workspace, kind Kind, docs []annotate.DocumentID) error {
	_, err := s.begin(ws, removal{
		Removed: Removed{Kind: kind, By: "u"},
		choose: func() (notes []annotate.DocumentID, bin []project.Binned, err error) {
			if kind != KindErased {
				return docs, nil, nil
			}
			bin, err = s.projects.Bin(ws.ID)
			return nil, bin, err
		},
		event: func(int) store.Event { return store.Event{Actor: "u", Action: "test"} },
	})
	return err
}

// SPDX-License-Identifier: Apache-2.0

package project

import (
	"slices"

	"hide/internal/annotate"
)

// Opened lists the unfinished documents that people have open.
func (ws *Workspace) Opened() []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	var open []annotate.DocumentID
	for _, h := range ws.hands {
		if r := ws.row(h.doc); r != nil && r.state != stateDone {
			open = append(open, h.doc)
		}
	}
	slices.Sort(open)
	return slices.Compact(open)
}

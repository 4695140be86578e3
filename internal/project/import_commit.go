// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/store"
)

// commit makes the documents visible and adds their labels.
func (in *intake) commit(report format.Report) error {
	if err := in.flush(); err != nil {
		return err
	}
	if err := in.writeNames(namesPortion); err != nil {
		return err
	}
	if err := in.findRenewed(); err != nil {
		return err
	}
	in.record.Committed, in.record.Report = true, report
	in.record.Report.Problems = nil // problems name files, so only the importer may see them
	info := in.ws.info
	info.Labels = in.labels
	ev := EventBy(in.by, "finish import", in.ws.ID.Object("imports", in.record.Number), fmt.Sprintf("%d documents", report.Documents))
	err := in.service.Update(in.ws.ID, ev, func(tx *store.Tx) (err error) {
		if in.record.Mapping, err = in.mapping.keep(tx, in.by, in.record.At); err != nil {
			return err
		}
		return errors.Join(
			store.PutJSON(tx, bucketImports, store.Key(in.record.Number), in.record),
			store.PutJSON(tx, bucketProject, infoKey, info),
			PurgeLinks(tx, in.renewed, nil),
			putNames(tx, in.names),
		)
	})
	if err != nil {
		in.record.Committed = false
	}
	return err
}

// announce shows the documents. Links that the import dropped go first.
func (in *intake) announce() (err error) {
	ws := in.ws
	if len(in.renewed) > 0 {
		err = ws.RereadLinks()
	}
	ws.mu.Lock()
	ws.info.Labels = in.labels
	ws.mu.Unlock()
	err = errors.Join(err, in.arrived(func(docs []annotate.DocumentID, statuses []*Status) {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		for i, doc := range docs {
			ws.put(doc, statuses[i])
		}
	}))
	in.service.Tell(ws.ID, TopicQueue)
	if in.opts.Finished {
		ws.model.FinishedChanged()
	}
	ws.noteArrival()
	return err
}

// findRenewed finds the linked records without a patient's key of which the import has the
// note: an earlier note of the same name was deleted, and this one may be about somebody
// else.
func (in *intake) findRenewed() error {
	in.renewed = map[string]bool{}
	unkeyed := map[string]bool{}
	for record := range in.ws.Links().Of {
		if !(annotate.Document{Linked: record}).Keyed() {
			unkeyed[record] = true
		}
	}
	if len(unkeyed) == 0 {
		return nil
	}
	return in.arrived(func(_ []annotate.DocumentID, statuses []*Status) {
		for _, st := range statuses {
			if unkeyed[st.Group] {
				in.renewed[st.Group] = true
			}
		}
	})
}

// arrived gives fn the documents of the import in portions, as they are stored. Nothing of
// them is kept in memory before, so that an import needs no more of it for more notes.
func (in *intake) arrived(fn func([]annotate.DocumentID, []*Status)) error {
	for first := in.record.First; first != 0 && first <= in.record.Last; first += importPortion {
		var docs []annotate.DocumentID
		var statuses []*Status
		err := in.service.View(in.ws.ID, func(tx *store.Tx) error {
			list := newStatuses(tx)
			for doc := first; doc <= min(in.record.Last, first+importPortion-1); doc++ {
				st, err := list.get(doc)
				if err != nil {
					return err
				}
				docs, statuses = append(docs, doc), append(statuses, &st)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("show import %d: %w", in.record.Number, err)
		}
		fn(docs, statuses)
	}
	return nil
}

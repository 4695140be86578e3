// SPDX-License-Identifier: Apache-2.0

package takeback

import (
	"context"
	"fmt"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// ImportWords is what a person types to confirm that an import is undone.
func ImportWords(number uint64) string { return fmt.Sprintf("import %d", number) }

// UndoImport moves all notes of an import into the bin. words confirms it, see
// [ImportWords].
func (s *Service) UndoImport(ctx context.Context, by account.User, id project.ID, number uint64, words string) error {
	ws, err := s.projects.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	choose := func() ([]annotate.DocumentID, []project.Binned, error) {
		docs := ws.OfImport(number)
		if len(docs) == 0 {
			return nil, nil, project.NotFoundf("project %s has no note of import %d", id, number)
		}
		return docs, nil, nil
	}
	if _, _, err := choose(); err != nil {
		return err
	}
	if err := confirmImport(number, words); err != nil {
		return err
	}
	return s.toBin(ctx, ws, removal{
		Removed: Removed{Kind: KindImport, By: by.ID, Import: number},
		choose:  choose,
		event: func(notes int) store.Event {
			return project.EventBy(by, "undo import", id.Object("imports", number), fmt.Sprintf("%d notes into the bin", notes))
		},
	})
}

// RestoreImport takes all notes of an undone import out of the bin, with their spans.
func (s *Service) RestoreImport(ctx context.Context, by account.User, id project.ID, number uint64) error {
	ws, err := s.projects.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	return ws.Restore(undoneWith(number), func(notes int) store.Event {
		return project.EventBy(by, "restore import", id.Object("imports", number), fmt.Sprintf("%d notes", notes))
	})
}

// undoneWith selects the notes of the bin that were undone with an import.
func undoneWith(number uint64) func(project.Binned) bool {
	return func(b project.Binned) bool { return number > 0 && b.Import == number }
}

// EraseImport erases the notes of an undone import that are in the bin now. words confirms
// it, see [ImportWords].
func (s *Service) EraseImport(ctx context.Context, by account.User, id project.ID, number uint64, words string) error {
	ws, err := s.projects.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	m := s.ofBin(id, by.ID, undoneWith(number), func(notes int) store.Event {
		return project.EventBy(by, "erase import", id.Object("imports", number), fmt.Sprintf("%d notes of the bin", notes))
	})
	if _, _, err := m.choose(); err != nil {
		return err
	}
	if err := confirmImport(number, words); err != nil {
		return err
	}
	_, err = s.erase(ctx, ws, m)
	return err
}

func confirmImport(number uint64, words string) error {
	return typed(ImportWords(number), words, "“"+ImportWords(number)+"”")
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hide/internal/annotate/dictionary"
	"hide/internal/project/training"
)

// readDictionaries reads every file of a folder, but for hidden ones. An empty
// name means no folder.
func readDictionaries(folder string) ([]dictionary.List, error) {
	if folder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read dictionaries: %w", err)
	}
	var lists []dictionary.List
	for _, entry := range entries {
		if entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		more, err := readDictionary(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		lists = append(lists, more...)
	}
	if len(lists) == 0 {
		return nil, withHint(fmt.Errorf("read dictionaries: %s holds no file", folder), training.DictionaryHint)
	}
	return lists, nil
}

func readDictionary(name string) ([]dictionary.List, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read dictionary: %w", err)
	}
	defer f.Close() // only read
	lists, err := dictionary.Read(filepath.Base(name), f)
	if err != nil {
		return nil, withHint(fmt.Errorf("read dictionary %s: %w", name, err), training.DictionaryHint)
	}
	return lists, nil
}

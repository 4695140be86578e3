// SPDX-License-Identifier: Apache-2.0

// Package tablefile reads the files of a table: its configuration, hierarchies, rows, and the
// population that they come from. Its errors name the file and keep their hint, see [hint.Of].
//
//	c, err := tablefile.ReadConfig("table.yaml")
//	t, err := tablefile.Read("table.csv", "", c)
package tablefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"hide/internal/hint"
	"hide/internal/publish/hierarchy"
	"hide/internal/publish/table"
)

// ReadConfig reads a configuration and the hierarchies it names, in the same folder.
func ReadConfig(name string) (c table.Config, err error) {
	f, err := os.Open(name)
	if err != nil {
		return c, err
	}
	defer f.Close() // only read
	if c, err = table.ReadConfig(f); err != nil {
		return c, hint.Add(fmt.Errorf("%s: %w", name, err), "docs/tables.md describes configurations")
	}
	c.Hierarchies = map[string]*hierarchy.Hierarchy{}
	for _, file := range c.HierarchyFiles() {
		c.Hierarchies[file], err = ReadHierarchy(filepath.Join(filepath.Dir(name), file))
		if errors.Is(err, fs.ErrNotExist) {
			return c, hint.Add(err, "attribute "+strconv.Quote(c.With(file))+" names it, in the folder of the configuration: write it there, or remove hierarchy:")
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// ReadHierarchy reads a hierarchy.
func ReadHierarchy(name string) (*hierarchy.Hierarchy, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	h, err := hierarchy.Read(f)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("hierarchy %s: %w", name, err), "one row per value: the value, then labels from specific to general, separated by semicolons")
	}
	return h, nil
}

// Read reads a CSV file of rows and, unless its name is "", the population that they come from.
func Read(name, population string, c table.Config) (*table.Table, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read
	if population == "" {
		t, err := table.ReadCSV(in, c)
		return t, named(name, err)
	}
	all, err := os.Open(population)
	if err != nil {
		return nil, err
	}
	defer all.Close() // only read
	t, err := table.ReadSample(in, all, c)
	if wrong := (*table.PopulationError)(nil); errors.As(err, &wrong) {
		return nil, named(population, wrong.Err)
	}
	return t, named(name, err)
}

// named adds the name of the file to an error.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

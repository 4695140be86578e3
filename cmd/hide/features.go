// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"strings"

	"hide/internal/crf"
)

const presetUsage = "`PRESET` of feature families: default, thorough (two passes: more accurate, five times the work), or hide (those of the dissertation)"

const dictionariesUsage = "`FOLDER` of dictionaries: every file in it, one term a line, census lists of names, or columns with a header"

// featureFlags are the flags that say what a tagger looks at.
type featureFlags struct {
	set                                     *flag.FlagSet
	preset, features, without, dictionaries string
}

// featureFlags adds --preset, --features, --without and --dictionaries to a
// command's flags.
func (e *env) featureFlags(f *flag.FlagSet) *featureFlags {
	v := &featureFlags{set: f}
	f.StringVar(&v.preset, "preset", "default", presetUsage)
	f.StringVar(&v.features, "features", "", "comma-separated `FAMILIES` of features instead of a preset: "+strings.Join(allFamilies(), ", "))
	f.StringVar(&v.without, "without", "", "comma-separated `FAMILIES` to leave out of the preset, or of --features")
	f.StringVar(&v.dictionaries, "dictionaries", "", dictionariesUsage)
	return v
}

func allFamilies() []string {
	var names []string
	for _, row := range crf.FamilyTable() {
		names = append(names, row.Name)
	}
	return names
}

// into puts what was typed into the options, and reads the dictionaries.
func (v *featureFlags) into(e *env, o *crf.Options) (err error) {
	if o.Features, err = e.families(v.preset); err != nil {
		return err
	}
	if v.features != "" {
		if err := e.idle(v.set, "with --features", "preset"); err != nil {
			return err
		}
		if o.Features, err = e.parseFamilies(v.features); err != nil {
			return err
		}
	}
	if v.without != "" {
		out, err := e.parseFamilies(v.without)
		if err != nil {
			return err
		}
		if missing := out &^ o.Features; missing != 0 {
			return e.usage("%s has no %s to leave out", v.origin(), strings.Join(missing.Names(), ", "))
		}
		o.Features &^= out
	}
	if o.Features == 0 {
		return e.usage("--without leaves no feature family")
	}
	if o.Features&(crf.Dictionary|crf.Member) == 0 {
		if err := e.idle(v.set, "without a family that looks words up", "dictionaries"); err != nil {
			return err
		}
	}
	o.Dictionaries, err = readDictionaries(v.dictionaries)
	return err
}

// origin is what --without leaves families out of.
func (v *featureFlags) origin() string {
	if v.features != "" {
		return "--features"
	}
	return "the preset " + v.preset
}

func (e *env) parseFamilies(names string) (crf.Families, error) {
	f, err := crf.ParseFamilies(names)
	if err != nil {
		return 0, e.usage("%v", err)
	}
	return f, nil
}

func (e *env) families(preset string) (crf.Families, error) {
	f, known := crf.Preset(preset)
	if !known {
		return 0, e.usage("unknown preset %q: there are %s", preset, strings.Join(crf.Presets(), ", "))
	}
	return f, nil
}

// name is the preset, or "custom" for any other choice of families.
func (v *featureFlags) name() string {
	if v.features != "" || v.without != "" {
		return "custom"
	}
	return v.preset
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"slices"

	"hide/internal/crf"
	"hide/internal/lab/evaluate"
	"hide/internal/option"
)

const dictionariesUsage = "`FOLDER` of dictionaries: every file in it, one term a line, census lists of names, or columns with a header"

// trainingFlags say how a tagger is trained.
type trainingFlags struct {
	evaluate.Training
	table        option.Table[evaluate.Training]
	dictionaries string
}

func (v *trainingFlags) declare(f *flag.FlagSet, tables ...option.Table[evaluate.Training]) {
	v.table = slices.Concat(tables...)
	v.table.Bind(f, &v.Training)
	f.StringVar(&v.dictionaries, "dictionaries", "", dictionariesUsage)
}

// options are the options of training that were typed, with the dictionaries read.
func (v *trainingFlags) options(e *env, f *flag.FlagSet) (o crf.Options, err error) {
	if unused := v.table.Unused(f, &v.Training); unused != nil {
		return o, e.refused(unused)
	}
	if v.Learner == "svm" {
		if err := e.idle(f, "with --learner svm", "dictionaries"); err != nil {
			return o, err
		}
	}
	if v.dictionaries != "" {
		v.Dictionaries = []crf.DictionaryList{} // checked before they are read
	}
	if _, err := v.Training.Options(); err != nil {
		return o, e.refused(err)
	}
	if v.Dictionaries, err = readDictionaries(v.dictionaries); err != nil {
		return o, err
	}
	return v.Training.Options()
}

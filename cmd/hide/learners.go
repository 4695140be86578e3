// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"hide/internal/greedy"
	"hide/internal/greedy/learners"
)

// learnersUsage says what --learners takes.
func learnersUsage() string {
	var rows []string
	for _, entry := range learners.Table() {
		rows = append(rows, entry.Name+" ("+entry.About+")")
	}
	return "`LEARNERS` with commas between: " + strings.Join(rows, "; ") +
		"; outside:COMMAND, a program of your own that reads {\"id\",\"text\"} and answers {\"id\",\"spans\"} or {\"id\",\"scores\"} line by line, as hide tag does, split at blanks and run without a shell"
}

// samplingUsage says what --sampling takes where it is that of several learners.
const samplingUsage = "`SETTINGS` of what every learner's training leaves out, programs of your own aside, and that of --attackers, who learn from all words, for more recall and less precision: " + samplingHelp

// learners reads a list of a flag. The commands among them are also given apart.
func (e *env) learners(flag, list string, o learners.Options) ([]greedy.Learner, []*outside, error) {
	var all []greedy.Learner
	var taggers []*outside
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		l, err := learner(name, o)
		if err != nil {
			return nil, nil, e.usage("--%s: %v", flag, err)
		}
		if slices.ContainsFunc(all, func(other greedy.Learner) bool { return other.Name() == l.Name() }) {
			return nil, nil, e.usage("--%s: %s is there twice", flag, l.Name())
		}
		if tagger, is := l.(*outside); is {
			taggers = append(taggers, tagger)
		}
		all = append(all, l)
	}
	return all, taggers, nil
}

func learner(name string, o learners.Options) (greedy.Learner, error) {
	if command, is := strings.CutPrefix(name, outsidePrefix); is {
		return newOutside(command)
	}
	return learners.New(name, o)
}

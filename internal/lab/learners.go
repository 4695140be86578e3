// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/greedy"
	"hide/internal/greedy/learners"
)

// LearnersHelp lists the learners that [Learners] knows.
func LearnersHelp() string {
	var rows []string
	for _, entry := range learners.Table() {
		rows = append(rows, entry.Name+" ("+entry.About+")")
	}
	return strings.Join(rows, "; ") +
		"; outside:COMMAND, a program of your own that reads {\"id\",\"text\"} and answers {\"id\",\"spans\"} or {\"id\",\"scores\"} line by line, as hide tag does, split at blanks and run without a shell"
}

// Learners makes the learners with these names. The programs among them are also given
// by themselves, for [Within].
func Learners(names []string, o learners.Options) (all []greedy.Learner, programs []*Outside, err error) {
	for _, name := range names {
		l, err := Learner(strings.TrimSpace(name), o)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(all, func(other greedy.Learner) bool { return other.Name() == l.Name() }) {
			return nil, nil, fmt.Errorf("%s is named twice", l.Name())
		}
		if program, is := l.(*Outside); is {
			programs = append(programs, program)
		}
		all = append(all, l)
	}
	return all, programs, nil
}

// Learner makes the learner of that name.
func Learner(name string, o learners.Options) (greedy.Learner, error) {
	if command, is := strings.CutPrefix(name, OutsidePrefix); is {
		return NewOutside(command)
	}
	return learners.New(name, o)
}

// Classes are the hypothesis classes that learners are run in: all together, or each by
// itself.
func Classes(learners []greedy.Learner, together bool) [][]greedy.Learner {
	if together {
		return [][]greedy.Learner{learners}
	}
	out := make([][]greedy.Learner, len(learners))
	for i, l := range learners {
		out[i] = []greedy.Learner{l}
	}
	return out
}

// ClassName joins the names of a class with +, as results are named.
func ClassName(class []greedy.Learner) string {
	names := make([]string, len(class))
	for i, l := range class {
		names[i] = l.Name()
	}
	return strings.Join(names, "+")
}

// SPDX-License-Identifier: Apache-2.0

package project

import "strings"

// Jobs counts the long work of one kind, such as "train", in all projects.
type Jobs struct{ Running, Waiting int }

// Jobs counts all long work by its kind.
func (s *Service) Jobs() map[string]Jobs {
	all := map[string]Jobs{}
	for key, waits := range s.jobs.Waiting() {
		kind, _, _ := strings.Cut(key, "/") // see NewTask: the rest is the project
		n := all[kind]
		n.Running++
		if waits {
			n.Waiting++
		}
		all[kind] = n
	}
	return all
}

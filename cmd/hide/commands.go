// SPDX-License-Identifier: Apache-2.0

package main

// commands is the table of hide, in the order that help lists them. A new
// command is one file and one row here.
func commands() []command {
	return []command{
		{"version", "[--json]", "print the version", runVersion},
	}
}

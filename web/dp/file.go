// SPDX-License-Identifier: Apache-2.0

package dp

import "hide/internal/publish/cube"

// countsFile is where a release of counts has them, by how they were made.
func countsFile(m cube.Method) string {
	switch m {
	case cube.Identity:
		return "cells.csv"
	case cube.Marginals:
		return "marginal-1.csv and those after it"
	}
	return "blocks.csv"
}

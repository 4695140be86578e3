// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"strings"
	"testing"

	"hide/internal/project/release"
)

func TestAdviceIsGivenWhereItHelps(t *testing.T) {
	var v tableView
	v.Preview.Rows = 28
	v.Preview.Choices = []release.TableChoice{{Error: "t must be above 0"}}
	if words := v.noneWords(); strings.Contains(words, "diversity") || strings.Contains(words, "28") {
		t.Errorf("%q", words)
	}
	v.Preview.Choices = append(v.Preview.Choices, release.TableChoice{Error: "k is 90", TooMuch: true})
	if words := v.noneWords(); !strings.Contains(words, "There are 28 patients") {
		t.Errorf("%q", words)
	}
}

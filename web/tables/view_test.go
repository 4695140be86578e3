// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"strings"
	"testing"

	"hide/internal/project/release"
	"hide/web/webtest"
)

func TestAdviceIsGivenWhereItHelps(t *testing.T) {
	var v tableView
	v.Preview.Rows = 28
	v.Preview.Choices = []release.TableChoice{{Error: "t must be above 0"}}
	if words := v.noneWords(); strings.Contains(words, "smaller l") || strings.Contains(words, "28") {
		t.Errorf("%q", words)
	}
	v.Preview.Choices = append(v.Preview.Choices, release.TableChoice{Error: "k is 90", TooMuch: true})
	if words := v.noneWords(); !strings.Contains(words, "There are 28 patients") {
		t.Errorf("%q", words)
	}
}

func TestATableOfWhichNoneCanBeHasNoEmptyHeading(t *testing.T) {
	v := tableView{Preview: release.TablePreview{Rows: 16, Choices: []release.TableChoice{{TableSettings: release.TableSettings{K: 25}, TooMuch: true, Error: "k is 25 and there are 16 rows"}}}}
	body := webtest.Rendered(t, tablePreviewPart(v))
	if strings.Contains(body, "Details of each table") || !strings.Contains(body, "No table satisfies the requirements. There are 16 patients") {
		t.Error("an empty heading, or no reason")
	}
}

// SPDX-License-Identifier: Apache-2.0

package model

import (
	"testing"

	"hide/internal/account"
	"hide/web/webtest"
)

func TestWordClassesAreAccessible(t *testing.T) {
	projects, id := webtest.RealProject(t, 2)
	v := openBrowser(t, account.Broker, projects)
	v.Open(v.Base + "/p/" + string(id) + "/dictionaries")
	v.WaitText("#classes", "has learnt no classes")
	v.Click("#classes button")
	v.WaitText("#classes", "too few frequent words")
	v.Axe()
	v.Shots("word-classes")
}

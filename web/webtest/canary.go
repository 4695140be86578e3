// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"regexp"
	"strings"
)

// Canary is a name that tests put into notes, to see where it turns up.
const Canary = "Ottoline Quarrington"

// kept finds addresses and titles: what a browser's history keeps.
var kept = regexp.MustCompile(`(?s)<title>.*?</title>|(?:href|action|formaction|src|hx-post|hx-get|hx-ws:connect|data-base)="[^"]*"`)

// Kept lists the addresses and the title of a page: what a browser's history, proxies
// and logs keep.
func Kept(page string) string { return strings.Join(kept.FindAllString(page, -1), "\n") }

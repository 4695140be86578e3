// SPDX-License-Identifier: Apache-2.0

// Package browsertest drives a real Chromium for tests of pages. Nothing but
// tests imports it.
//
//	b := browsertest.Start(t)
//	b.Open("http://127.0.0.1:8080/")
//	b.Type("#name", "Ada")
//	b.Press("Enter")
//	b.WaitText("h1", "Projects")
//	b.Axe()
//	b.Screenshot("projects.png")
//
// All tests of a package share one Chromium; each has a tab with cookies, storage
// and cache of its own. They run beside each other: Start calls t.Parallel.
//
// Every method fails the test when what it needs does not come within thirty
// seconds, and names it. When the test ends, three things are checked: no page
// wrote an error or a policy violation to the console, no exception went uncaught,
// and nothing asked for a host other than this machine. For the last, each tab gets
// a proxy that refuses and records; only loopback addresses go around it. (What
// Chromium asks on its own account goes to another refusing proxy.) A message that
// a test provokes on purpose is announced with [Browser.Expect].
//
// Chromium is the one that stands in the path as chromium, chromium-browser or
// google-chrome. Without one the test fails, with a hint; it is not skipped.
//
// axe/ holds axe-core, under its own licence (Mozilla Public License 2.0, see
// axe/LICENSE), which is given to pages under test and never served.
package browsertest

// SPDX-License-Identifier: Apache-2.0

package signin

import "strings"

// Marks in the User-Agent header. Browsers name those that they imitate, too, so the order
// counts: the first mark that is there decides.
var (
	browserMarks = [][2]string{
		{"Edg/", "Edge"}, {"EdgA/", "Edge"}, {"EdgiOS/", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"}, {"CriOS/", "Chrome"}, {"HeadlessChrome/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systemMarks = [][2]string{
		{"iPhone", "an iPhone"}, {"iPad", "an iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"}, {"Macintosh", "a Mac"}, {"Linux", "Linux"},
	}
)

// browserWords is a browser in plain words, "Firefox on Windows", "" if it is not known. The
// header itself is not kept: it says more about a person than a list of sessions needs.
func browserWords(agent string) string {
	browser, system := marked(browserMarks, agent), marked(systemMarks, agent)
	switch {
	case browser == "" && system == "":
		return ""
	case system == "":
		return browser
	case browser == "":
		return "a browser on " + system
	}
	return browser + " on " + system
}

func marked(marks [][2]string, agent string) string {
	for _, m := range marks {
		if strings.Contains(agent, m[0]) {
			return m[1]
		}
	}
	return ""
}

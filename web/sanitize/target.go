// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"strconv"

	"hide/internal/greedy/target"
	"hide/internal/option"
	"hide/internal/project/sanitize"
	"hide/web/ui"
)

// targetOptions are the options that ask for a target.
var targetOptions = []string{"target", "sure", "target-labels"}

// usualTarget is the target whose needs the page states before a run.
var usualTarget = target.Target{Share: 0.05, Sure: 0.95}

// target is what was entered as the target, "" for none.
func (f startForm) target() string {
	if texts := f.Field("target").Texts; len(texts) > 0 {
		return texts[0]
	}
	return ""
}

func (f startForm) targetWrong() bool {
	for _, name := range targetOptions {
		if f.Field(name).Problem != "" {
			return true
		}
	}
	return false
}

// withoutTarget is the form without the options of a target.
func withoutTarget(f option.Form) option.Form {
	for _, name := range targetOptions {
		f = f.Drop(name)
	}
	return f
}

// targetState: "none", "5 %".
func targetState(f startForm) string {
	text := f.target()
	if text == "" {
		return "none"
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text + " %"
	}
	return text
}

// earlierTargets says that the promise is about one choice.
func earlierTargets(t *sanitize.Targeted) string {
	return "Targets of " + ui.Count(t.Earlier, "earlier run", "earlier runs") + " were chosen on the same calibration notes. The promise holds for each run, but not for the best of them: decide on a run before you compare."
}

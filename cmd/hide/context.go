// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"

	"hide/internal/greedy"
)

// contextFlags ask for words that give identifiers away by standing near them.
type contextFlags struct {
	what string
	how  greedy.Context
}

// contextHow are the flags that change nothing without --context.
var contextHow = []string{"context-window", "context-support", "context-lift"}

func (v *contextFlags) declare(f *flag.FlagSet) {
	usual := greedy.Context{}.WithDefaults()
	f.StringVar(&v.what, "context", "none", "`WHAT` to do about words that are not sensitive but stand so often near one identifier that they give it away: none, list (count them and say so), or redact (they count as sensitive, with the label "+string(greedy.ContextLabel)+")")
	f.IntVar(&v.how.Window, "context-window", usual.Window, "near is within `N` tokens")
	f.IntVar(&v.how.MinSupport, "context-support", usual.MinSupport, "in at least `N` documents")
	f.Float64Var(&v.how.MinLift, "context-lift", usual.MinLift, "and at least `TIMES` as often as by chance")
}

// context is nil for none.
func (v *contextFlags) context(e *env, f *flag.FlagSet) (*greedy.Context, error) {
	c := v.how
	switch v.what {
	case "none":
		return nil, e.idle(f, "without --context", contextHow...)
	case "list", "redact":
		c.Redact = v.what == "redact"
	default:
		return nil, e.usage("--context: %q is none of none, list and redact", v.what)
	}
	if c.Window == 0 || c.MinSupport == 0 || c.MinLift == 0 {
		return nil, e.usage("--context-window, --context-support and --context-lift must be above 0")
	}
	if err := c.Check(); err != nil {
		return nil, e.usage("%v", err)
	}
	return &c, nil
}

const vcUsage = "`DIMENSION` (Vapnik-Chervonenkis) that theorems 5 and 6 take the class of classifiers to have: of a linear classifier the number of its weights and 1; 0 leaves them out"

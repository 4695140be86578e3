// SPDX-License-Identifier: Apache-2.0

package compare

// givenComparer compares given names.
type givenComparer struct{ wordsWork }

func newGivenComparer() *givenComparer {
	return &givenComparer{wordsWork{nicknames: nicknames()}}
}

func (c *givenComparer) Level(a, b string) int {
	if a == b {
		return 0
	}
	x, y := c.load(a, b)
	switch c.matchWords(x, y) {
	case nickname:
		return 1
	case part:
		return 2
	}
	return c.jaro.level(3, x, y)
}

// wordsComparer compares surnames, streets, places and texts: values of one word or several.
type wordsComparer struct{ wordsWork }

func (c *wordsComparer) Level(a, b string) int {
	if a == b {
		return 0
	}
	x, y := c.load(a, b)
	if c.matchWords(x, y) == part {
		return 1
	}
	return c.jaro.level(2, x, y)
}

var fullNameLevels = []string{equal, "other order", "nickname, initial or part", "similar words", "one name equal", different}

// fullNameComparer compares names whose order may differ: the words of one find their best
// counterparts in the other.
type fullNameComparer struct{ wordsWork }

func newFullNameComparer() *fullNameComparer {
	return &fullNameComparer{wordsWork{nicknames: nicknames()}}
}

func (c *fullNameComparer) Level(a, b string) int {
	if a == b {
		return 0
	}
	x, y := c.load(a, b)
	c.cut(x, y)
	fewer := min(len(c.wordsX), len(c.wordsY))
	matched := c.pair(similar)
	switch {
	case matched.words < fewer || fewer == 0:
	case matched.worst == same && len(c.wordsX) == len(c.wordsY):
		return 1
	case matched.equal > 0 && fewer > 1 && matched.worst < similar:
		return 2
	case fewer > 1:
		return 3
	}
	if matched.equal > 0 {
		return 4
	}
	return 5
}

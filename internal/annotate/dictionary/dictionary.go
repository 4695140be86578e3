// SPDX-License-Identifier: Apache-2.0

// Package dictionary has lists of terms: the program's own, such as first names and
// months, and those that a user gives.
//
//	lists, err := dictionary.Read("surnames.csv", file) // a user's file
//	months := dictionary.Terms("months")                 // one of the program's own
//
// A [List] is a name and its phrases. Package crf finds the phrases in notes and keeps
// a user's lists with the model.
package dictionary

import (
	"crypto/sha256"
	"embed"
	"path"
	"strings"
	"sync"
)

// List is a named list of phrases, such as first names or hospitals. Phrases are
// compared token by token without regard to case and accents.
type List struct {
	Name    string
	Phrases []string
}

//go:embed lists/*.txt
var files embed.FS

// OwnPrefix begins the names of the program's own lists, so that no list of a user
// is taken for one of them.
const OwnPrefix = "."

// Own are the program's own lists, one term a line.
var Own = sync.OnceValue(func() []List {
	entries, err := files.ReadDir("lists")
	if err != nil {
		panic("dictionary: the program's own lists are missing")
	}
	lists := make([]List, len(entries))
	for i, f := range entries {
		text, err := files.ReadFile(path.Join("lists", f.Name()))
		if err != nil {
			panic("dictionary: one of the program's own lists is missing")
		}
		lists[i] = List{OwnPrefix + strings.TrimSuffix(f.Name(), ".txt"), strings.Split(strings.TrimSpace(string(text)), "\n")}
	}
	return lists
})

// OwnSum is a hash of the program's own lists. It changes when they do.
var OwnSum = sync.OnceValue(func() [sha256.Size]byte {
	h := sha256.New()
	for _, list := range Own() {
		h.Write([]byte(list.Name + "\n" + strings.Join(list.Phrases, "\n") + "\n"))
	}
	return [sha256.Size]byte(h.Sum(nil))
})

// Terms are the terms of one of the program's own lists, such as "given" or
// "months", as they are written. It panics when there is no such list.
func Terms(name string) []string {
	for _, list := range Own() {
		if list.Name == OwnPrefix+name {
			return list.Phrases
		}
	}
	panic("dictionary: there is no list " + name)
}

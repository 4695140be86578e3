// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"embed"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed lists/*.txt
var listFiles embed.FS

// ownPrefix begins the names of the program's own lists, so that no list of a
// user's is taken for one of them.
const ownPrefix = "."

// ownLists are the program's own small lists, one term a line.
var ownLists = sync.OnceValue(func() []DictionaryList {
	files, err := listFiles.ReadDir("lists")
	if err != nil {
		panic("crf: its own lists are missing")
	}
	lists := make([]DictionaryList, len(files))
	for i, f := range files {
		text, err := listFiles.ReadFile(path.Join("lists", f.Name()))
		if err != nil {
			panic("crf: one of its own lists is missing")
		}
		lists[i] = DictionaryList{ownPrefix + strings.TrimSuffix(f.Name(), ".txt"), strings.Split(strings.TrimSpace(string(text)), "\n")}
	}
	return lists
})

// ownGazetteer has the program's own lists alone.
var ownGazetteer = sync.OnceValue(func() *gazetteer { return newGazetteer(ownLists()) })

// gazetteer has the lists that the options ask for; nil for none.
func (o Options) gazetteer() *gazetteer {
	user := o.Dictionaries
	if o.Features&(Dictionary|Member) == 0 {
		user = nil
	}
	switch {
	case o.Features&List == 0:
		return newGazetteer(user)
	case len(user) == 0:
		return ownGazetteer()
	}
	return newGazetteer(slices.Concat(ownLists(), user))
}

// OwnTerms are the terms of one of the program's own lists, such as "given" or
// "months", as they are written. It panics when there is no such list.
func OwnTerms(name string) []string { return ownTerms(name) }

// ownTerms are the terms of one of the program's own lists.
func ownTerms(name string) []string {
	for _, list := range ownLists() {
		if list.Name == ownPrefix+name {
			return list.Phrases
		}
	}
	panic("crf: there is no list " + name)
}

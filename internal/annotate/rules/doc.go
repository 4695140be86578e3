// SPDX-License-Identifier: Apache-2.0

// Package rules finds sensitive spans with patterns and trigger words alone, for
// the time before a model has learnt anything.
//
//	found := rules.Find(text)                              // what looks like a date, a phone, a name
//	guide := rules.Learn(finished)                         // what this project calls them, and how often they were right
//	for _, s := range guide.Suggest(labels, found) { ... } // suggestions under the project's own labels
//
// A rule knows a [Kind] of thing, such as a date, and no label. Which label a
// project gives to it, [Learn] reads off the notes that people have finished: the
// label that stands most often where the rule found something. So the rules serve
// label sets that they have never heard of, and a rule that is mostly wrong in a
// project falls silent there. Before anything is finished, labels of usual names
// are taken.
//
// The rules read tokens, in one pass, and take time linear in the text. They know
// months, titles and field names in English, Spanish, French and German, and the
// names and places of the program's own lists.
//
// # Caveats
//
// Rules miss names that nothing announces. They are a start for an annotator, not
// a tagger to publish by; [Guide.Recall] says how much they find, and that is for
// the caller to look at before anybody is shown a suggestion.
package rules

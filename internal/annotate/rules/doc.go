// SPDX-License-Identifier: Apache-2.0

// Package rules finds sensitive spans with patterns and trigger words, for the time
// before a model is trained.
//
//	found := rules.Find(text)                          // dates, telephone numbers, names ...
//	guide := rules.Learn(finished)                     // the project's label for each kind
//	suggestions := guide.Suggest(labels, found)        // under the project's labels
//
// A rule finds a [Kind] of text, such as a date, and knows no labels. [Learn] takes the
// label of each kind from finished notes: the most frequent label where the rule found
// something. A kind that is mostly wrong in a project is not suggested. Before a note is
// finished, labels with usual names are taken.
//
// The rules read tokens in one pass, in time linear in the text. They know months,
// titles and field names in English, Spanish, French and German, and the names and
// places of the program's own lists.
//
// # Caveats
//
// Rules miss names without a title, a field name or a list entry. Use them to help
// annotators, not to publish; [Guide.Recall] measures how much they find.
package rules

// SPDX-License-Identifier: Apache-2.0

// Package fulltext is an index of the words in documents, and the search in it. It keeps
// nothing itself: pages and directories are bytes that the caller stores.
//
// A [Run] collects the words of documents in memory. [Merge] writes it, together with
// earlier segments, as one [Segment]: pages in the order of their words, and a [Directory]
// with the first word of each page. A search reads the directory and the pages of its words:
//
//	run := fulltext.NewRun()
//	for doc, text := range texts {
//		run.Add(doc, text)
//	}
//	segment, err := fulltext.Merge([]fulltext.Input{run}, put)
//	...
//	docs, err := segment.Match(fulltext.Parse(`"anna müller" ulm*`), page)
//
// Words are compared without case and accents, see [Words]. The index says which documents
// have all words of a query. Whether words follow each other is seen in the text, see
// [Query.Find].
//
// # Caveats
//
// Pages and directories hold words of the documents: encrypt them, and put no part of them
// in a key. Documents are added in ascending order of their numbers. Words longer than 64
// bytes are compared by their first 64.
package fulltext

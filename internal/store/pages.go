// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// This file reads the pages of a bbolt file without bbolt. bbolt trusts the content of
// its pages: with damaged ones it panics, faults or loops forever. Files that pass
// these checks are safe for it to open.

const (
	pageHeader  = 16
	pageElement = 16
	metaMagic   = 0xED0CDAED
	metaVersion = 2
	metaSize    = 64

	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagFreelist = 0x10
	flagBucket   = 0x01 // on a leaf element

	noFreelist = ^uint64(0)
	maxDepth   = 64
)

// pageMeta is one of the two meta pages.
type pageMeta struct {
	pageSize             int64
	root, freelist, high uint64 // page numbers; high is the first unused one
	txid                 uint64
}

func parseMeta(b []byte) (pageMeta, bool) {
	u := binary.NativeEndian
	if len(b) < metaSize || u.Uint32(b) != metaMagic || u.Uint32(b[4:]) != metaVersion {
		return pageMeta{}, false
	}
	h := fnv.New64a()
	h.Write(b[:56])
	m := pageMeta{
		pageSize: int64(u.Uint32(b[8:])),
		root:     u.Uint64(b[16:]),
		freelist: u.Uint64(b[32:]),
		high:     u.Uint64(b[40:]),
		txid:     u.Uint64(b[48:]),
	}
	sane := m.pageSize >= 1024 && m.pageSize <= 1<<16 && m.pageSize&(m.pageSize-1) == 0
	return m, sane && u.Uint64(b[56:]) == h.Sum64()
}

// readMetas returns the valid meta pages, newest first.
func readMetas(r io.ReaderAt) ([]pageMeta, error) {
	var metas []pageMeta
	read := func(at int64) (pageMeta, bool) {
		b := make([]byte, metaSize)
		if _, err := r.ReadAt(b, at+pageHeader); err != nil {
			return pageMeta{}, false
		}
		return parseMeta(b)
	}
	if m, ok := read(0); ok {
		metas = append(metas, m)
	}
	for size := int64(1024); size <= 1<<16; size *= 2 {
		m, ok := read(size)
		if ok && m.pageSize == size && (len(metas) == 0 || metas[0].pageSize == size) {
			metas = append(metas, m)
			break
		}
	}
	if len(metas) == 0 {
		return nil, errors.New("neither of its first pages is valid")
	}
	if len(metas) == 2 && metas[1].txid > metas[0].txid {
		metas[0], metas[1] = metas[1], metas[0]
	}
	return metas, nil
}

// walker checks the pages that one meta page reaches.
type walker struct {
	r       io.ReaderAt
	meta    pageMeta
	seen    []bool // per page: whether it was reached or is the free list itself
	shallow bool   // skip the leaves of wide trees: enough to keep bbolt from looping
}

// checkPages verifies the structure of the file as meta sees it, and returns the
// pages in use. Sizes are compared before anything is read.
func checkPages(r io.ReaderAt, size int64, meta pageMeta, shallow bool) ([]bool, error) {
	if meta.high < 3 || meta.high > uint64(size/meta.pageSize) {
		return nil, fmt.Errorf("the file is cut short: %d bytes, %d pages of %d are needed", size, meta.high, meta.pageSize)
	}
	w := &walker{r: r, meta: meta, seen: make([]bool, meta.high), shallow: shallow}
	w.seen[0], w.seen[1] = true, true
	if err := w.tree(meta.root, nil, nil, 0); err != nil {
		return nil, err
	}
	if meta.freelist == noFreelist {
		return nil, errors.New("the list of free pages is missing")
	}
	return w.seen, w.free(meta.freelist)
}

// page reads page id with its overflow pages, and marks them as reached.
func (w *walker) page(id uint64) (flags uint16, count int, page []byte, err error) {
	head := make([]byte, pageHeader)
	if id < 2 || id >= w.meta.high {
		return 0, 0, nil, fmt.Errorf("page %d does not exist", id)
	}
	if _, err := w.r.ReadAt(head, int64(id)*w.meta.pageSize); err != nil {
		return 0, 0, nil, fmt.Errorf("read page %d: %w", id, err)
	}
	u := binary.NativeEndian
	overflow := uint64(u.Uint32(head[12:]))
	if u.Uint64(head) != id || id+overflow >= w.meta.high {
		return 0, 0, nil, fmt.Errorf("page %d is not what it should be", id)
	}
	for i := id; i <= id+overflow; i++ {
		if w.seen[i] {
			return 0, 0, nil, fmt.Errorf("page %d is used twice", i)
		}
		w.seen[i] = true
	}
	page = make([]byte, int64(overflow+1)*w.meta.pageSize)
	if _, err := w.r.ReadAt(page, int64(id)*w.meta.pageSize); err != nil {
		return 0, 0, nil, fmt.Errorf("read page %d: %w", id, err)
	}
	return u.Uint16(head[8:]), int(u.Uint16(head[10:])), page, nil
}

// tree checks the page and everything below it. Keys must be in [low, high);
// nil means no limit.
func (w *walker) tree(id uint64, low, high []byte, depth int) error {
	if depth > maxDepth {
		return errors.New("the tree is too deep")
	}
	flags, count, page, err := w.page(id)
	if err != nil {
		return err
	}
	switch flags {
	case flagBranch:
		return w.branch(id, page, count, low, high, depth)
	case flagLeaf:
		return w.leaf(page, count, low, high, depth)
	}
	return fmt.Errorf("page %d is of no known kind", id)
}

func (w *walker) branch(id uint64, page []byte, count int, low, high []byte, depth int) error {
	if count == 0 {
		return fmt.Errorf("page %d is empty", id)
	}
	keys, children := make([][]byte, count), make([]uint64, count)
	for i := range count {
		at := pageHeader + i*pageElement
		if at+pageElement > len(page) {
			return fmt.Errorf("page %d holds less than it says", id)
		}
		e := page[at : at+pageElement]
		u := binary.NativeEndian
		key, err := slice(page, at, u.Uint32(e), u.Uint32(e[4:]), 0)
		if err != nil {
			return fmt.Errorf("page %d: %w", id, err)
		}
		keys[i], children[i] = key, u.Uint64(e[8:])
	}
	if err := ordered(keys, low, high); err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	return w.children(keys, children, high, depth)
}

func (w *walker) children(keys [][]byte, ids []uint64, high []byte, depth int) error {
	leaves := w.shallow && w.isLeaf(ids[0])
	for i, id := range ids {
		if leaves && i > 0 {
			continue // a tree's leaves are all at one depth
		}
		upper := high
		if i+1 < len(keys) {
			upper = keys[i+1]
		}
		if err := w.tree(id, keys[i], upper, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) isLeaf(id uint64) bool {
	b := make([]byte, pageHeader)
	if id >= w.meta.high {
		return false
	}
	_, err := w.r.ReadAt(b, int64(id)*w.meta.pageSize)
	return err == nil && binary.NativeEndian.Uint16(b[8:]) == flagLeaf
}

// leaf checks a leaf page, or the inline page of a small bucket.
func (w *walker) leaf(page []byte, count int, low, high []byte, depth int) error {
	keys := make([][]byte, count)
	for i := range count {
		at := pageHeader + i*pageElement
		if at+pageElement > len(page) {
			return errors.New("a leaf page holds less than it says")
		}
		e, u := page[at:at+pageElement], binary.NativeEndian
		flags, pos, ksize, vsize := u.Uint32(e), u.Uint32(e[4:]), u.Uint32(e[8:]), u.Uint32(e[12:])
		all, err := slice(page, at, pos, ksize, vsize)
		if err != nil {
			return err
		}
		keys[i] = all[:ksize]
		if err := w.value(flags, all[ksize:], depth); err != nil {
			return err
		}
	}
	return ordered(keys, low, high)
}

// value checks a leaf's value and, if it is a bucket, its tree.
func (w *walker) value(flags uint32, value []byte, depth int) error {
	if flags == 0 {
		return nil
	}
	if flags != flagBucket || len(value) < 16 {
		return errors.New("an entry is of no known kind")
	}
	u := binary.NativeEndian
	if root := u.Uint64(value); root != 0 {
		return w.tree(root, nil, nil, depth+1)
	}
	inline := value[16:]
	if len(inline) < pageHeader || u.Uint16(inline[8:]) != flagLeaf || depth > maxDepth {
		return errors.New("a small bucket is not what it should be")
	}
	return w.leaf(inline, int(u.Uint16(inline[10:])), nil, nil, depth+1)
}

// slice returns the key and value of the element at a position in the page.
func slice(page []byte, at int, pos, ksize, vsize uint32) ([]byte, error) {
	start := uint64(at) + uint64(pos)
	end := start + uint64(ksize) + uint64(vsize)
	if pos < pageElement || ksize == 0 || end > uint64(len(page)) {
		return nil, errors.New("an entry points outside of its page")
	}
	return page[start:end], nil
}

func ordered(keys [][]byte, low, high []byte) error {
	for i, k := range keys {
		if i > 0 && bytes.Compare(keys[i-1], k) >= 0 {
			return errors.New("keys are out of order")
		}
	}
	if len(keys) == 0 {
		return nil
	}
	if low != nil && bytes.Compare(keys[0], low) < 0 || high != nil && bytes.Compare(keys[len(keys)-1], high) >= 0 {
		return errors.New("a key is on the wrong page")
	}
	return nil
}

// free checks the list of free pages: ascending, within the file, none in use.
func (w *walker) free(id uint64) error {
	flags, count, page, err := w.page(id)
	if err != nil {
		return err
	}
	list, u := page[pageHeader:], binary.NativeEndian
	n := uint64(count)
	if count == 0xFFFF {
		n, list = u.Uint64(list), list[8:]
	}
	if flags != flagFreelist || n > uint64(len(list)/8) {
		return errors.New("the list of free pages is not what it should be")
	}
	last := uint64(1)
	for i := range n {
		p := u.Uint64(list[8*i:])
		if p <= last || p >= w.meta.high || (w.seen[p]) {
			return fmt.Errorf("the list of free pages names page %d, which is not free", p)
		}
		last = p
	}
	return nil
}

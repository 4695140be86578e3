// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
)

// version is the release this tree is becoming; builds from a checkout add the
// commit.
const version = "0.1.0"

func runVersion(_ context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags(), args, 0, 0); err != nil {
		return err
	}
	commit, goVersion := build()
	v := struct {
		Version string `json:"version"`
		Commit  string `json:"commit,omitempty"`
		Go      string `json:"go"`
	}{version, commit, goVersion}
	return e.result(v, func(w io.Writer) {
		fmt.Fprintln(w, "hide", full(v.Version, v.Commit), v.Go)
	})
}

// toolVersion is what bundles and releases record about the program that wrote
// them.
func toolVersion() string {
	commit, _ := build()
	return full(version, commit)
}

// build is the commit, with "+changes" when the tree had any, and the version of Go.
func build() (commit, goVersion string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", ""
	}
	changed := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	if commit != "" {
		commit += changed
	}
	return commit, info.GoVersion
}

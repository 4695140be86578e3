// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"text/tabwriter"

	"hide/internal/caller"
	"hide/internal/publish/policy"
)

// policyNamed is a policy of the program, or that of a file.
func policyNamed(files caller.Files, name string) (policy.Policy, error) {
	p, unknown := policy.Find(name)
	if unknown == nil {
		return p, nil
	}
	file, err := files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return p, withHint(unknown, "see: hide policy list")
	}
	if err != nil {
		return p, err
	}
	defer file.Close()
	if p, err = policy.Read(file); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return p, err
}

func runPolicyList(_ context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags(), args, 0, 0); err != nil {
		return err
	}
	all := policy.Builtin()
	return e.result(all, func(w io.Writer) {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, p := range all {
			fmt.Fprintf(t, "%s\t%s\t%s\n", p.Name, p.Basis.Words(), p.Title)
		}
		_ = t.Flush() // an error of w is met by the next write
	})
}

// runPolicyShow prints a policy. With --json it is a policy file, to be changed and used.
func runPolicyShow(_ context.Context, e *env, args []string) error {
	names, err := e.parse(e.flags(), args, 1, 1)
	if err != nil {
		return err
	}
	p, err := policyNamed(e.files(), names[0])
	if err != nil {
		return err
	}
	return e.result(p, func(w io.Writer) { writePolicy(w, p) })
}

func writePolicy(w io.Writer, p policy.Policy) {
	fmt.Fprintf(w, "%s: %s (%s)\n", p.ID(), p.Title, p.Basis.Words())
	for _, line := range p.About {
		fmt.Fprintln(w, line)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range p.Rules {
		fmt.Fprintf(t, "%s\t%s\t%s\n", r.Label, r.Words(), r.Why)
	}
	_ = t.Flush() // an error of w is met by the next write
	fmt.Fprintln(w, p.Basis.Statement())
}

func runPolicyCheck(_ context.Context, e *env, args []string) error {
	names, err := e.parse(e.flags(), args, 1, 1)
	if err != nil {
		return err
	}
	file, err := os.Open(names[0])
	if err != nil {
		return err
	}
	defer file.Close()
	p, err := policy.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", names[0], err)
	}
	v := struct {
		Policy string       `json:"policy"`
		Basis  policy.Basis `json:"basis"`
		SHA256 string       `json:"sha256"`
	}{p.ID(), p.Basis, p.SHA256()}
	return e.result(v, func(w io.Writer) { fmt.Fprintf(w, "%s keeps to its basis %s\n", v.Policy, p.Basis.Words()) })
}

// SPDX-License-Identifier: Apache-2.0

package ndjson

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestFilterEndsWhenInterrupted waits for input that never comes.
func TestFilterEndsWhenInterrupted(t *testing.T) {
	in, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	answered := make(chan struct{})
	go func() {
		fmt.Fprintln(never, `{"id":"a","text":"b"}`)
		<-answered
		cancel()
	}()
	err := Filter(ctx, in, &out, func(in Doc) any {
		close(answered)
		return *in.ID + *in.Text
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if out.String() != "\"ab\"\n" {
		t.Errorf("answered %q", out.String())
	}
}

// TestFilterAnswersAtOnce checks that an answer does not wait for the next line.
func TestFilterAnswersAtOnce(t *testing.T) {
	in, lines := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Filter(t.Context(), in, out, func(in Doc) any { return in.ID }) }()
	buf := make([]byte, 100)
	for i := range 3 {
		fmt.Fprintf(lines, `{"id":"%d","text":""}`+"\n", i)
		n, err := answers.Read(buf)
		if err != nil || string(buf[:n]) != fmt.Sprintf("\"%d\"\n", i) {
			t.Fatalf("got %q, %v", buf[:n], err)
		}
	}
	lines.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestIdentitiesAreReadStrictly(t *testing.T) {
	d, err := parseDoc([]byte(`{"id":"a","text":"b","known":["K"],"identities":[{"of":"patient","label":"PATIENT","value":"Anna Wei\u00df","from":"PID-5"}]}`))
	if err != nil || len(d.Identities) != 1 || d.Identities[0].Value != "Anna Weiß" || strings.Join(d.AllKnown(), ";") != "K;Anna Weiß" {
		t.Errorf("got %v, %v", d.AllKnown(), err)
	}
	for _, identities := range []string{
		`{"of":"patient"}`, `["Gwendolyn"]`, `[null]`, `[{"of":"patient","label":"PATIENT","value":"Gwendolyn","name":"x"}]`, `[{"of":"patient","label":"PATIENT","VALUE":"Gwendolyn"}]`,
		`[{"of":"patient","label":"PATIENT","value":"x","value":"Gwendolyn"}]`, `[{"of":"Gwendolyn","label":"PATIENT","value":"x"}]`, `[{"of":"patient","label":"1 2","value":"Gwendolyn"}]`,
		`[{"of":"patient","label":"PATIENT","value":""}]`, `[{"of":"patient","label":"PATIENT","value":"Gwendolyn\ud83d"}]`,
		"[" + strings.Repeat(`{"of":"patient","label":"PATIENT","value":"Gwendolyn"},`, mostIdentities) + `{"of":"patient","label":"PATIENT","value":"Gwendolyn"}]`,
	} {
		_, err := parseDoc([]byte(`{"id":"a","text":"b","identities":` + identities + `}`))
		if err == nil || strings.Contains(err.Error(), "Gwendolyn") {
			t.Errorf("%.60s: got %v", identities, err)
		}
	}
}

func FuzzParseDoc(f *testing.F) {
	for _, seed := range []string{`{"id":"a","text":"b"}`, `{"id":"a","text":"\ud83d"}`, `{"id":"a","text":"\ufffd"}`, `{}`, `null`, `[`, "\xff", `{"id":"a","text":"b","identities":[{"of":"patient","label":"A","value":"b"},null]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		d, err := parseDoc(line)
		if err == nil && (d.ID == nil || d.Text == nil) {
			t.Error("an incomplete line was accepted")
		}
	})
}

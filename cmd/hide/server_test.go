// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// served is a hide server that runs inside the test.
type served struct {
	base  string // http://127.0.0.1:PORT
	token string // of the link that it printed
}

// serveHide runs a command that serves, demo or serve, until the test ends, and
// reads the link from its first line.
func serveHide(t *testing.T, args ...string) served {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		code := run(ctx, args, &env{stdin: strings.NewReader(""), stdout: w, stderr: io.Discard})
		w.CloseWithError(fmt.Errorf("hide %s ended with exit code %d", args[0], code))
		ended <- code
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != exitDone {
			t.Errorf("hide %s ended with exit code %d", args[0], code)
		}
	})
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, r) //nolint:errcheck // nobody reads what else it prints
	return parseLink(t, line)
}

func parseLink(t *testing.T, line string) served {
	t.Helper()
	link, err := url.Parse(strings.TrimSpace(line))
	if err != nil || link.Fragment == "" {
		t.Fatalf("the first line is no link: %v", err)
	}
	return served{base: "http://" + link.Host, token: link.Fragment}
}

func (s served) link() string { return s.base + linkPath + s.token }

// visitor talks to a server as a browser without scripts does.
type visitor struct {
	*http.Client
	base string
}

func newVisitor(base string) *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err)
	}
	return &visitor{Client: &http.Client{Jar: jar}, base: base}
}

func (v *visitor) get(path string) (string, error) {
	resp, err := v.Client.Get(v.base + path)
	if err != nil {
		return "", err
	}
	return readBody(resp)
}

func (v *visitor) post(path string, form url.Values) (string, error) {
	resp, err := v.PostForm(v.base+path, form)
	if err != nil {
		return "", err
	}
	return readBody(resp)
}

func readBody(resp *http.Response) (string, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", resp.Request.URL.Path, resp.Status)
	}
	return string(body), err
}

const testPassword = "correct horse battery staple"

func (v *visitor) signIn(name string) error {
	if _, err := v.get("/sign-in"); err != nil {
		return err
	}
	if _, err := v.post("/sign-in", url.Values{"name": {name}, "password": {testPassword}}); err != nil {
		return err
	}
	_, err := v.get("/")
	return err
}

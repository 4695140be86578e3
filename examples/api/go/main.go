// SPDX-License-Identifier: Apache-2.0

// Command go redacts notes from standard input with the HTTP API of hide. It uses the standard
// library only.
//
//	HIDE_URL=http://127.0.0.1:8080 HIDE_TOKEN=hide_... go run . -project p1 < notes.jsonl
//
// Each line of the input is a note, {"id":"1","text":"..."}. The output has a line for each, in
// order, as soon as it is redacted. The token needs the scope redact.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// client asks the API of one server as the person of a token.
type client struct{ base, token string }

func run(ctx context.Context, args []string, in io.Reader, out, log io.Writer) error {
	f := flag.NewFlagSet("redact", flag.ContinueOnError)
	project := f.String("project", "", "`id` of the project")
	model := f.String("model", "", "`id` of the redaction model (default: the newest)")
	if err := f.Parse(args); err != nil {
		return err
	}
	c := client{strings.TrimSuffix(os.Getenv("HIDE_URL"), "/") + "/api/v1", os.Getenv("HIDE_TOKEN")}
	if *model == "" {
		var err error
		if *model, err = c.newestModel(ctx, *project); err != nil {
			return err
		}
	}
	answer, err := c.do(ctx, http.MethodPost, "/projects/"+*project+"/models/"+*model+"/redact", "application/x-ndjson", in)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var warnings []string
	if err := json.Unmarshal([]byte(answer.Header.Get("Hide-Warnings")), &warnings); err != nil {
		return fmt.Errorf("read the warnings: %w", err)
	}
	for _, w := range warnings {
		fmt.Fprintln(log, "warning:", w)
	}
	// An error here means that the answer was cut off: the notes so far are not all.
	_, err = io.Copy(out, answer.Body)
	return err
}

func (c client) newestModel(ctx context.Context, project string) (string, error) {
	answer, err := c.do(ctx, http.MethodGet, "/projects/"+project+"/models", "", nil)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var list struct {
		Models []struct {
			ID string `json:"id"`
		} `json:"models"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		return "", err
	}
	if len(list.Models) == 0 {
		return "", errors.New("the project has no redaction model: choose an L/C of a run first")
	}
	return list.Models[0].ID, nil
}

// do sends a request. An error of the API is a problem document.
func (c client) do(ctx context.Context, method, path, kind string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	answer, err := (&http.Client{}).Do(r)
	if err != nil || answer.StatusCode < 400 {
		return answer, err
	}
	defer answer.Body.Close()
	var problem struct{ Title, Detail, Hint string }
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&problem); err != nil {
		return nil, fmt.Errorf("%s: status %s", path, answer.Status)
	}
	return nil, fmt.Errorf("%s: %s %s", problem.Title, problem.Detail, problem.Hint)
}

// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"hide/web/api"
)

// described is the OpenAPI document. Its schemas are JSON Schema 2020-12, as OpenAPI 3.1 has
// them.
type described struct {
	root map[string]any

	mu      sync.Mutex // guards schemas
	schemas *jsonschema.Compiler
}

const documentURL = "https://hide.invalid/openapi.yaml"

var document = sync.OnceValues(func() (*described, error) {
	d := &described{schemas: jsonschema.NewCompiler()}
	if err := yaml.Unmarshal(api.Document, &d.root); err != nil {
		return nil, err
	}
	d.schemas.DefaultDraft(jsonschema.Draft2020)
	d.schemas.AssertFormat()
	return d, d.schemas.AddResource(documentURL, any(d.root))
})

func mustDocument(t *testing.T) *described {
	t.Helper()
	d, err := document()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// operation is a method of a path.
type operation struct {
	d            *described
	method, path string
	node         map[string]any
	pointer      []string
}

func (d *described) operations() (all []operation) {
	for path, item := range d.root["paths"].(map[string]any) {
		for method, node := range item.(map[string]any) {
			if method != "parameters" {
				all = append(all, operation{d, strings.ToUpper(method), path, node.(map[string]any), []string{"paths", path, method}})
			}
		}
	}
	return all
}

// operation finds the one of an address. Of two paths that fit, the one with fewer parameters
// counts.
func (d *described) operation(method, path string) (found operation, ok bool) {
	for _, op := range d.operations() {
		if op.method == method && fits(op.path, path) && (!ok || strings.Count(op.path, "{") < strings.Count(found.path, "{")) {
			found, ok = op, true
		}
	}
	return found, ok
}

func fits(template, path string) bool {
	a, b := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(a, b, func(a, b string) bool { return a == b || strings.HasPrefix(a, "{") })
}

// at is what stands below the operation, with its place in the document.
func (op operation) at(names ...string) (place []string, ok bool) {
	place = op.pointer
	for _, name := range names {
		if place, ok = op.d.step(place, name); !ok {
			return nil, false
		}
	}
	return place, true
}

// step goes one name down, and follows a reference there.
func (d *described) step(place []string, name string) ([]string, bool) {
	place = append(slices.Clone(place), name)
	node, ok := d.node(place)
	if !ok {
		return nil, false
	}
	if inner, is := node.(map[string]any); is {
		if ref, is := inner["$ref"].(string); is {
			return strings.Split(strings.TrimPrefix(ref, "#/"), "/"), true
		}
	}
	return place, true
}

func (d *described) node(place []string) (any, bool) {
	var at any = d.root
	for _, name := range place {
		inside, is := at.(map[string]any)
		if !is {
			list, is := at.([]any)
			i, err := strconv.Atoi(name)
			if !is || err != nil || i >= len(list) {
				return nil, false
			}
			at = list[i]
			continue
		}
		if at, is = inside[name]; !is {
			return nil, false
		}
	}
	return at, true
}

// check holds a value against the schema at a place.
func (d *described) check(value any, place []string) error {
	var pointer strings.Builder
	for _, name := range place {
		pointer.WriteString("/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name)))
	}
	d.mu.Lock()
	schema, err := d.schemas.Compile(documentURL + "#" + pointer.String())
	d.mu.Unlock()
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// scope is the scope that the operation needs: "" for any token.
func (op operation) scope() string {
	security, own := op.node["security"].([]any)
	if !own {
		return ""
	}
	for _, s := range security {
		return fmt.Sprint(s.(map[string]any)["token"].([]any)[0])
	}
	return "no token"
}

func (op operation) checkRequest(r *http.Request, body string) error {
	if err := op.checkQuery(r.URL.Query()); err != nil {
		return err
	}
	kind := r.Header.Get("Content-Type")
	if _, takes := op.at("requestBody"); !takes {
		if kind != "" || body != "" {
			return errors.New("it takes no body")
		}
		return nil
	}
	return op.checkBody(kind, []byte(body), "requestBody")
}

func (op operation) checkQuery(query url.Values) error {
	list, _ := op.node["parameters"].([]any)
	for i := range list {
		place, ok := op.at("parameters", strconv.Itoa(i))
		node, known := op.d.node(place)
		if !ok || !known {
			return errors.New("a reference to a parameter leads nowhere")
		}
		p := node.(map[string]any)
		name := p["name"].(string)
		if !query.Has(name) {
			if p["required"] == true {
				return fmt.Errorf("%s is missing", name)
			}
			continue
		}
		schema, _ := op.d.step(place, "schema")
		if err := op.d.check(typed(query.Get(name)), schema); err != nil {
			if op.d.check(query.Get(name), schema) != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		query.Del(name)
	}
	if len(query) > 0 {
		return fmt.Errorf("unknown parameters %v", query)
	}
	return nil
}

// typed is the number or the truth value that a parameter is.
func typed(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	if b, err := strconv.ParseBool(text); err == nil {
		return b
	}
	return text
}

func (op operation) checkAnswer(w *httptest.ResponseRecorder) error {
	status := strconv.Itoa(w.Code)
	if _, known := op.at("responses", status); !known {
		if w.Code < 400 {
			return errors.New("unknown status")
		}
		status = "default"
	}
	if _, has := op.at("responses", status, "content"); !has {
		if w.Body.Len() > 0 {
			return errors.New("it has no body")
		}
		return nil
	}
	return op.checkBody(w.Header().Get("Content-Type"), w.Body.Bytes(), "responses", status)
}

// checkBody holds a body against the schema of its type, if that is JSON.
func (op operation) checkBody(kind string, body []byte, below ...string) error {
	kind, _, err := mime.ParseMediaType(kind)
	if err != nil {
		return err
	}
	place, known := op.at(append(below, "content", kind)...)
	if !known {
		return fmt.Errorf("unknown type %s", kind)
	}
	schema, has := op.d.step(place, "schema")
	if !has || kind != "application/json" && kind != "application/problem+json" {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return op.d.check(value, schema)
}

// TestTheExamplesOfTheDocumentAreRight holds them against their schemas.
func TestTheExamplesOfTheDocumentAreRight(t *testing.T) {
	d, checked := mustDocument(t), 0
	check := func(place []string) {
		content, _ := d.node(place)
		media := content.(map[string]any)
		schema, has := d.step(place, "schema")
		values := []any{media["example"]}
		if all, is := media["examples"].(map[string]any); is {
			for _, e := range all {
				values = append(values, e.(map[string]any)["value"])
			}
		}
		for _, v := range values {
			if v == nil || !has {
				continue
			}
			checked++
			if err := d.check(v, schema); err != nil {
				t.Errorf("%v: %v", place, err)
			}
		}
	}
	for _, op := range d.operations() {
		for _, below := range [][]string{{"requestBody"}, {"responses", "200"}, {"responses", "201"}, {"responses", "202"}, {"responses", "default"}} {
			if place, has := op.at(append(below, "content", "application/json")...); has {
				check(place)
			}
		}
	}
	if checked < 8 {
		t.Errorf("only %d examples were checked", checked)
	}
}

// TestTheComparisonFindsWhatTheDocumentDoesNotHave tries answers and requests that are wrong.
func TestTheComparisonFindsWhatTheDocumentDoesNotHave(t *testing.T) {
	op, ok := mustDocument(t).operation(http.MethodGet, "/projects/p1/training")
	if !ok {
		t.Fatal("no such operation")
	}
	const right = `{"notes":1,"finished":1,"running":false,"waiting":false,"iteration":0,"need_more":0}`
	for body, fine := range map[string]bool{
		right:                                 true,
		strings.Replace(right, "1", `"1"`, 1): false,
		strings.Replace(right, "{", `{"x":1,`, 1): false,
		`{}`:            false,
		`{"title":"x"}`: false,
	} {
		w := httptest.NewRecorder()
		w.Header().Set("Content-Type", "application/json")
		if _, err := w.WriteString(body); err != nil {
			t.Fatal(err)
		}
		if err := op.checkAnswer(w); (err == nil) != fine {
			t.Errorf("%s: %v", body, err)
		}
	}
	list, _ := mustDocument(t).operation(http.MethodGet, "/projects/p1/notes")
	for query, fine := range map[string]bool{"": true, "limit=5": true, "limit=0": false, "limit=x": false, "state=done": false, "page=2": false} {
		if err := list.checkRequest(httptest.NewRequest(http.MethodGet, "/api/v1/projects/p1/notes?"+query, nil), ""); (err == nil) != fine {
			t.Errorf("%s: %v", query, err)
		}
	}
}

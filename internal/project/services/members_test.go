// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"context"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/projecttest"
)

// doors are methods with a project's id that ask for no person. They are for the program
// itself, or for packages that have asked before.
var doors = []string{
	"AuditReading", // records a reading that Enter has allowed
	"Bin", "Imports", "Closed", "Destroy", "Refusal", "Refuse", "Record", "Recorded", "Tell", "TellDocument", "Transact", "Update", "View", "HandOut",
	"Workspace",                                                                                                                                                                                                                                // see TestOnlyEnterOpensProjectsForPeople
	"Purge",                                                                                                                                                                                                                                    // in the transaction of a removal
	"ForgetProject",                                                                                                                                                                                                                            // after a destruction
	"EraseFromIndex",                                                                                                                                                                                                                           // of a removal that Enter has allowed
	"DictionaryLists", "ClassTables", "NewestRuns", "OpenBundle", "StoredBundle", "StoredBundles", "Dir", "StoredReleases", "StoredCandidate", "RecordWeak", "LabelsOf", "NotesOf", "Passages", "TextOf", "ReleaseOf", "NumbersOf", "PolicyOf", // for other services
	"RoleIn", "May", // say that there is no role
}

var (
	userType, idType = reflect.TypeFor[account.User](), reflect.TypeFor[project.ID]()
	contextType      = reflect.TypeFor[context.Context]()
	writerType       = reflect.TypeFor[io.Writer]()
)

// TestEveryUseCaseIsForMembers calls every method of every service that has a person and a
// project, as a broker who is not a member. The error must be that about a project that does
// not exist, whatever else the call asks for.
func TestEveryUseCaseIsForMembers(t *testing.T) {
	b := projecttest.New(t)
	id := b.NewProject(projecttest.Plain("Mr. May was seen by Dr. Frank."), false)
	stranger := account.User{ID: "u-stranger", Name: "Stu", Role: account.Broker}
	called := map[string]bool{}
	all := reflect.ValueOf(*b.All)
	for i := range all.NumField() {
		service := all.Field(i)
		for j := range service.NumMethod() {
			m, name := service.Method(j), service.Type().Method(j).Name
			takes := parameters(m.Type())
			if !slices.Contains(takes, idType) || slices.Contains(doors, name) {
				continue
			}
			if !slices.Contains(takes, userType) {
				t.Errorf("%s has a project and asks for no person: let it ask, or say why not in this test", name)
				continue
			}
			called[name] = true
			real, none := failure(t, m, stranger, id), failure(t, m, stranger, "p77")
			if real == nil || none == nil || strings.ReplaceAll(project.ErrorWords(real), string(id), "p77") != project.ErrorWords(none) || project.KindOf(real) != project.KindOf(none) {
				t.Errorf("%s: a person who is not a member gets %v, for no project %v", name, real, none)
			}
			if project.KindOf(real) != project.NotFound {
				t.Errorf("%s: a person who is not a member gets %v", name, real)
			}
		}
	}
	if len(called) < 80 {
		t.Errorf("only %d use cases were called", len(called))
	}
}

func parameters(f reflect.Type) []reflect.Type {
	var all []reflect.Type
	for i := range f.NumIn() {
		all = append(all, f.In(i))
	}
	return all
}

// failure is the error of a call with zero values for all but the person and the project.
func failure(t *testing.T, m reflect.Value, by account.User, id project.ID) (err error) {
	t.Helper()
	var in []reflect.Value
	for i, p := range parameters(m.Type()) {
		switch {
		case p == userType:
			in = append(in, reflect.ValueOf(by))
		case p == idType:
			in = append(in, reflect.ValueOf(id))
		case p == contextType:
			in = append(in, reflect.ValueOf(t.Context()))
		case p == writerType:
			in = append(in, reflect.ValueOf(io.Discard))
		case p.Kind() == reflect.Pointer:
			in = append(in, reflect.New(p.Elem()))
		case m.Type().IsVariadic() && i == m.Type().NumIn()-1:
		default:
			in = append(in, reflect.Zero(p))
		}
	}
	for _, out := range m.Call(in) {
		if e, ok := out.Interface().(error); ok {
			err = e
		}
	}
	return err
}

// TestUseCasesWithoutAProjectShowOwnOnesOnly is about the lists of everything.
func TestUseCasesWithoutAProjectShowOwnOnesOnly(t *testing.T) {
	b := projecttest.New(t)
	id := b.NewProject(nil, false)
	stranger := account.User{ID: "u-stranger", Name: "Stu", Role: account.Broker}
	ctx := t.Context()
	if all, err := b.Projects(ctx, stranger); err != nil || len(all) > 0 {
		t.Errorf("projects of others: %v, %v", all, err)
	}
	if rows, err := b.Audit(ctx, stranger, "", 0, 0); err == nil && len(rows) > 0 {
		t.Errorf("audit rows of others: %v", rows)
	}
	rows, err := b.Audit(ctx, projecttest.Broker, "", 0, 1000)
	if err != nil || len(rows) == 0 {
		t.Errorf("own audit rows: %v, %v", rows, err)
	}
	for _, r := range rows {
		if !id.Owns(r.Object) {
			t.Errorf("a broker sees the row %+v", r)
		}
	}
	for _, name := range []string{string(id), "Ward 7"} {
		_, got := b.Find(ctx, stranger, name)
		_, want := b.Find(ctx, stranger, "Ward 8")
		if project.KindOf(got) != project.NotFound || strings.ReplaceAll(project.ErrorWords(got), name, "Ward 8") != project.ErrorWords(want) {
			t.Errorf("find %s: %v, of no project: %v", name, got, want)
		}
	}
	if _, err := b.All.Create(ctx, stranger, "Ward 7", nil); err != nil {
		t.Errorf("a name that only others use is refused: %v", err)
	}
	_, err = b.Find(ctx, account.Operator(), "Ward 7")
	if err == nil || !strings.Contains(project.ErrorWords(err), "p1, p2") || !strings.Contains(project.ErrorWords(err), "id") {
		t.Errorf("an ambiguous name: %v", err)
	}
	projecttest.WantKind(t, func() error { _, err := b.Sealed(ctx, stranger); return err }(), project.Forbidden)
}

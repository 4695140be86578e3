// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/project"
	"hide/internal/publish/hierarchy"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
)

// roleView is everything the page of one attribute shows.
type roleView struct {
	Project    project.Overview
	Identifier project.Identifier
	Values     []idview.Value
	Hierarchy  *hierarchy.Hierarchy // nil for none
	Tree       []*treeNode          // the same from the top
	Problem    string
	Draft      bool   // the hierarchy is edited and not saved
	EditWords  string // why it was not edited
}

// treeNode is a label of a hierarchy with what is below it.
type treeNode struct {
	Label string
	Level int // 0 for the values
	Below []*treeNode
	Leafs int
}

// rolesSave decides about all attributes of the page's form. What the form does not
// show, orders and hierarchies, stays.
func (s *Server) rolesSave(c echo.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	ctx, u, id := c.Request().Context(), user(c), projectID(c)
	all, err := s.projects.Identifiers(ctx, u, id)
	if err != nil {
		return err
	}
	err = s.projects.SetIdentifiers(ctx, u, id, readRoles(all, values))
	if err == nil {
		return s.back(c, string(tableURL(id))+"?saved=1#roles")
	}
	if project.KindOf(err) != project.Invalid {
		return err
	}
	v, viewErr := s.tableView(ctx, u, id)
	if viewErr != nil {
		return viewErr
	}
	v.Problem = problemWords(err)
	return s.showTable(c, http.StatusUnprocessableEntity, v)
}

// readRoles reads the attributes that the form names, and leaves the others as they
// are decided.
func readRoles(all project.Identifiers, values url.Values) []idview.Attribute {
	var decided []idview.Attribute
	for _, a := range all.Attributes {
		role := values.Get("role." + keyText(a.Key))
		if role != "" {
			a.Role = table.Role(role)
			a.Kind = table.Kind(values.Get("kind." + keyText(a.Key)))
			a.Take = idview.Take(values.Get("take." + keyText(a.Key)))
			forget(&a.Attribute)
		} else if !a.Decided {
			continue
		}
		decided = append(decided, a.Attribute)
	}
	return decided
}

// forget drops what does not go with the kind that an attribute has now.
func forget(a *idview.Attribute) {
	if a.Kind != table.Ordinal {
		a.Order = nil
	}
	if a.Kind != table.Date {
		a.Form = ""
	}
}

func (s *Server) roleShow(c echo.Context) error {
	v, err := s.roleView(c, readKey(c.QueryParam("of")))
	if err != nil {
		return err
	}
	return s.showRole(c, http.StatusOK, v)
}

func (s *Server) showRole(c echo.Context, status int, v roleView) error {
	v.Hierarchy = readHierarchy(v.Identifier.Hierarchy)
	v.Tree = treeOf(v.Hierarchy)
	p := Page{Title: "Attribute · " + v.Project.Name, Project: &v.Project, Tab: "publish"}
	return s.pageStatus(c, status, p, rolePage(v))
}

func (s *Server) roleView(c echo.Context, key idview.Key) (roleView, error) {
	o, err := s.project(c)
	if err != nil {
		return roleView{}, err
	}
	v := roleView{Project: o}
	v.Identifier, v.Values, err = s.projects.IdentifierValues(c.Request().Context(), user(c), o.ID, key)
	return v, err
}

// roleSave decides about one attribute with all its details.
func (s *Server) roleSave(c echo.Context) error {
	v, err := s.roleView(c, readKey(c.FormValue("of")))
	if err != nil {
		return err
	}
	ctx, u, id := c.Request().Context(), user(c), v.Project.ID
	a := &v.Identifier.Attribute
	a.Role, a.Kind, a.Take = table.Role(c.FormValue("role")), table.Kind(c.FormValue("kind")), idview.Take(c.FormValue("take"))
	a.Order, a.Form = lines(c.FormValue("order")), strings.TrimSpace(c.FormValue("form"))
	a.Hierarchy = strings.TrimSpace(strings.ReplaceAll(c.FormValue("hierarchy"), "\r\n", "\n"))
	forget(a)
	if values, err := c.FormParams(); err != nil {
		return err
	} else if op := editOf(values); op != "" {
		return s.roleEdit(c, v, op, values)
	}
	all, err := s.projects.Identifiers(ctx, u, id)
	if err != nil {
		return err
	}
	var decided []idview.Attribute
	for _, other := range all.Attributes {
		if other.Decided && other.Key != a.Key {
			decided = append(decided, other.Attribute)
		}
	}
	err = s.projects.SetIdentifiers(ctx, u, id, append(decided, *a))
	if err == nil {
		return s.back(c, string(tableURL(id))+"?saved=1#roles")
	}
	if project.KindOf(err) != project.Invalid {
		return err
	}
	v.Problem = problemWords(err)
	return s.showRole(c, http.StatusUnprocessableEntity, v)
}

// roleEdit shows the page with its hierarchy edited, and nothing saved.
func (s *Server) roleEdit(c echo.Context, v roleView, op string, values url.Values) error {
	v.Draft = true
	if err := v.edit(op, values); err != nil {
		v.EditWords = sentence(err.Error())
		return s.showRole(c, http.StatusUnprocessableEntity, v)
	}
	return s.showRole(c, http.StatusOK, v)
}

func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func roleURL(id project.ID, k idview.Key) templ.SafeURL {
	return projectURL(id, "/publish/roles?"+url.Values{"of": {keyText(k)}}.Encode())
}

// readHierarchy is nil when the text is none.
func readHierarchy(text string) *hierarchy.Hierarchy {
	h, err := hierarchy.Read(strings.NewReader(text))
	if text == "" || err != nil {
		return nil
	}
	return h
}

// treeOf draws a hierarchy from its top; nil when there is none.
func treeOf(h *hierarchy.Hierarchy) []*treeNode {
	if h == nil {
		return nil
	}
	top := &treeNode{}
	for _, value := range h.Values() {
		path, _ := h.Path(value)
		at := top
		at.Leafs++
		for level := len(path) - 1; level >= 0; level-- {
			at = at.below(path[level], level)
			at.Leafs++
		}
	}
	return alone(top.Below)
}

// alone leaves out labels that a value has to itself and that are called like it.
func alone(nodes []*treeNode) []*treeNode {
	for i, n := range nodes {
		n.Below = alone(n.Below)
		if len(n.Below) == 1 && n.Below[0].Label == n.Label {
			nodes[i] = n.Below[0]
		}
	}
	return nodes
}

// below finds a label among those below a node, the last being the likeliest, and
// adds it when there is none.
func (n *treeNode) below(label string, level int) *treeNode {
	for i := len(n.Below) - 1; i >= 0; i-- {
		if n.Below[i].Label == label {
			return n.Below[i]
		}
	}
	child := &treeNode{Label: label, Level: level}
	n.Below = append(n.Below, child)
	return child
}

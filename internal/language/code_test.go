package language

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// codeMessage is the message of an error in the code, with an example for each of its values.
type codeMessage struct{ place, example string }

// makers are the functions that make an error of a message, with what they put before it.
var makers = map[string]string{"Invalid": "", "httpError": "", "Case": "", "unreadable": "the file can't be read: "}

// otherFolders have no errors of the API.
var otherFolders = []string{".cache", "ai", "client", "node_modules", "testdata"}

// messagesInCode returns the messages of all errors that the server's code makes.
func messagesInCode(t *testing.T, root string) (all []codeMessage) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		switch {
		case entry.IsDir() && slices.Contains(otherFolders, name):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			all = append(all, messagesOf(t, files, declaration)...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// messagesOf returns the messages of the errors that a declaration makes.
func messagesOf(t *testing.T, files *token.FileSet, declaration ast.Decl) (all []codeMessage) {
	t.Helper()
	if function, ok := declaration.(*ast.FuncDecl); ok {
		if _, isMaker := makers[function.Name.Name]; isMaker {
			return nil // its callers have the message
		}
	}
	add := func(before string, text ast.Expr) {
		place := files.Position(text.Pos())
		example, ok := exampleOf(text)
		switch {
		case ok:
			all = append(all, codeMessage{place.String(), before + example})
		case !isPassedOn(text):
			t.Errorf("%s: write the message as a text, so that this test finds it", place)
		}
	}
	ast.Inspect(declaration, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			if before, isMaker := makers[lastName(node.Fun)]; isMaker {
				add(before, node.Args[len(node.Args)-1])
			}
		case *ast.CompositeLit:
			if name := lastName(node.Type); name != "Error" && name != "failure" {
				break
			}
			for _, element := range node.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok && lastName(pair.Key) == "Message" {
					add("", pair.Value)
				}
			}
		case *ast.AssignStmt:
			for i, left := range node.Lhs {
				if _, isField := left.(*ast.SelectorExpr); isField && lastName(left) == "Message" && len(node.Rhs) > i {
					add("", node.Rhs[i])
				}
			}
		}
		return true
	})
	return all
}

// lastName returns the last part of a name such as parley.Invalid.
func lastName(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// isPassedOn reports whether a message was made elsewhere: it is a parameter, the message of another error, or a
// translation.
func isPassedOn(text ast.Expr) bool {
	if call, ok := text.(*ast.CallExpr); ok {
		text = call.Fun
	}
	name := lastName(text)
	return name == "message" || name == "Message"
}

// exampleOf returns a text as the code makes it. Variables in it are replaced by examples.
func exampleOf(expression ast.Expr) (string, bool) {
	switch e := expression.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := exampleOf(e.X)
		if !ok {
			left = "name"
		}
		right, ok := exampleOf(e.Y)
		return left + right, ok
	case *ast.CallExpr:
		if lastName(e.Fun) != "Sprintf" {
			return "", false
		}
		format, ok := exampleOf(e.Args[0])
		return strings.NewReplacer("%s", "name", "%d", "12").Replace(format), ok
	}
	return "", false
}

// TestMessagesAreFoundInTheCode checks that the search finds a new error.
func TestMessagesAreFoundInTheCode(t *testing.T) {
	const code = `package p
		var errNew = &parley.Error{Code: 1, Message: "one " + "error"}
		func f(message string, n int) error {
			e := *ErrOld
			e.Message = fmt.Sprintf("two of %d", n)
			_ = httpError(404, "three")
			_ = unreadable("four")
			_ = Invalid(message)
			return parley.Invalid(field + " five")
		}`
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", code, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, declaration := range file.Decls {
		for _, m := range messagesOf(t, files, declaration) {
			found = append(found, m.example)
		}
	}
	want := []string{"one error", "two of 12", "three", "the file can't be read: four", "name five"}
	if fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

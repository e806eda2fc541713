// Command facts reads the definition of v1.Pod out of the Kubernetes Go modules and writes it as the
// project's own files: ../protos/k8s/*.proto (names, numbers, types) and ../protos/k8s/go-tags.txt
// (what the Go types do with a zero in JSON). Run it with `go run .` in this directory.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// field is one field of a message, as its Go struct declares it.
type field struct {
	name, label, kind string
	number            int
	flags             []string
}

// message is one reachable message.
type message struct {
	pkg, name string
	fields    []field
}

// file is one of the packages that v1.Pod reaches.
type file struct{ goPath, proto, out string }

var files = []file{
	{"k8s.io/api/core/v1", "k8s.io.api.core.v1", "core_v1.proto"},
	{"k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io.apimachinery.pkg.apis.meta.v1", "meta_v1.proto"},
	{"k8s.io/apimachinery/pkg/api/resource", "k8s.io.apimachinery.pkg.api.resource", "resource.proto"},
	{"k8s.io/apimachinery/pkg/util/intstr", "k8s.io.apimachinery.pkg.util.intstr", "intstr.proto"},
}

const version = "v1.37.2"

func main() {
	log.SetFlags(0)
	w := walk{seen: map[string]*message{}}
	w.visit(reflect.TypeOf(corev1.Pod{}))
	for _, m := range w.seen {
		checkPublished(m)
	}
	addRemoved(w.seen)

	var names []string
	for name := range w.seen {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, f := range files {
		writeProto(f, names, w.seen)
	}
	writeTags(names, w.seen)
}

type walk struct{ seen map[string]*message }

// visit records the message of a Go struct and every message below it, and returns its full name.
func (w walk) visit(t reflect.Type) string {
	full := protoPackage(t) + "." + t.Name()
	if w.seen[full] != nil {
		return full
	}
	m := &message{pkg: protoPackage(t), name: t.Name()}
	w.seen[full] = m
	switch t {
	case reflect.TypeOf(metav1.Time{}):
		m.fields = []field{
			{name: "seconds", label: "optional", kind: "int64", number: 1},
			{name: "nanos", label: "optional", kind: "int32", number: 2},
		}
		return full
	case reflect.TypeOf(resource.Quantity{}):
		m.fields = []field{{name: "string", label: "optional", kind: "string", number: 1}}
		return full
	}
	for i := 0; i < t.NumField(); i++ {
		if f, ok := w.field(t, t.Field(i)); ok {
			m.fields = append(m.fields, f)
		}
	}
	sort.Slice(m.fields, func(a, b int) bool { return m.fields[a].number < m.fields[b].number })
	return full
}

func (w walk) field(parent reflect.Type, g reflect.StructField) (field, bool) {
	tag, ok := g.Tag.Lookup("protobuf")
	if !ok {
		if g.Anonymous && g.Type == reflect.TypeOf(metav1.TypeMeta{}) {
			return field{}, false
		}
		log.Fatalf("%s.%s has no protobuf tag", parent, g.Name)
	}
	parts := strings.Split(tag, ",")
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		log.Fatalf("%s.%s: tag %q", parent, g.Name, tag)
	}
	f := field{number: number}
	json := strings.Split(g.Tag.Get("json"), ",")
	for _, part := range parts {
		if name, ok := strings.CutPrefix(part, "name="); ok {
			f.name = name
		}
	}
	embedded := g.Anonymous && json[0] == ""
	switch {
	case embedded:
		f.flags = append(f.flags, "embedded")
		if f.name == "" {
			f.name = strings.ToLower(g.Name[:1]) + g.Name[1:]
		}
	case json[0] == "-" || g.Tag.Get("json") == "":
		// Only the inside of a type that is one JSON value.
	case json[0] != f.name:
		log.Fatalf("%s.%s: JSON name %q, proto name %q", parent, g.Name, json[0], f.name)
	}
	t := g.Type
	if t.Kind() == reflect.Pointer {
		f.flags = append(f.flags, "pointer")
		t = t.Elem()
	}
	for _, option := range json[1:] {
		if option == "omitempty" || option == "omitzero" {
			f.flags = append(f.flags, option)
		}
	}
	switch {
	case t.Kind() == reflect.Map:
		f.kind = "map<" + w.kind(t.Key()) + ", " + w.kind(t.Elem()) + ">"
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		f.label, f.kind = "repeated", w.kind(t.Elem())
	default:
		f.label, f.kind = "optional", w.kind(t)
	}
	return f, true
}

func (w walk) kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		return "." + w.visit(t)
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return t.Kind().String()
	case reflect.Slice:
		return "bytes"
	default:
		log.Fatalf("%s: unexpected kind %s", t, t.Kind())
		return ""
	}
}

func protoPackage(t reflect.Type) string {
	for _, f := range files {
		if f.goPath == t.PkgPath() {
			return f.proto
		}
	}
	log.Fatalf("%s is outside the known packages", t)
	return ""
}

func writeProto(f file, names []string, seen map[string]*message) {
	var body strings.Builder
	imports := map[string]bool{}
	for _, name := range names {
		m := seen[name]
		if m.pkg != f.proto {
			continue
		}
		fmt.Fprintf(&body, "\nmessage %s {\n", m.name)
		for _, x := range m.fields {
			label := x.label
			if label != "" {
				label += " "
			}
			kind := strings.ReplaceAll(x.kind, "."+f.proto+".", "")
			for _, other := range files {
				if strings.Contains(kind, "."+other.proto+".") {
					imports["k8s/"+other.out] = true
				}
			}
			fmt.Fprintf(&body, "  %s%s %s = %d;\n", label, kind, x.name, x.number)
		}
		body.WriteString("}\n")
	}
	var text strings.Builder
	fmt.Fprintf(&text, "// What v1.Pod of Kubernetes %s reaches in this package: names, numbers and types.\n", version)
	text.WriteString("// Written by proto/facts; the fields that go-tags.txt calls removed are of older releases.\n")
	fmt.Fprintf(&text, "syntax = \"proto2\";\n\npackage %s;\n", f.proto)
	var sorted []string
	for i := range imports {
		sorted = append(sorted, i)
	}
	sort.Strings(sorted)
	for i, name := range sorted {
		if i == 0 {
			text.WriteString("\n")
		}
		fmt.Fprintf(&text, "import \"%s\";\n", name)
	}
	write(f.out, text.String()+body.String())
}

func writeTags(names []string, seen map[string]*message) {
	var text strings.Builder
	fmt.Fprintf(&text, "# Written by proto/facts from the Go types of Kubernetes %s, one line a field:\n", version)
	text.WriteString("# Message.field, then what the Go field is: pointer, omitempty, omitzero (JSON tags), embedded, removed.\n")
	text.WriteString("version " + version + "\n")
	for _, name := range names {
		for _, x := range seen[name].fields {
			text.WriteString(strings.Join(append([]string{seen[name].name + "." + x.name}, x.flags...), " ") + "\n")
		}
	}
	write("go-tags.txt", text.String())
}

func write(name, text string) {
	path := filepath.Join("..", "protos", "k8s", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
}

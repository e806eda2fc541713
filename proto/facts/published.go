package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checkPublished compares a message read from Go with the definition that its module publishes.
func checkPublished(m *message) {
	published := publishedFields(m)
	for _, f := range m.fields {
		kind := f.kind
		if f.label != "" {
			kind = f.label + " " + kind
		}
		kind = strings.ReplaceAll(strings.ReplaceAll(kind, "."+m.pkg+".", ""), " .", " ")
		got := fmt.Sprintf("%s %s = %d;", kind, f.name, f.number)
		if !published[got] {
			log.Fatalf("%s.%s: %q is not in the published definition", m.pkg, m.name, got)
		}
		delete(published, got)
	}
	for left := range published {
		log.Fatalf("%s.%s: %q is published and not in the Go type", m.pkg, m.name, left)
	}
}

var texts = map[string]string{}

func publishedFields(m *message) map[string]bool {
	if texts[m.pkg] == "" {
		texts[m.pkg] = read(m.pkg)
	}
	_, body, ok := strings.Cut(texts[m.pkg], "\nmessage "+m.name+" {\n")
	if !ok {
		log.Fatalf("%s.%s is not published", m.pkg, m.name)
	}
	body, _, _ = strings.Cut(body, "\n}\n")
	fields := map[string]bool{}
	for _, line := range strings.Split(body, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			fields[strings.ReplaceAll(line, " .", " ")] = true
		}
	}
	return fields
}

func read(pkg string) string {
	for _, f := range files {
		if f.proto != pkg {
			continue
		}
		dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", f.goPath).Output()
		if err != nil {
			log.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "generated.proto"))
		if err != nil {
			log.Fatal(err)
		}
		return string(text)
	}
	log.Fatalf("no package %s", pkg)
	return ""
}

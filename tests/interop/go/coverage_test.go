package interop

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The numbers behind "// Item" are those of the list of what the released kubelet's own tests check.
func TestEveryItemOfTheListHasATest(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`\d+`)
	tested := map[int]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		items := ""
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "// Item") {
				items += line
			}
			if strings.HasPrefix(line, "func Test") {
				for _, digits := range number.FindAllString(items, -1) {
					item, _ := strconv.Atoi(digits)
					tested[item] = true
				}
				items = ""
			}
		}
	}
	for item := 1; item <= 47; item++ {
		if !tested[item] {
			t.Errorf("item %d has no test", item)
		}
	}
}

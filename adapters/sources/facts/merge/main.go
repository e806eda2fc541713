// Command merge reads what walk wrote for each release, the files 33, 34 and so on of the folder
// that it is given, and writes one table of them: a line that not all releases have ends with the
// first release that has it and `+`, or with `-` and the last one. A struct whose fields change their
// order is there more than once.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// release is the fields of each struct, in their order, and what stands at the end.
type release struct {
	structs map[string][]string
	aliases []string
}

func main() {
	log.SetFlags(0)
	var minors []int
	var releases []release
	paths, err := filepath.Glob(filepath.Join(os.Args[1], "[0-9][0-9]"))
	if err != nil {
		log.Fatal(err)
	}
	sort.Strings(paths)
	names := map[string]bool{}
	for _, path := range paths {
		minor, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			log.Fatal(err)
		}
		one := read(path)
		minors, releases = append(minors, minor), append(releases, one)
		for name := range one.structs {
			names[name] = true
		}
	}
	fmt.Printf("# The types of which kubelets 1.%d to 1.%d make a Pod; written by facts/generate.\n", minors[0], minors[len(minors)-1])
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	for _, name := range sorted {
		var lists [][]string
		for _, one := range releases {
			lists = append(lists, one.structs[name])
		}
		for first := 0; first < len(lists); {
			// As many releases in one as have one order.
			last := first
			for last+1 < len(lists) && ordered(lists[first:last+2]) {
				last++
			}
			write(name, lists, first, last, minors)
			first = last + 1
		}
	}
	var aliases []string
	for _, one := range releases {
		aliases = append(aliases, one.aliases...)
	}
	slices.Sort(aliases)
	for _, alias := range slices.Compact(aliases) {
		fmt.Println(alias)
	}
}

func read(path string) release {
	file, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	found := release{structs: map[string][]string{}}
	name := ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, " "):
			found.structs[name] = append(found.structs[name], line[1:])
		case strings.Contains(line, " = "):
			found.aliases = append(found.aliases, line)
		default:
			name = line
			found.structs[name] = nil
		}
	}
	return found
}

// write writes the fields that a struct has from the first to the last of some releases.
func write(name string, lists [][]string, first, last int, minors []int) {
	all, _ := merged(lists[first : last+1])
	if len(all) == 0 {
		return
	}
	within := make([]bool, len(lists))
	for at := first; at <= last; at++ {
		within[at] = true
	}
	fmt.Println(name + span(name, within, minors))
	for _, line := range all {
		var has []bool
		for _, list := range lists[first : last+1] {
			has = append(has, slices.Contains(list, line))
		}
		fmt.Println(" " + line + span(line, has, minors[first:last+1]))
	}
}

func ordered(lists [][]string) bool {
	_, is := merged(lists)
	return is
}

// merged returns the lines of all lists in an order that is that of each, if there is one.
func merged(lists [][]string) ([]string, bool) {
	var all []string
	rest := make([][]string, len(lists))
	copy(rest, lists)
	for {
		next, left := "", false
		for _, list := range rest {
			if len(list) == 0 {
				continue
			}
			left = true
			first := list[0]
			free := true
			for _, other := range rest {
				free = free && !slices.Contains(other[min(1, len(other)):], first)
			}
			if free {
				next = first
				break
			}
		}
		if !left {
			return all, true
		}
		if next == "" {
			return nil, false
		}
		all = append(all, next)
		for at, list := range rest {
			if len(list) > 0 && list[0] == next {
				rest[at] = list[1:]
			}
		}
	}
}

// span says which releases have a line; each has those of one row.
func span(line string, has []bool, minors []int) string {
	first, last := slices.Index(has, true), len(has)-1
	for !has[last] {
		last--
	}
	if slices.Contains(has[first:last+1], false) {
		log.Fatalf("a field comes back: %s", line)
	}
	text := ""
	if first > 0 {
		text = fmt.Sprintf(" %d+", minors[first])
	}
	if last < len(has)-1 {
		text += fmt.Sprintf(" -%d", minors[last])
	}
	return text
}

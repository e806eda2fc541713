// Command walk writes down the internal types of which a kubelet of one release makes a Pod, as it
// prints them to hash them: ../generate runs it for each release.
//
// Each struct is a line with its name and then a line for each field, in the order of the struct:
// `NAME TYPE KEY`, where KEY is the key of the field in a manifest, `+` for a struct whose fields
// stand among those of the outer one, `spec.KEY` for what a manifest says in the pod's spec, and
// `-` for what no manifest can say. Named types that are
// no texts come last, each as `NAME = TYPE`.
package main

import (
	"fmt"
	"log"
	"reflect"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/apis/core"
)

// pair is an internal type and the one of the API that is turned into it.
type pair struct{ internal, api reflect.Type }

// opaque types are printed by rules of their own.
var opaque = map[string]bool{
	"resource.Quantity":  true,
	"v1.Time":            true,
	"intstr.IntOrString": true,
	"v1.FieldsV1":        true,
}

// moved names what the API has in another place than the internal types: in the pod's spec.
var moved = map[string]string{
	"core.PodSecurityContext.HostNetwork":           "spec.hostNetwork",
	"core.PodSecurityContext.HostPID":               "spec.hostPID",
	"core.PodSecurityContext.HostIPC":               "spec.hostIPC",
	"core.PodSecurityContext.HostUsers":             "spec.hostUsers",
	"core.PodSecurityContext.ShareProcessNamespace": "spec.shareProcessNamespace",
	// Decoding to the internal types leaves it empty.
	"core.Pod.TypeMeta": "-",
}

type walker struct {
	names   map[string]reflect.Type
	lines   map[string][]string
	aliases map[string]string
	queue   []pair
}

func main() {
	log.SetFlags(0)
	w := walker{names: map[string]reflect.Type{}, lines: map[string][]string{}, aliases: map[string]string{}}
	w.see(reflect.TypeOf(core.Pod{}), reflect.TypeOf(v1.Pod{}))
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.lines[next.internal.String()] = w.fields(next)
	}
	names := make([]string, 0, len(w.lines))
	for name := range w.lines {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Println(name)
		for _, line := range w.lines[name] {
			fmt.Println(" " + line)
		}
	}
	names = names[:0]
	for name := range w.aliases {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Println(name + " = " + w.aliases[name])
	}
}

func (w *walker) fields(p pair) []string {
	var lines []string
	for i := 0; i < p.internal.NumField(); i++ {
		f := p.internal.Field(i)
		place := p.internal.String() + "." + f.Name
		key := moved[place]
		if key == "" {
			g, found := p.api.FieldByName(f.Name)
			if !found {
				log.Fatalf("%s has no counterpart in %s", place, p.api)
			}
			key = strings.Split(g.Tag.Get("json"), ",")[0]
			if f.Anonymous && key == "" {
				key = "+"
			}
			if key == "" || f.Anonymous != g.Anonymous {
				log.Fatalf("%s has no key: %q", place, g.Tag)
			}
			w.see(f.Type, g.Type)
		} else {
			w.see(f.Type, f.Type)
		}
		lines = append(lines, f.Name+" "+f.Type.String()+" "+key)
	}
	return lines
}

// see takes note of a type and of those that it is made of.
func (w *walker) see(internal, api reflect.Type) {
	if api.Kind() == reflect.Pointer && internal.Kind() != reflect.Pointer {
		// What the API has not is the zero of the internal type.
		api = api.Elem()
	}
	if internal.Kind() != api.Kind() {
		log.Fatalf("%s is made of %s", internal, api)
	}
	name := internal.String()
	if internal.Name() != "" && internal.PkgPath() != "" {
		if known := w.names[name]; known != nil && known != internal {
			log.Fatalf("two types are called %s: of %s and %s", name, known.PkgPath(), internal.PkgPath())
		}
		w.names[name] = internal
	}
	switch internal.Kind() {
	case reflect.Pointer, reflect.Slice:
		w.alias(internal)
		w.see(internal.Elem(), api.Elem())
	case reflect.Map:
		w.alias(internal)
		w.see(internal.Key(), api.Key())
		w.see(internal.Elem(), api.Elem())
	case reflect.Struct:
		if opaque[name] || w.lines[name] != nil {
			return
		}
		w.lines[name] = []string{}
		w.queue = append(w.queue, pair{internal, api})
	case reflect.String:
	case reflect.Bool, reflect.Int32, reflect.Int64:
		w.alias(internal)
	default:
		log.Fatalf("a type of a kind that is not known: %s", name)
	}
}

// alias takes note of what a named type stands for.
func (w *walker) alias(t reflect.Type) {
	if t.PkgPath() == "" || t.Name() == "" {
		return
	}
	under := ""
	switch t.Kind() {
	case reflect.Pointer:
		under = "*" + t.Elem().String()
	case reflect.Slice:
		under = "[]" + t.Elem().String()
	case reflect.Map:
		under = "map[" + t.Key().String() + "]" + t.Elem().String()
	default:
		under = t.Kind().String()
	}
	w.aliases[t.String()] = under
}

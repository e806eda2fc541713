package main

import (
	"log"
	"sort"
)

const core = "k8s.io.api.core.v1"

// removed lists the fields that an earlier release had below v1.Pod and a later one took out, with
// the messages that went with them. Their numbers stay known, so that older pods still convert.
var removed = []message{
	// 1.26 to 1.30.
	{core, "PodResourceClaim", []field{
		{"source", "optional", ".k8s.io.api.core.v1.ClaimSource", 2, []string{"omitempty"}},
	}},
	{core, "ClaimSource", []field{
		{"resourceClaimName", "optional", "string", 1, []string{"pointer", "omitempty"}},
		{"resourceClaimTemplateName", "optional", "string", 2, []string{"pointer", "omitempty"}},
	}},
	// 1.35.
	{core, "PodSpec", []field{
		{"workloadRef", "optional", ".k8s.io.api.core.v1.WorkloadReference", 42, []string{"pointer", "omitempty"}},
	}},
	{core, "WorkloadReference", []field{
		{"name", "optional", "string", 1, nil},
		{"podGroup", "optional", "string", 2, nil},
		{"podGroupReplicaKey", "optional", "string", 3, []string{"omitempty"}},
	}},
	// 1.36.
	{core, "NodeAllocatableResourceClaimStatus", []field{
		{"resources", "", "map<string, .k8s.io.apimachinery.pkg.api.resource.Quantity>", 3, nil},
	}},
}

func addRemoved(seen map[string]*message) {
	for _, old := range removed {
		full := old.pkg + "." + old.name
		m := seen[full]
		if m == nil {
			m = &message{pkg: old.pkg, name: old.name}
			seen[full] = m
		}
		for _, f := range old.fields {
			for _, now := range m.fields {
				if now.number == f.number || now.name == f.name {
					log.Fatalf("%s.%s = %d is in use again", full, f.name, f.number)
				}
			}
			f.flags = append(f.flags, "removed")
			m.fields = append(m.fields, f)
		}
		sort.Slice(m.fields, func(a, b int) bool { return m.fields[a].number < m.fields[b].number })
	}
}

//! Where pods come from: static manifests, captured nodes, simulated nodes.

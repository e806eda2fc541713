//! Where a pod may run; a static pod runs where its file is, but a kubelet checks this, too.

use std::collections::BTreeSet;

use super::format::Format;
use super::metadata::labels;
use super::place::{Faults, Place};
use super::rule::{REQUIRED, Row, Rule, has_form, obey, one_of, required_form};

/// Checks what the scheduler would read.
pub(super) fn check(spec: &Place<'_>, faults: &mut Faults) {
    labels(spec, "nodeSelector", faults);
    let affinity = spec.inner_or_empty("affinity");
    check_node_affinity(&affinity.inner_or_empty("nodeAffinity"), faults);
    for key in ["podAffinity", "podAntiAffinity"] {
        check_pod_affinity(&affinity.inner_or_empty(key), faults);
    }
    tolerations(spec, faults);
    check_spread(spec, faults);
    let gates = "must be empty in a pod that has its node";
    faults.add_if(
        spec.count("schedulingGates") > 0,
        &spec.at("schedulingGates"),
        gates,
    );
    if let Some(group) = spec.inner("schedulingGroup") {
        let name = group.text("podGroupName");
        required_form(name, Format::Subdomain, &group.at("podGroupName"), faults);
        let both = spec.count("evictionResponders") > 0;
        faults.add_if(
            both,
            group.path(),
            "schedulingGroup and evictionResponders exclude each other",
        );
    }
}

fn check_node_affinity(affinity: &Place<'_>, faults: &mut Faults) {
    if let Some(required) = affinity.inner(REQUIRED_DURING) {
        obey(&required, &[("nodeSelectorTerms", Rule::NotEmpty)], faults);
        for term in required.each("nodeSelectorTerms") {
            check_node_term(&term, true, faults);
        }
    }
    for preferred in affinity.each(PREFERRED_DURING) {
        check_weight(&preferred, faults);
        check_node_term(&preferred.inner_or_empty("preference"), false, faults);
    }
}

fn check_node_term(term: &Place<'_>, strict: bool, faults: &mut Faults) {
    for expression in term.each("matchExpressions") {
        check_operator(&expression, NODE_OPERATORS, faults);
        if matches!(expression.text("operator"), "Gt" | "Lt") {
            let other = expression.count("values") != 1;
            faults.add_if(
                other,
                &expression.at("values"),
                "must be one with Gt and Lt",
            );
        }
        if strict {
            check_values(&expression, Format::LabelValue, faults);
        }
    }
    for field in term.each("matchFields") {
        one_of(
            field.text("operator"),
            &["In", "NotIn"],
            &field.at("operator"),
            faults,
        );
        let other = field.count("values") != 1;
        faults.add_if(other, &field.at("values"), "must be one");
        one_of(
            field.text("key"),
            &["metadata.name"],
            &field.at("key"),
            faults,
        );
        check_values(&field, Format::Subdomain, faults);
    }
}

fn check_pod_affinity(affinity: &Place<'_>, faults: &mut Faults) {
    for term in affinity.each(REQUIRED_DURING) {
        check_pod_term(&term, faults);
    }
    for preferred in affinity.each(PREFERRED_DURING) {
        check_weight(&preferred, faults);
        check_pod_term(&preferred.inner_or_empty("podAffinityTerm"), faults);
    }
}

fn check_pod_term(term: &Place<'_>, faults: &mut Faults) {
    for key in ["labelSelector", "namespaceSelector"] {
        if let Some(selector) = term.inner(key) {
            check_selector(&selector, faults);
        }
    }
    for (index, namespace) in term.texts("namespaces").enumerate() {
        has_form(
            namespace,
            Format::Label,
            &term.at_index("namespaces", index),
            faults,
        );
    }
    check_label_keys(term, faults);
    obey(
        term,
        &[("topologyKey", Rule::RequiredIs(Format::LabelKey))],
        faults,
    );
}

/// Checks the keys whose values are those of the pod itself.
fn check_label_keys(place: &Place<'_>, faults: &mut Faults) {
    let selector = place.inner("labelSelector");
    let matching: BTreeSet<_> = place.texts("matchLabelKeys").collect();
    let others: BTreeSet<_> = place.texts("mismatchLabelKeys").collect();
    for list in ["matchLabelKeys", "mismatchLabelKeys"] {
        let alone = place.count(list) > 0 && selector.is_none();
        faults.add_if(alone, &place.at(list), "not without labelSelector");
        for (index, key) in place.texts(list).enumerate() {
            let path = place.at_index(list, index);
            has_form(key, Format::LabelKey, &path, faults);
            let both = list == "matchLabelKeys" && others.contains(key);
            faults.add_if(both, &path, "is in mismatchLabelKeys, too");
        }
    }
    // A kubelet only notices what two parts of the selector say of one key.
    let Some(selector) = selector else {
        return;
    };
    let labels = selector.entries("matchLabels").into_iter();
    let mut seen: BTreeSet<_> = labels.map(|(key, _)| key).collect();
    for expression in selector.each("matchExpressions") {
        let key = expression.text("key");
        let chosen = matching.contains(key);
        let fault = "is in labelSelector and in matchLabelKeys";
        faults.add_if(chosen && seen.contains(key), &expression.at("key"), fault);
        seen.insert(key);
    }
}

fn check_selector(selector: &Place<'_>, faults: &mut Faults) {
    labels(selector, "matchLabels", faults);
    for expression in selector.each("matchExpressions") {
        check_operator(&expression, LABEL_OPERATORS, faults);
        check_values(&expression, Format::LabelValue, faults);
    }
}

/// Checks the key and the operator of an expression, and whether it has the values for it.
fn check_operator(expression: &Place<'_>, operators: &[&str], faults: &mut Faults) {
    has_form(
        expression.text("key"),
        Format::LabelKey,
        &expression.at("key"),
        faults,
    );
    let operator = expression.text("operator");
    one_of(operator, operators, &expression.at("operator"), faults);
    let values = expression.count("values");
    match operator {
        "In" | "NotIn" => faults.add_if(values == 0, &expression.at("values"), REQUIRED),
        "Exists" | "DoesNotExist" => {
            faults.add_if(
                values > 0,
                &expression.at("values"),
                "not with this operator",
            );
        }
        _ => {}
    }
}

fn check_values(expression: &Place<'_>, format: Format, faults: &mut Faults) {
    for (index, value) in expression.texts("values").enumerate() {
        has_form(value, format, &expression.at_index("values", index), faults);
    }
}

fn check_weight(place: &Place<'_>, faults: &mut Faults) {
    let weight = place.integer("weight").unwrap_or_default();
    faults.add_if(
        !(1..=100).contains(&weight),
        &place.at("weight"),
        "must be 1 to 100",
    );
}

/// Checks the tolerations of a pod.
pub(super) fn tolerations(spec: &Place<'_>, faults: &mut Faults) {
    for toleration in spec.each("tolerations") {
        obey(&toleration, TOLERATION, faults);
        let operator = toleration.text("operator");
        let all = toleration.text("key").is_empty() && operator != "Exists";
        faults.add_if(
            all,
            &toleration.at("operator"),
            "must be Exists without a key",
        );
        let limited = toleration.has("tolerationSeconds");
        let other = toleration.text("effect") != "NoExecute";
        let fault = "must be NoExecute with tolerationSeconds";
        faults.add_if(limited && other, &toleration.at("effect"), fault);
        let value = toleration.text("value");
        match operator {
            "" | "Equal" => has_form(value, Format::LabelValue, &toleration.at("value"), faults),
            "Exists" => {
                let fault = "must be empty with Exists";
                faults.add_if(!value.is_empty(), &toleration.at("value"), fault);
            }
            _ => faults.add(&toleration.at("operator"), "must be Equal or Exists"),
        }
    }
}

fn check_spread(spec: &Place<'_>, faults: &mut Faults) {
    let mut kinds = BTreeSet::new();
    for constraint in spec.each("topologySpreadConstraints") {
        obey(&constraint, SPREAD, faults);
        let skew = constraint.integer("maxSkew").unwrap_or_default();
        faults.add_if(skew < 1, &constraint.at("maxSkew"), "must be at least 1");
        let unsatisfiable = constraint.text("whenUnsatisfiable");
        let kind = (constraint.text("topologyKey"), unsatisfiable);
        let fault = "another constraint has this topologyKey and whenUnsatisfiable";
        faults.add_if(!kinds.insert(kind), constraint.path(), fault);
        let lax = constraint.has("minDomains") && unsatisfiable != "DoNotSchedule";
        let fault = "needs whenUnsatisfiable DoNotSchedule";
        faults.add_if(lax, &constraint.at("minDomains"), fault);
        check_label_keys(&constraint, faults);
        if let Some(selector) = constraint.inner("labelSelector") {
            check_selector(&selector, faults);
        }
    }
}

const REQUIRED_DURING: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED_DURING: &str = "preferredDuringSchedulingIgnoredDuringExecution";
const LABEL_OPERATORS: &[&str] = &["DoesNotExist", "Exists", "In", "NotIn"];
const NODE_OPERATORS: &[&str] = &["DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"];
const TOLERATION: &[Row] = &[
    ("key", Rule::Is(Format::LabelKey)),
    (
        "effect",
        Rule::OneOf(&["", "NoExecute", "NoSchedule", "PreferNoSchedule"]),
    ),
];
const SPREAD: &[Row] = &[
    ("topologyKey", Rule::Required),
    (
        "whenUnsatisfiable",
        Rule::Choice(&["DoNotSchedule", "ScheduleAnyway"]),
    ),
    ("minDomains", Rule::Within(1, i64::MAX)),
    ("nodeAffinityPolicy", Rule::OneOf(&["Honor", "Ignore"])),
    ("nodeTaintsPolicy", Rule::OneOf(&["Honor", "Ignore"])),
];

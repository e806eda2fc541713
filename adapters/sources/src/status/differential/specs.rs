//! Specs of pods, by chance.

/// Returns a spec as YAML, and names its containers.
pub(super) fn spec(chance: &mut fastrand::Rng, names: &mut Vec<(&'static str, bool)>) -> String {
    let policy = ["Always", "OnFailure", "Never"][chance.usize(0..3)];
    let rules = chance.u8(0..6) == 0;
    let mut one = |name: &'static str, init: bool, more: &str| {
        names.push((name, init));
        let mut text = format!("{{name: {name}, image: 'image:1'{more}");
        if !init && chance.u8(0..4) == 0 {
            text.push_str(", readinessProbe: {}");
        }
        if (!init || more.contains("Always")) && chance.u8(0..5) == 0 {
            text.push_str(", startupProbe: {}");
        }
        if rules && more.is_empty() && chance.bool() {
            let own = ["Never", "OnFailure"][chance.usize(0..2)];
            let action = ["Restart", "RestartAllContainers"][chance.usize(0..2)];
            let operator = ["In", "NotIn"][chance.usize(0..2)];
            text.push_str(&format!(
                ", restartPolicy: {own}, restartPolicyRules: [{{action: {action}, exitCodes: \
                 {{operator: {operator}, values: [42]}}}}]"
            ));
        }
        if more != " " && chance.u8(0..3) == 0 {
            let cpu = ["5m", "100m", "1500m", "2"][chance.usize(0..4)];
            let memory = ["16Mi", "1Gi", "1000", "1500"][chance.usize(0..4)];
            let limits = match chance.u8(0..3) {
                0 => String::new(),
                1 => format!(", limits: {{cpu: {cpu}}}"),
                _ => format!(", limits: {{cpu: {cpu}, memory: {memory}}}"),
            };
            text.push_str(&format!(
                ", resources: {{requests: {{cpu: {cpu}, memory: {memory}}}{limits}}}"
            ));
        }
        if more != " " && chance.u8(0..3) == 0 {
            text.push_str(
                ", volumeMounts: [{name: v, mountPath: /v, readOnly: true}, {name: w, mountPath: /w}]",
            );
        }
        text.push('}');
        text
    };
    let mut regular = vec![one("b", false, "")];
    regular.push(one("a", false, ""));
    let mut init = vec![
        one("z", true, ""),
        one("side", true, ", restartPolicy: Always"),
    ];
    init.push(one("i", true, ""));
    let ephemeral = [one("y-debug", false, " "), one("debug", false, " ")];
    let ephemeral: Vec<_> = ephemeral
        .iter()
        .map(|text| {
            text.replace(", readinessProbe: {}", "")
                .replace(", startupProbe: {}", "")
        })
        .collect();
    let mut keep = |list: &[String], least: usize| {
        let count = chance.usize(least..=list.len());
        list[..count].join(", ")
    };
    let regular = keep(&regular, 1);
    let init = keep(&init, 0);
    let ephemeral = if chance.u8(0..4) == 0 {
        ephemeral.join(", ")
    } else {
        String::new()
    };
    names.retain(|(name, _)| {
        [&regular, &init, &ephemeral]
            .iter()
            .any(|list| list.contains(&format!("{{name: {name},")))
    });
    let mut spec = format!(
        "restartPolicy: {policy}, containers: [{regular}], initContainers: [{init}], \
         ephemeralContainers: [{ephemeral}]"
    );
    if chance.u8(0..8) == 0 {
        spec.push_str(", hostNetwork: true");
    }
    if chance.u8(0..8) == 0 {
        spec.push_str(", readinessGates: [{conditionType: example.com/gate}]");
    }
    if chance.u8(0..8) == 0 {
        spec.push_str(&format!(", activeDeadlineSeconds: {}", chance.u8(20..200)));
    }
    if chance.u8(0..8) == 0 {
        spec.push_str(", overhead: {cpu: 10m, memory: 1Mi}");
    }
    if chance.u8(0..10) == 0 {
        spec.push_str(", resources: {requests: {cpu: '3'}, limits: {cpu: '4', memory: 2Gi}}");
    }
    spec
}

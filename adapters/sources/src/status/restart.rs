//! Whether a container that ended is started again, as spec and exit code say.

use podsapi_proto::core_v1::{
    Container, ContainerRestartRule, EphemeralContainer, PodSpec, ResourceRequirements, VolumeMount,
};

/// What the status needs to know of a container in a spec, whichever list it stands in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned<'a> {
    pub(super) name: &'a str,
    pub(super) image: &'a str,
    pub(super) role: Role,
    pub(super) readiness_probe: bool,
    pub(super) startup_probe: bool,
    pub(super) resources: Option<&'a ResourceRequirements>,
    pub(super) mounts: &'a [VolumeMount],
    policy: Policy<'a>,
}

/// What a container is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Put into the running pod by hand.
    Ephemeral,
    /// Runs to its end before the others start.
    Init,
    /// What the pod is there for.
    Regular,
    /// Starts before the others and keeps running beside them.
    Sidecar,
}

#[derive(Clone, Copy, Debug)]
struct Policy<'a> {
    of_pod: &'a str,
    own: Option<&'a str>,
    rules: &'a [ContainerRestartRule],
}

impl<'a> Planned<'a> {
    /// Returns the regular containers of a spec in its order.
    pub(super) fn regular(spec: &'a PodSpec) -> Vec<Self> {
        let containers = spec.containers.iter();
        containers
            .map(|container| Self::of(spec, container, Role::Regular))
            .collect()
    }

    /// Returns the init containers, sidecars among them, of a spec in its order.
    pub(super) fn init(spec: &'a PodSpec) -> Vec<Self> {
        let containers = spec.init_containers.iter();
        let role = |container: &Container| {
            if container.restart_policy.as_deref() == Some(ALWAYS) {
                Role::Sidecar
            } else {
                Role::Init
            }
        };
        containers
            .map(|container| Self::of(spec, container, role(container)))
            .collect()
    }

    /// Returns the ephemeral containers of a spec in its order.
    pub(super) fn ephemeral(spec: &'a PodSpec) -> Vec<Self> {
        let containers = spec.ephemeral_containers.iter();
        containers
            .filter_map(|container| Self::of_ephemeral(spec, container))
            .collect()
    }

    fn of(spec: &'a PodSpec, container: &'a Container, role: Role) -> Self {
        Self {
            name: container.name(),
            image: container.image(),
            role,
            readiness_probe: container.readiness_probe.is_some(),
            startup_probe: container.startup_probe.is_some(),
            resources: container.resources.as_ref(),
            mounts: &container.volume_mounts,
            policy: Policy {
                of_pod: spec.restart_policy(),
                own: container.restart_policy.as_deref(),
                rules: &container.restart_policy_rules,
            },
        }
    }

    fn of_ephemeral(spec: &'a PodSpec, container: &'a EphemeralContainer) -> Option<Self> {
        let common = container.ephemeral_container_common.as_ref()?;
        Some(Self {
            name: common.name(),
            image: common.image(),
            role: Role::Ephemeral,
            readiness_probe: false,
            startup_probe: false,
            resources: common.resources.as_ref(),
            mounts: &common.volume_mounts,
            policy: Policy {
                of_pod: spec.restart_policy(),
                own: None,
                rules: &[],
            },
        })
    }

    /// Tells whether the container is started again after it ended with this code
    /// (`ContainerShouldRestart`).
    ///
    /// The first of a container's own rules that matches comes first, then its own policy, then the
    /// pod's; an unknown policy of a pod means `Always`, of a container nothing. Rules count only
    /// beside a policy of the container's own.
    pub(super) fn restarts_after(&self, exit_code: i32) -> bool {
        let Policy { of_pod, own, .. } = self.policy;
        let action = self.action_after(exit_code).filter(|_| own.is_some());
        if action.is_some_and(|action| [RESTART, RESTART_ALL].contains(&action)) {
            return true;
        }
        match own {
            Some(ALWAYS) => true,
            Some(ON_FAILURE) => exit_code != 0,
            Some(NEVER) => false,
            Some(_) | None => match of_pod {
                ON_FAILURE => exit_code != 0,
                NEVER => false,
                _ => true,
            },
        }
    }

    /// Tells whether all containers of the pod are started again after this one ended with this
    /// code.
    pub(super) fn restarts_all_after(&self, exit_code: i32) -> bool {
        self.action_after(exit_code) == Some(RESTART_ALL)
    }

    /// Tells whether there is an end after which all containers of the pod are started again.
    pub(super) fn can_restart_all(&self) -> bool {
        let mut rules = self.policy.rules.iter();
        rules.any(|rule| rule.action() == RESTART_ALL)
    }

    /// Tells whether a container that ended like this may leave that state again
    /// (`checkContainerStateTransition`); of a pod that always restarts, each may.
    pub(super) fn may_leave(&self, exit_code: i32) -> bool {
        self.role == Role::Ephemeral
            || self.role == Role::Sidecar
            || self.policy.of_pod == ALWAYS
            || (self.policy.of_pod == ON_FAILURE && exit_code != 0)
            || self.restarts_after(exit_code)
    }

    /// Returns what the first rule that matches wants (`FindMatchingContainerRestartRule`).
    fn action_after(&self, exit_code: i32) -> Option<&'a str> {
        let mut rules = self.policy.rules.iter();
        let rule = rules.find(|rule| matches(rule, exit_code))?;
        Some(rule.action())
    }
}

fn matches(rule: &ContainerRestartRule, exit_code: i32) -> bool {
    let Some(codes) = &rule.exit_codes else {
        return false;
    };
    let named = codes.values.contains(&exit_code);
    match codes.operator() {
        "In" => named,
        "NotIn" => !named,
        _ => false,
    }
}

const ALWAYS: &str = "Always";
const NEVER: &str = "Never";
const ON_FAILURE: &str = "OnFailure";

const RESTART: &str = "Restart";
const RESTART_ALL: &str = "RestartAllContainers";

#[cfg(test)]
mod tests {
    use podsapi_proto::core_v1::{
        Container, ContainerRestartRule, ContainerRestartRuleOnExitCodes, PodSpec,
    };

    use super::{Planned, Role};

    fn restarts(pod: &str, own: Option<&str>, rule: Option<(&str, i32)>, exit_code: i32) -> bool {
        let rules = rule.map(|(operator, code)| ContainerRestartRule {
            action: Some("Restart".to_owned()),
            exit_codes: Some(ContainerRestartRuleOnExitCodes {
                operator: Some(operator.to_owned()),
                values: vec![code],
            }),
        });
        let spec = PodSpec {
            restart_policy: Some(pod.to_owned()),
            containers: vec![Container {
                restart_policy: own.map(str::to_owned),
                restart_policy_rules: rules.into_iter().collect(),
                ..Container::default()
            }],
            ..PodSpec::default()
        };
        Planned::regular(&spec)[0].restarts_after(exit_code)
    }

    #[test]
    fn the_policy_of_the_pod_counts_when_the_container_has_none() {
        let all = |pod| [0, 1].map(|code| restarts(pod, None, None, code));
        assert_eq!(all("Always"), [true, true]);
        assert_eq!(all("OnFailure"), [false, true]);
        assert_eq!(all("Never"), [false, false]);
        assert_eq!(all(""), [true, true]);
    }

    #[test]
    fn rules_come_before_the_policy_of_the_container_and_that_before_the_one_of_the_pod() {
        assert!(!restarts("Always", Some("Never"), None, 1));
        assert!(restarts("Never", Some("OnFailure"), None, 1));
        assert!(restarts("Never", Some("Never"), Some(("In", 42)), 42));
        assert!(!restarts("Never", Some("Never"), Some(("In", 42)), 1));
        assert!(restarts("Never", Some("Never"), Some(("NotIn", 42)), 1));
    }

    #[test]
    fn the_first_rule_that_matches_decides() {
        let rule = |action: &str| ContainerRestartRule {
            action: Some(action.to_owned()),
            exit_codes: Some(ContainerRestartRuleOnExitCodes {
                operator: Some("In".to_owned()),
                values: vec![42],
            }),
        };
        let asks = |actions: [&str; 2]| {
            let spec = PodSpec {
                containers: vec![Container {
                    restart_policy: Some("Never".to_owned()),
                    restart_policy_rules: actions.map(rule).into(),
                    ..Container::default()
                }],
                ..PodSpec::default()
            };
            let planned = Planned::regular(&spec)[0];
            let all = (planned.restarts_all_after(42), planned.can_restart_all());
            (planned.restarts_after(42), all)
        };
        assert_eq!(
            asks(["Restart", "RestartAllContainers"]),
            (true, (false, true))
        );
        assert_eq!(
            asks(["RestartAllContainers", "Restart"]),
            (true, (true, true))
        );
        assert_eq!(asks(["Unheard", "Restart"]), (false, (false, false)));
    }

    #[test]
    fn a_sidecar_is_an_init_container_that_is_always_started_again() {
        let spec = PodSpec {
            init_containers: vec![
                Container {
                    restart_policy: Some("Always".to_owned()),
                    ..Container::default()
                },
                Container::default(),
            ],
            ..PodSpec::default()
        };
        let roles: Vec<_> = Planned::init(&spec).iter().map(|c| c.role).collect();
        assert_eq!(roles, [Role::Sidecar, Role::Init]);
    }
}

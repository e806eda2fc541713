//! The quality of service that a spec's requests and limits make.

use std::collections::BTreeMap;

use podsapi_proto::core_v1::{PodSpec, ResourceRequirements};
use podsapi_proto::resource::Quantity;

/// Returns the class of a pod: the one that all its containers have, `Burstable` when they differ.
///
/// Requests and limits for the whole pod count in place of the containers' where there are any.
pub(super) fn quality_of_service(spec: &PodSpec) -> &'static str {
    if let Some(whole) = spec.resources.as_ref().filter(|whole| any(whole)) {
        return class(whole);
    }
    let containers = spec.init_containers.iter().chain(&spec.containers);
    let classes =
        containers.map(|container| container.resources.as_ref().map_or(BEST_EFFORT, class));
    common(classes).unwrap_or(BEST_EFFORT)
}

fn any(resources: &ResourceRequirements) -> bool {
    !resources.requests.is_empty() || !resources.limits.is_empty()
}

fn class(resources: &ResourceRequirements) -> &'static str {
    let classes = ["cpu", "memory"].map(|resource| {
        let request = amount(&resources.requests, resource);
        if request != amount(&resources.limits, resource) {
            BURSTABLE
        } else if request.is_none() {
            BEST_EFFORT
        } else {
            GUARANTEED
        }
    });
    common(classes.into_iter()).unwrap_or(BEST_EFFORT)
}

/// Returns the class that all have; quantities are compared as the canonical texts that they are.
fn common(mut classes: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let first = classes.next()?;
    if classes.all(|class| class == first) {
        Some(first)
    } else {
        Some(BURSTABLE)
    }
}

fn amount<'a>(amounts: &'a BTreeMap<String, Quantity>, resource: &str) -> Option<&'a str> {
    let amount = amounts.get(resource)?.string();
    Some(amount).filter(|amount| !["", "0"].contains(amount))
}

const BEST_EFFORT: &str = "BestEffort";
const BURSTABLE: &str = "Burstable";
const GUARANTEED: &str = "Guaranteed";

#[cfg(test)]
mod tests {
    use podsapi_proto::core_v1::{Container, PodSpec, ResourceRequirements};
    use podsapi_proto::resource::Quantity;

    use super::quality_of_service;

    fn resources(requests: &[(&str, &str)], limits: &[(&str, &str)]) -> ResourceRequirements {
        let amounts = |amounts: &[(&str, &str)]| {
            let amounts = amounts.iter();
            amounts
                .map(|(name, text)| {
                    let string = Some((*text).to_owned());
                    ((*name).to_owned(), Quantity { string })
                })
                .collect()
        };
        ResourceRequirements {
            requests: amounts(requests),
            limits: amounts(limits),
            ..ResourceRequirements::default()
        }
    }

    fn of(all: &[ResourceRequirements]) -> &'static str {
        let containers = all.iter().map(|resources| Container {
            resources: Some(resources.clone()),
            ..Container::default()
        });
        quality_of_service(&PodSpec {
            containers: containers.collect(),
            ..PodSpec::default()
        })
    }

    #[test]
    fn the_three_classes_follow_from_cpu_and_memory() {
        let both = [("cpu", "1"), ("memory", "1Gi")];
        let guaranteed = resources(&both, &both);
        assert_eq!(of(&[]), "BestEffort");
        assert_eq!(of(&[resources(&[("gpu", "1")], &[])]), "BestEffort");
        assert_eq!(of(&[guaranteed.clone(), guaranteed.clone()]), "Guaranteed");
        assert_eq!(of(&[resources(&both, &[])]), "Burstable");
        assert_eq!(
            of(&[resources(&[("cpu", "1")], &[("cpu", "1")])]),
            "Burstable"
        );
        assert_eq!(of(&[guaranteed, resources(&[], &[])]), "Burstable");
    }

    #[test]
    fn resources_of_the_whole_pod_come_first() {
        let both = [("cpu", "1"), ("memory", "1Gi")];
        let spec = PodSpec {
            resources: Some(resources(&both, &both)),
            containers: vec![Container::default()],
            ..PodSpec::default()
        };
        assert_eq!(quality_of_service(&spec), "Guaranteed");
    }
}

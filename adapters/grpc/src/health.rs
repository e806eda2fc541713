//! What a server tells of its services in the words of gRPC's health service.

use alloc::{format, string::String, string::ToString};

use bytes::Bytes;
use podsapi_core::{Code, Status};
use podsapi_proto::health::{
    HealthCheckRequest, HealthCheckResponse, HealthListRequest, HealthListResponse,
    health_check_response::ServingStatus,
};
use podsapi_proto::text::decode;
use prost::Message;

use crate::{
    dialect::{PODS_DOCUMENTED, PODS_V1ALPHA1, SERVICES},
    text::escape,
};

/// All that the state of every service follows from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a driver fills in every field")]
pub struct Health {
    /// Every source has told all its pods.
    pub ready: bool,
    /// The server is about to end.
    pub draining: bool,
}

impl Health {
    /// Returns the state of a service by its full name, of the server as a whole by the empty name;
    /// none for a name that is not served.
    ///
    /// Pods are not served before the server is ready, and so is the server as a whole; the other
    /// services answer at any time until the drain begins.
    pub fn of(self, service: &str) -> Option<ServingStatus> {
        let waits = match service {
            "" | PODS_DOCUMENTED | PODS_V1ALPHA1 => !self.ready,
            other if SERVICES.contains(&other) => false,
            _ => return None,
        };
        Some(if waits || self.draining {
            ServingStatus::NotServing
        } else {
            ServingStatus::Serving
        })
    }

    /// Answers `Check`.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND` for a name that is not served, INTERNAL for a message that is no request.
    pub fn check(self, message: &[u8]) -> Result<Bytes, Status> {
        let service = watched_service(message)?;
        match self.of(&service) {
            Some(status) => Ok(told(status)),
            None => Err(Status::new(
                Code::NotFound,
                format!("unknown service \"{}\"", escape(service.as_bytes())),
            )),
        }
    }

    /// Answers `List`.
    ///
    /// # Errors
    ///
    /// INTERNAL for a message that is no request.
    pub fn list(self, message: &[u8]) -> Result<Bytes, Status> {
        decode::<HealthListRequest>(message).map_err(malformed)?;
        let statuses = [""].into_iter().chain(SERVICES).filter_map(|service| {
            let status = self.of(service)?.into();
            Some((service.to_string(), HealthCheckResponse { status }))
        });
        let statuses = statuses.collect();
        Ok(HealthListResponse { statuses }.encode_to_vec().into())
    }

    /// Returns the message with which a watch of this service tells its state.
    pub fn update(self, service: &str) -> Bytes {
        told(self.of(service).unwrap_or(ServingStatus::ServiceUnknown))
    }
}

/// Returns the name of the service that a `Check` or `Watch` asks for.
///
/// # Errors
///
/// INTERNAL for a message that is no request.
pub fn watched_service(message: &[u8]) -> Result<String, Status> {
    let request: HealthCheckRequest = decode(message).map_err(malformed)?;
    Ok(request.service)
}

fn told(status: ServingStatus) -> Bytes {
    let status = status.into();
    HealthCheckResponse { status }.encode_to_vec().into()
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature that map_err wants"
)]
fn malformed(error: prost::DecodeError) -> Status {
    let text = format!("the request cannot be decoded: {error}");
    Status::new(Code::Internal, text)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    const WAITING: Health = Health {
        ready: false,
        draining: false,
    };
    const READY: Health = Health {
        ready: true,
        draining: false,
    };
    const DRAINING: Health = Health {
        ready: true,
        draining: true,
    };

    fn asked(service: &str) -> Vec<u8> {
        let service = service.to_string();
        HealthCheckRequest { service }.encode_to_vec()
    }

    fn checked(health: Health, service: &str) -> ServingStatus {
        let answer = health.check(&asked(service)).unwrap();
        HealthCheckResponse::decode(answer).unwrap().status()
    }

    #[test]
    fn pods_are_served_from_ready_to_the_drain_and_the_rest_from_the_start() {
        for service in [""].into_iter().chain(SERVICES) {
            let pods = service.is_empty() || service.ends_with("Pods");
            let early = match pods {
                true => ServingStatus::NotServing,
                false => ServingStatus::Serving,
            };
            assert_eq!(checked(WAITING, service), early, "{service}");
            assert_eq!(checked(READY, service), ServingStatus::Serving);
            assert_eq!(checked(DRAINING, service), ServingStatus::NotServing);
        }
    }

    #[test]
    fn an_unknown_name_is_not_found_and_a_watch_is_told_so_in_its_message() {
        for name in ["pods", "v1alpha1.Pods/ListPods", "\r\n", "v1alpha1"] {
            let status = READY.check(&asked(name)).unwrap_err();
            assert_eq!(status.code(), Code::NotFound, "{name}");
            let update = HealthCheckResponse::decode(READY.update(name)).unwrap();
            assert_eq!(update.status(), ServingStatus::ServiceUnknown);
        }
    }

    #[test]
    fn a_list_has_every_service_and_the_whole() {
        let answer = READY.list(&[]).unwrap();
        let statuses = HealthListResponse::decode(answer).unwrap().statuses;
        let names: Vec<_> = statuses.keys().map(String::as_str).collect();
        assert_eq!(names.first(), Some(&""));
        assert_eq!(names[1..], SERVICES);
    }

    #[test]
    fn what_is_no_request_is_internal() {
        for answer in [READY.check(&[0x0a, 9]), READY.list(&[0x0a, 9])] {
            assert_eq!(answer.unwrap_err().code(), Code::Internal);
        }
    }
}

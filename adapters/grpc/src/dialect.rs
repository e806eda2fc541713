//! Which service and method a path names, in both dialects.

use alloc::format;

use podsapi_core::{Code, Dialect, Method, Status};

use crate::text::escape;

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a driver serves every route")]
pub enum Route {
    /// `GetStatus` of the diagnostics service.
    Diagnostics,
    /// A method of gRPC's health service.
    Health(HealthMethod),
    /// A method of the pods service in one of its dialects.
    Pods(Dialect, Method),
    /// `ServerReflectionInfo` of gRPC's reflection service in one of its versions.
    Reflection(ReflectionVersion),
}

/// A method of `grpc.health.v1.Health`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the three methods that exist")]
pub enum HealthMethod {
    /// The state of one service.
    Check,
    /// The state of every service.
    List,
    /// The state of one service, and what becomes of it.
    Watch,
}

/// A version of the reflection service; their messages are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two versions that exist")]
pub enum ReflectionVersion {
    /// `grpc.reflection.v1`.
    V1,
    /// `grpc.reflection.v1alpha`, which older clients know alone.
    V1alpha,
}

/// The full names of all services that are served, in ascending order.
pub const SERVICES: [&str; 6] = [
    PODS_DOCUMENTED,
    HEALTH,
    REFLECTION_V1,
    REFLECTION_V1ALPHA,
    DIAGNOSTICS,
    PODS_V1ALPHA1,
];

impl Route {
    /// Returns what the path names; case counts, nothing is decoded, and a query is no match.
    ///
    /// # Errors
    ///
    /// UNIMPLEMENTED for a path that names nothing served here, with the part that is unknown.
    pub fn find(path: &[u8]) -> Result<Self, Status> {
        let Some((service, method)) = split(path) else {
            let text = format!("malformed method name: \"{}\"", escape(path));
            return Err(Status::new(Code::Unimplemented, text));
        };
        let route = match core::str::from_utf8(service) {
            Ok(PODS_V1ALPHA1) => {
                pods_method(method).map(|found| Self::Pods(Dialect::V1alpha1, found))
            }
            Ok(PODS_DOCUMENTED) => {
                pods_method(method).map(|found| Self::Pods(Dialect::Documented, found))
            }
            Ok(DIAGNOSTICS) => (method == b"GetStatus").then_some(Self::Diagnostics),
            Ok(HEALTH) => health_method(method).map(Self::Health),
            Ok(REFLECTION_V1) => reflection_method(method, ReflectionVersion::V1),
            Ok(REFLECTION_V1ALPHA) => reflection_method(method, ReflectionVersion::V1alpha),
            Ok(_) | Err(_) => {
                let text = format!("unknown service {}", escape(service));
                return Err(Status::new(Code::Unimplemented, text));
            }
        };
        route.ok_or_else(|| {
            let text = format!(
                "unknown method {} for service {}",
                escape(method),
                escape(service)
            );
            Status::new(Code::Unimplemented, text)
        })
    }

    /// Returns the path that names this.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Diagnostics => "/podsapi.v1.Diagnostics/GetStatus",
            Self::Health(HealthMethod::Check) => "/grpc.health.v1.Health/Check",
            Self::Health(HealthMethod::List) => "/grpc.health.v1.Health/List",
            Self::Health(HealthMethod::Watch) => "/grpc.health.v1.Health/Watch",
            Self::Reflection(ReflectionVersion::V1) => {
                "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
            }
            Self::Reflection(ReflectionVersion::V1alpha) => {
                "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
            }
            Self::Pods(Dialect::V1alpha1, Method::GetPod) => "/v1alpha1.Pods/GetPod",
            Self::Pods(Dialect::V1alpha1, Method::ListPods) => "/v1alpha1.Pods/ListPods",
            Self::Pods(Dialect::V1alpha1, Method::WatchPods) => "/v1alpha1.Pods/WatchPods",
            Self::Pods(Dialect::Documented, Method::GetPod) => "/Pods/GetPod",
            Self::Pods(Dialect::Documented, Method::ListPods) => "/Pods/ListPods",
            Self::Pods(Dialect::Documented, Method::WatchPods) => "/Pods/WatchPods",
        }
    }
}

pub(crate) const PODS_V1ALPHA1: &str = "v1alpha1.Pods";
pub(crate) const PODS_DOCUMENTED: &str = "Pods";
const DIAGNOSTICS: &str = "podsapi.v1.Diagnostics";
const HEALTH: &str = "grpc.health.v1.Health";
const REFLECTION_V1: &str = "grpc.reflection.v1.ServerReflection";
const REFLECTION_V1ALPHA: &str = "grpc.reflection.v1alpha.ServerReflection";

/// Splits at the last slash; the first byte must be a slash too, and another one.
fn split(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = path.strip_prefix(b"/")?;
    let slash = rest.iter().rposition(|&byte| byte == b'/')?;
    let (service, method) = rest.split_at_checked(slash)?;
    Some((service, method.strip_prefix(b"/")?))
}

fn pods_method(name: &[u8]) -> Option<Method> {
    match name {
        b"GetPod" => Some(Method::GetPod),
        b"ListPods" => Some(Method::ListPods),
        b"WatchPods" => Some(Method::WatchPods),
        _ => None,
    }
}

fn health_method(name: &[u8]) -> Option<HealthMethod> {
    match name {
        b"Check" => Some(HealthMethod::Check),
        b"List" => Some(HealthMethod::List),
        b"Watch" => Some(HealthMethod::Watch),
        _ => None,
    }
}

fn reflection_method(name: &[u8], version: ReflectionVersion) -> Option<Route> {
    (name == b"ServerReflectionInfo").then_some(Route::Reflection(version))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn every_route_is_found_by_its_own_path() {
        let mut routes = vec![
            Route::Diagnostics,
            Route::Health(HealthMethod::Check),
            Route::Health(HealthMethod::List),
            Route::Health(HealthMethod::Watch),
            Route::Reflection(ReflectionVersion::V1),
            Route::Reflection(ReflectionVersion::V1alpha),
        ];
        for dialect in [Dialect::Documented, Dialect::V1alpha1] {
            for method in [Method::GetPod, Method::ListPods, Method::WatchPods] {
                routes.push(Route::Pods(dialect, method));
            }
        }
        for route in routes {
            assert_eq!(Route::find(route.path().as_bytes()), Ok(route));
            let service = route.path().split('/').nth(1).unwrap();
            assert!(SERVICES.contains(&service), "{service}");
        }
        assert!(SERVICES.is_sorted());
    }

    #[test]
    fn odd_paths_are_unimplemented() {
        let odd: [&[u8]; 20] = [
            b"",
            b"/",
            b"//",
            b"/a",
            b"/a/b/",
            b"*",
            b"/%70ods/ListPods",
            b"/Pods/ListPods?x=1",
            b"/Pods/listPods",
            b"/pods/ListPods",
            b"/Pods/",
            b"/Pods",
            b"Pods/ListPods",
            b"//Pods/ListPods",
            b"/Pods//ListPods",
            b"/x/Pods/ListPods",
            b"\"",
            "/é/x".as_bytes(),
            b"/v1alpha1.Pods/ListPods/",
            b"/\xff\x00/\r\n",
        ];
        for path in odd {
            let status = Route::find(path).unwrap_err();
            assert_eq!(status.code(), Code::Unimplemented, "{path:?}");
        }
    }

    #[test]
    fn the_text_says_which_part_is_unknown() {
        let text = |path: &[u8]| Route::find(path).unwrap_err();
        assert_eq!(text(b"/x.Y/z").message(), "unknown service x.Y");
        assert_eq!(
            text(b"/Pods/Get").message(),
            "unknown method Get for service Pods"
        );
        assert_eq!(text(b"/a").message(), "malformed method name: \"/a\"");
    }

    #[test]
    fn a_long_path_is_not_repeated_whole() {
        let mut path = vec![b'/'];
        path.resize(8000, b'x');
        path.push(b'/');
        assert!(Route::find(&path).unwrap_err().message().len() < 300);
    }
}

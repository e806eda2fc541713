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
    /// A method of the pods service in one of its dialects.
    Pods(Dialect, Method),
}

impl Route {
    /// Returns what the path names; case counts, nothing is decoded, and a query is no match.
    ///
    /// # Errors
    ///
    /// UNIMPLEMENTED for a path that names nothing served here, with the part that is unknown.
    pub fn find(path: &[u8]) -> Result<Self, Status> {
        let Some((service, method)) = split(path) else {
            let text = format!("malformed method name \"{}\"", escape(path));
            return Err(Status::new(Code::Unimplemented, text));
        };
        let route = match service {
            PODS_V1ALPHA1 => pods_method(method).map(|found| Self::Pods(Dialect::V1alpha1, found)),
            PODS_DOCUMENTED => {
                pods_method(method).map(|found| Self::Pods(Dialect::Documented, found))
            }
            DIAGNOSTICS => (method == b"GetStatus").then_some(Self::Diagnostics),
            unknown => {
                let text = format!("unknown service {}", escape(unknown));
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
            Self::Pods(Dialect::V1alpha1, Method::GetPod) => "/v1alpha1.Pods/GetPod",
            Self::Pods(Dialect::V1alpha1, Method::ListPods) => "/v1alpha1.Pods/ListPods",
            Self::Pods(Dialect::V1alpha1, Method::WatchPods) => "/v1alpha1.Pods/WatchPods",
            Self::Pods(Dialect::Documented, Method::GetPod) => "/Pods/GetPod",
            Self::Pods(Dialect::Documented, Method::ListPods) => "/Pods/ListPods",
            Self::Pods(Dialect::Documented, Method::WatchPods) => "/Pods/WatchPods",
        }
    }
}

const PODS_V1ALPHA1: &[u8] = b"v1alpha1.Pods";
const PODS_DOCUMENTED: &[u8] = b"Pods";
const DIAGNOSTICS: &[u8] = b"podsapi.v1.Diagnostics";

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

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn every_route_is_found_by_its_own_path() {
        let mut routes = vec![Route::Diagnostics];
        for dialect in [Dialect::Documented, Dialect::V1alpha1] {
            for method in [Method::GetPod, Method::ListPods, Method::WatchPods] {
                routes.push(Route::Pods(dialect, method));
            }
        }
        for route in routes {
            assert_eq!(Route::find(route.path().as_bytes()), Ok(route));
        }
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
        assert_eq!(text(b"/a").message(), "malformed method name \"/a\"");
    }

    #[test]
    fn a_long_path_is_not_repeated_whole() {
        let mut path = vec![b'/'];
        path.resize(8000, b'x');
        path.push(b'/');
        assert!(Route::find(&path).unwrap_err().message().len() < 300);
    }
}

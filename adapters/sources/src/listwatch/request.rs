//! What an API server is asked for.

use std::fmt::Write;

/// A `GET` that is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    path_and_query: String,
    accept: &'static str,
}

/// How new a list must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Age {
    /// As old as the server likes: from its memory, whatever that knows.
    Any,
    /// Read from the store, in pages.
    Newest,
    /// Read from the store in one piece, since the pages did not stay long enough.
    NewestWhole,
    /// From the server's memory, which must have come to this `resourceVersion`.
    NotOlderThan(String),
}

impl Request {
    /// Returns the path with the query, to be put behind the server's URL.
    pub fn path_and_query(&self) -> &str {
        &self.path_and_query
    }

    /// Returns the value of the header `accept`.
    pub fn accept(&self) -> &'static str {
        self.accept
    }

    /// Asks for a list, or for the page of it that `token` stands for.
    pub(super) fn list(node: &str, age: &Age, token: &str, page: u32, json: bool) -> Self {
        let mut query = selector(node);
        match age {
            Age::Any | Age::Newest => query.add("limit", &page.to_string()),
            // With a limit a server reads all pods of the cluster from its store, and of exactly
            // this version; without, it has those of the node in memory.
            Age::NewestWhole | Age::NotOlderThan(_) => {}
        }
        match age {
            // A token says which version it is of.
            _ if !token.is_empty() => query.add("continue", token),
            Age::Any => query.add("resourceVersion", "0"),
            Age::NotOlderThan(version) => query.add("resourceVersion", version),
            Age::Newest | Age::NewestWhole => {}
        }
        query.finish(json)
    }

    /// Asks for all changes since `version`, for so many seconds.
    pub(super) fn watch(node: &str, version: &str, seconds: u64, json: bool) -> Self {
        let mut query = selector(node);
        query.add("watch", "true");
        query.add("allowWatchBookmarks", "true");
        query.add("resourceVersion", version);
        query.add("timeoutSeconds", &seconds.to_string());
        query.finish(json)
    }
}

/// A path with the query so far.
struct Query(String);

fn selector(node: &str) -> Query {
    let mut query = Query(format!("{PATH}?"));
    query.add("fieldSelector", &format!("spec.nodeName={}", escaped(node)));
    query
}

/// Writes a value as field selectors spell it.
fn escaped(value: &str) -> String {
    let mut spelled = String::with_capacity(value.len());
    for character in value.chars() {
        if matches!(character, '\\' | ',' | '=') {
            spelled.push('\\');
        }
        spelled.push(character);
    }
    spelled
}

impl Query {
    fn add(&mut self, name: &str, value: &str) {
        if !self.0.ends_with('?') {
            self.0.push('&');
        }
        self.0.push_str(name);
        self.0.push('=');
        for byte in value.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    self.0.push(char::from(byte));
                }
                // Writing to a string does not fail.
                _ => drop(write!(self.0, "%{byte:02X}")),
            }
        }
    }

    fn finish(self, json: bool) -> Request {
        Request {
            path_and_query: self.0,
            accept: match json {
                true => ACCEPT_JSON,
                false => ACCEPT,
            },
        }
    }
}

/// All pods of all namespaces.
pub(super) const PATH: &str = "/api/v1/pods";

/// Protobuf if the server has it.
const ACCEPT: &str = "application/vnd.kubernetes.protobuf,application/json";

/// For servers that refuse to choose.
const ACCEPT_JSON: &str = "application/json";

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: &str = "/api/v1/pods?fieldSelector=spec.nodeName%3Dn";

    #[test]
    fn each_age_asks_in_its_own_way() {
        let list = |age, token| Request::list("n", &age, token, 500, false).path_and_query;
        let version = || Age::NotOlderThan("17".to_owned());
        assert_eq!(
            list(Age::Any, ""),
            format!("{NODE}&limit=500&resourceVersion=0")
        );
        assert_eq!(list(Age::Newest, ""), format!("{NODE}&limit=500"));
        assert_eq!(list(Age::NewestWhole, ""), NODE);
        assert_eq!(list(version(), ""), format!("{NODE}&resourceVersion=17"));
        assert_eq!(
            list(version(), "a+/="),
            format!("{NODE}&continue=a%2B%2F%3D")
        );
        assert_eq!(list(Age::Any, "a"), format!("{NODE}&limit=500&continue=a"));
    }

    #[test]
    fn a_watch_asks_for_bookmarks_and_an_end() {
        let watch = Request::watch("n", "17", 321, false);
        let expected = "&watch=true&allowWatchBookmarks=true&resourceVersion=17&timeoutSeconds=321";
        assert_eq!(watch.path_and_query(), format!("{NODE}{expected}"));
        assert!(
            watch
                .accept()
                .starts_with("application/vnd.kubernetes.protobuf")
        );
        assert_eq!(
            Request::watch("n", "17", 321, true).accept(),
            "application/json"
        );
    }

    #[test]
    fn no_name_of_a_node_can_say_more_than_a_name() {
        let request = Request::list("a,b&limit=1", &Age::NewestWhole, "", 1, false);
        let expected = "/api/v1/pods?fieldSelector=spec.nodeName%3Da%5C%2Cb%26limit%5C%3D1";
        assert_eq!(request.path_and_query(), expected);
    }
}

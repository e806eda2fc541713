//! Names of images, as far as they decide when an image is pulled.
//!
//! The grammar is that of `github.com/distribution/reference`, with which a kubelet reads them:
//! a registry that may be left out, a repository, a tag, a digest.

/// Returns when an image is pulled that says nothing about it.
///
/// Images whose tag may move are pulled each time: those tagged `latest`, and those with neither
/// tag nor digest, which means the same. What is no name of an image has no tag.
pub(super) fn pull_policy(image: &str) -> &'static str {
    match parse(image) {
        Some(Tag::Latest) => "Always",
        Some(Tag::Other) | None => "IfNotPresent",
    }
}

enum Tag {
    Latest,
    Other,
}

fn parse(image: &str) -> Option<Tag> {
    if image.len() == 64 && image.bytes().all(is_lower_hex) {
        // Taken for the id of an image.
        return None;
    }
    let (registry, rest) = match image.split_once('/') {
        Some((first, rest)) if is_registry_like(first) => (Some(first), rest),
        Some(_) | None => (None, image),
    };
    if registry.is_some_and(|registry| !is_registry(registry) && !is_component(registry)) {
        return None;
    }
    let (name, digest) = match rest.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (rest, None),
    };
    let (path, tag) = match name.split_once(':') {
        Some((path, tag)) => (path, Some(tag)),
        None => (name, None),
    };
    // A name without a registry and a folder gets one.
    let implied = match registry {
        Some(_) => 0,
        None if path.contains('/') => 0,
        None => "library/".len(),
    };
    let sound = path.split('/').all(is_component)
        && path.len() + implied <= LONGEST_PATH
        && tag.is_none_or(is_tag)
        && digest.is_none_or(is_digest);
    let latest = match tag {
        Some(tag) => tag == "latest",
        None => digest.is_none(),
    };
    sound.then_some(if latest { Tag::Latest } else { Tag::Other })
}

/// Whether what stands in front of the first slash is a registry, and no folder.
fn is_registry_like(first: &str) -> bool {
    first == "localhost" || first.contains(['.', ':']) || first.chars().any(char::is_uppercase)
}

/// Whether a text is a host with or without a port.
fn is_registry(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, port)) => {
            let address = !address.is_empty()
                && address
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() || byte == b':');
            (address, port)
        }
        None => {
            let end = text.find(':').unwrap_or(text.len());
            let (name, port) = text.split_at_checked(end).unwrap_or((text, ""));
            (name.split('.').all(is_host_part), port)
        }
    };
    let port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
    host && port
}

fn is_host_part(part: &str) -> bool {
    let bytes = part.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// Whether a text is letters and digits with separators between them: a dot, one or two
/// underscores, or dashes.
fn is_component(text: &str) -> bool {
    let is_word = |byte: char| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let words = text.split(is_word).filter(|between| !between.is_empty());
    let separated = words.into_iter().all(|between| {
        matches!(between, "." | "_" | "__") || between.bytes().all(|byte| byte == b'-')
    });
    text.starts_with(is_word) && text.ends_with(is_word) && separated
}

fn is_tag(tag: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    tag.len() <= 128
        && tag.bytes().next().is_some_and(is_word)
        && tag
            .bytes()
            .all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

/// Whether a text is a digest by an algorithm that a kubelet has.
fn is_digest(digest: &str) -> bool {
    let Some((algorithm, digits)) = digest.split_once(':') else {
        return false;
    };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    digits.len() == length && digits.bytes().all(is_lower_hex)
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// The most bytes that a repository's name may have behind its registry.
const LONGEST_PATH: usize = 255;

#[cfg(test)]
mod tests {
    use super::pull_policy;

    #[test]
    fn images_whose_tag_may_move_are_pulled_each_time() {
        let digest = format!("a/b:latest@sha256:{}", "0".repeat(64));
        for image in [
            "nginx",
            "nginx:latest",
            "localhost:5000/nginx",
            "registry.example/a/b:latest",
            "REGISTRY.example:5000/a/b",
            "a__b/c---d.e",
            "[::1]:5000/a",
            &digest,
        ] {
            assert_eq!(pull_policy(image), "Always", "{image}");
        }
    }

    #[test]
    fn images_that_stay_or_are_none_are_pulled_once() {
        let digest = format!("nginx@sha256:{}", "0".repeat(64));
        let id = "0".repeat(64);
        let long = "a/".repeat(127) + "aa";
        for image in [
            "nginx:1.29",
            "localhost:5000/nginx:1",
            "Nginx",
            "a/B",
            "a b",
            "a:",
            "a/b:latest@sha256:00",
            "a___b",
            "a..b",
            "a.-b",
            "a-",
            "",
            &digest,
            &id,
            &long,
        ] {
            assert_eq!(pull_policy(image), "IfNotPresent", "{image}");
        }
    }
}

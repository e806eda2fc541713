//! The forms that names and other texts of a pod must have.

use std::net::IpAddr;

/// A form of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// An absolute path.
    AbsolutePath,
    /// The name of a variable of a container's environment.
    EnvironmentName,
    /// The name of an HTTP header.
    HeaderName,
    /// An IP address.
    Ip,
    /// One part of a DNS name.
    Label,
    /// A key of a label, an annotation or the like: a name, perhaps with a DNS name in front.
    LabelKey,
    /// A value of a label.
    LabelValue,
    /// A path below a folder that does not lead out of it, of no reserved name.
    LocalPath,
    /// The same, of any name.
    DescendingPath,
    /// A path without `..`.
    NoBacksteps,
    /// The name of a port.
    PortName,
    /// A DNS name.
    Subdomain,
    /// A DNS name whose parts may have underscores.
    SubdomainWithUnderscore,
    /// A name of a kernel parameter.
    Sysctl,
}

impl Format {
    /// Whether a text has this form.
    pub(super) fn holds(self, text: &str) -> bool {
        match self {
            Self::AbsolutePath => text.starts_with('/'),
            Self::EnvironmentName => {
                !text.is_empty()
                    && text
                        .bytes()
                        .all(|byte| matches!(byte, b' '..=b'~') && byte != b'=')
            }
            Self::HeaderName => {
                !text.is_empty()
                    && text
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            }
            Self::Ip => is_ip(text),
            Self::Label => text.len() <= LONGEST_LABEL && is_label_shape(text),
            Self::LabelKey => is_label_key(text),
            Self::LabelValue => text.is_empty() || is_label_name(text),
            Self::LocalPath => {
                Self::DescendingPath.holds(text)
                    && (!text.starts_with("..") || text.starts_with("../"))
            }
            Self::DescendingPath => !text.starts_with('/') && Self::NoBacksteps.holds(text),
            Self::NoBacksteps => text.split('/').all(|part| part != ".."),
            Self::PortName => is_port_name(text),
            Self::Subdomain => {
                text.len() <= LONGEST_SUBDOMAIN && text.split('.').all(is_label_shape)
            }
            Self::SubdomainWithUnderscore => {
                text.len() <= LONGEST_SUBDOMAIN
                    && text
                        .split('.')
                        .all(|part| is_underscored(part.strip_prefix('_').unwrap_or(part)))
            }
            Self::Sysctl => {
                text.len() <= LONGEST_SUBDOMAIN && text.split(['.', '/']).all(is_underscored)
            }
        }
    }

    /// What to write instead of a text that has not this form.
    pub(super) const fn advice(self) -> &'static str {
        match self {
            Self::AbsolutePath => "must be an absolute path",
            Self::EnvironmentName => "must be printable ASCII characters without '='",
            Self::HeaderName => "must be letters, digits and '-'",
            Self::Ip => {
                "must be an IP address, without leading zeros and not IPv4 mapped into IPv6"
            }
            Self::Label => {
                "must be a DNS label: 1 to 63 characters a-z, 0-9 and '-', with a letter or digit \
                 at both ends"
            }
            Self::LabelKey => {
                "must be 1 to 63 characters A-Z, a-z, 0-9, '-', '_' and '.', with a letter or digit \
                 at both ends, perhaps after a DNS name and '/'"
            }
            Self::LabelValue => {
                "must be at most 63 characters A-Z, a-z, 0-9, '-', '_' and '.', with a letter or \
                 digit at both ends"
            }
            Self::LocalPath => {
                "must be a relative path that has no part '..' and does not begin with '..'"
            }
            Self::DescendingPath => "must be a relative path that has no part '..'",
            Self::NoBacksteps => "must be a path that has no part '..'",
            Self::PortName => {
                "must be 1 to 15 characters a-z, 0-9 and '-', one of them a letter, with a letter \
                 or digit at both ends and no '--'"
            }
            Self::Subdomain => {
                "must be a DNS name: 1 to 253 characters a-z, 0-9, '-' and '.', with a letter or \
                 digit at both ends of each part"
            }
            Self::SubdomainWithUnderscore => {
                "must be a DNS name: 1 to 253 characters a-z, 0-9, '-', '_' and '.', with a letter \
                 or digit at the end of each part"
            }
            Self::Sysctl => {
                "must be at most 253 characters a-z, 0-9, '-', '_', '.' and '/', with a letter or \
                 digit at both ends of each part"
            }
        }
    }
}

/// Lower case as Go has it, which has one letter for each.
pub(super) fn lower_case(text: &str) -> String {
    text.chars()
        .flat_map(|letter| match letter {
            'İ' => 'i'.to_lowercase(),
            letter => letter.to_lowercase(),
        })
        .collect()
}

/// Whether Go counts a character as printable: no control, format or private one and no blank but
/// the space.
pub(super) fn is_printable(letter: char) -> bool {
    if letter.is_ascii() {
        return matches!(letter, ' '..='~');
    }
    // Behind another letter what combines with it is printed as it is.
    format!("a{letter}").escape_debug().count() == 2
}

fn is_ip(text: &str) -> bool {
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => true,
        Ok(IpAddr::V6(address)) => address.to_ipv4_mapped().is_none(),
        Err(_) => false,
    }
}

fn is_label_shape(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(is_low)
        && bytes.last().is_some_and(is_low)
        && bytes.iter().all(|byte| is_low(byte) || *byte == b'-')
}

fn is_underscored(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(is_low)
        && bytes.last().is_some_and(is_low)
        && bytes
            .iter()
            .all(|byte| is_low(byte) || b"-_".contains(byte))
}

fn is_low(byte: &u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_label_key(text: &str) -> bool {
    match text.split_once('/') {
        Some((prefix, name)) => Format::Subdomain.holds(prefix) && is_label_name(name),
        None => is_label_name(text),
    }
}

fn is_label_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() <= LONGEST_LABEL
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

fn is_port_name(text: &str) -> bool {
    text.len() <= LONGEST_PORT_NAME
        && is_label_shape(text)
        && text.bytes().any(|byte| byte.is_ascii_lowercase())
        && !text.contains("--")
}

/// RFC 1123, as Kubernetes reads it.
const LONGEST_LABEL: usize = 63;
const LONGEST_SUBDOMAIN: usize = 253;
/// RFC 6335, section 5.1.
const LONGEST_PORT_NAME: usize = 15;

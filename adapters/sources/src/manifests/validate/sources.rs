//! What the sources of volumes may be that need no object of the API.

use super::format::Format;
use super::place::{Faults, Place};
use super::quantity::Amount;
use super::rule::{FILE_MODE, OWNER_ID, REQUIRED, Row, Rule, obey};
use super::volumes::PULL_POLICIES;

/// Checks what is true of the source of a volume itself.
pub(super) fn check(kind: &str, source: &Place<'_>, volume: &Place<'_>, faults: &mut Faults) {
    match kind {
        "azureDisk" => check_azure_disk(source, faults),
        "cinder" | "storageos" => check_secret_reference(source, faults),
        "emptyDir" => {
            let size = source.given_text("sizeLimit").and_then(Amount::read);
            let negative = size.is_some_and(Amount::is_negative);
            faults.add_if(negative, &source.at("sizeLimit"), "must be at least 0");
        }
        "fc" => check_fibre_channel(source, faults),
        "flexVolume" => check_flex_options(source, faults),
        "flocker" => check_flocker(source, faults),
        "iscsi" => check_iscsi(source, volume.text("name"), faults),
        "quobyte" => check_quobyte(source, faults),
        _ => {}
    }
}

fn check_secret_reference(source: &Place<'_>, faults: &mut Faults) {
    if let Some(secret) = source.inner("secretRef") {
        obey(&secret, &[("name", Rule::Required)], faults);
    }
}

fn check_azure_disk(disk: &Place<'_>, faults: &mut Faults) {
    let prefix = match disk.text("kind") {
        "Managed" => "/subscriptions/",
        _ => "https://",
    };
    if !disk.text("diskURI").starts_with(prefix) {
        faults.add(
            &disk.at("diskURI"),
            format!("must begin with {prefix} for this kind"),
        );
    }
}

fn check_fibre_channel(source: &Place<'_>, faults: &mut Faults) {
    match (source.count("targetWWNs") > 0, source.count("wwids") > 0) {
        (false, false) => faults.add(source.path(), "targetWWNs or wwids is required"),
        (true, true) => faults.add(source.path(), "targetWWNs and wwids exclude each other"),
        (true, false) => {
            faults.add_if(
                !source.has("lun"),
                &source.at("lun"),
                "required with targetWWNs",
            );
            obey(source, &[("lun", Rule::Within(0, 255))], faults);
        }
        (false, true) => {}
    }
}

fn check_flex_options(source: &Place<'_>, faults: &mut Faults) {
    for (key, _) in source.entries("options") {
        let namespace = key.split_once('/').map_or(key, |(namespace, _)| namespace);
        let namespace = format!(".{}", namespace.to_lowercase());
        if namespace.ends_with(".kubernetes.io") || namespace.ends_with(".k8s.io") {
            let fault = "kubernetes.io and k8s.io are reserved";
            faults.add(&source.at_key("options", key), fault);
        }
    }
}

fn check_flocker(source: &Place<'_>, faults: &mut Faults) {
    let name = source.text("datasetName");
    match (name.is_empty(), source.text("datasetUUID").is_empty()) {
        (true, true) => faults.add(source.path(), "datasetName or datasetUUID is required"),
        (false, false) => {
            faults.add(
                source.path(),
                "datasetName and datasetUUID exclude each other",
            );
        }
        (true, false) | (false, true) => {}
    }
    faults.add_if(
        name.contains('/'),
        &source.at("datasetName"),
        "must not contain '/'",
    );
}

fn check_iscsi(source: &Place<'_>, volume: &str, faults: &mut Faults) {
    const FORMS: &str = "must be a name that begins with iqn., eui. or naa.";
    let target = source.text("iqn");
    faults.add_if(target.is_empty(), &source.at("iqn"), REQUIRED);
    faults.add_if(
        !target.is_empty() && !is_iscsi_name(target),
        &source.at("iqn"),
        FORMS,
    );
    let asks = source.flag("chapAuthDiscovery") || source.flag("chapAuthSession");
    let nameless = asks && !source.has("secretRef");
    faults.add_if(nameless, &source.at("secretRef"), "required for CHAP");
    if let Some(initiator) = source.given_text("initiatorName") {
        faults.add_if(
            !is_iscsi_name(initiator),
            &source.at("initiatorName"),
            FORMS,
        );
        let bytes = volume.len() + 1 + source.text("targetPortal").len();
        let fault = "with it the volume's name and targetPortal must be at most 63 bytes together";
        faults.add_if(bytes > 64, &source.at("initiatorName"), fault);
    }
}

/// Whether a text is a name of an iSCSI node, as a kubelet sees it: of an `iqn` only the end counts.
fn is_iscsi_name(name: &str) -> bool {
    let alphanumeric = |text: &str, length: usize| {
        let mut letters = text.chars();
        let separated = letters.next().is_some_and(|letter| letter != '\n');
        let rest = letters.as_str();
        separated && rest.len() == length && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    if let Some(rest) = name.strip_prefix("eui") {
        return alphanumeric(rest, 16);
    }
    if let Some(rest) = name.strip_prefix("naa") {
        return alphanumeric(rest, 32);
    }
    name.starts_with("iqn") && ends_with_iqn(name.as_bytes())
}

/// Whether a text ends with a month, a naming authority and a name, such as
/// `iqn.2001-04.com.example:disk`, whatever is in front.
///
/// Goes once from the end to the beginning, so that a long text costs no more than its length.
fn ends_with_iqn(text: &[u8]) -> bool {
    const FORM: &[u8; 12] = b"iqn.dddd-dd.";
    let of_authority = |byte: &u8| byte.is_ascii_alphanumeric() || b"-.".contains(byte);
    let not_in_name = |byte: &u8| b",;*&$|\t\n\x0c\r ".contains(byte);
    let last_wrong = text.iter().rposition(not_in_name);
    let mut end_of_authority = text.len();
    for at in (FORM.len()..text.len()).rev() {
        if text.get(at).is_some_and(|byte| !of_authority(byte)) {
            end_of_authority = at;
        }
        let named = end_of_authority > at
            && text.get(end_of_authority) == Some(&b':')
            && end_of_authority + 1 < text.len()
            && last_wrong.is_none_or(|wrong| wrong < end_of_authority);
        let dated = || {
            let before = text.get(at - FORM.len()..at).unwrap_or_default();
            before.iter().zip(FORM).all(|(byte, form)| match form {
                b'd' => byte.is_ascii_digit(),
                form => byte == form,
            })
        };
        if named && dated() {
            return true;
        }
    }
    false
}

fn check_quobyte(source: &Place<'_>, faults: &mut Faults) {
    let registry = source.text("registry");
    let pairs = !registry.is_empty() && registry.split(',').all(is_host_and_port);
    let fault = "must be a host and a port with ':' between, or several with commas";
    faults.add_if(!pairs, &source.at("registry"), fault);
    let long = source.text("tenant").len() > 64;
    faults.add_if(long, &source.at("tenant"), "must be at most 64 bytes");
}

/// Whether Go's `net.SplitHostPort` takes a text.
fn is_host_and_port(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let Some((host, port)) = rest.split_once(']') else {
                return false;
            };
            let Some(port) = port.strip_prefix(':') else {
                return false;
            };
            if port.contains(':') {
                return false;
            }
            (host, port)
        }
        None => {
            let Some((host, port)) = text.rsplit_once(':') else {
                return false;
            };
            if host.contains([':', '[', ']']) {
                return false;
            }
            (host, port)
        }
    };
    !host.contains('[') && !port.contains(['[', ']'])
}

/// The sources that a static pod may have, and the rules about their fields.
pub(super) const SOURCES: &[(&str, &[Row])] = &[
    (
        "awsElasticBlockStore",
        &[("volumeID", Rule::Required), ("partition", PARTITION)],
    ),
    (
        "azureDisk",
        &[
            ("diskName", Rule::Required),
            ("diskURI", Rule::Required),
            (
                "cachingMode",
                Rule::OneOf(&["None", "ReadOnly", "ReadWrite"]),
            ),
            ("kind", Rule::OneOf(&["Dedicated", "Managed", "Shared"])),
        ],
    ),
    ("cephfs", &[("monitors", Rule::NotEmpty)]),
    ("cinder", &[("volumeID", Rule::Required)]),
    (
        "downwardAPI",
        &[("defaultMode", FILE_MODE), ("defaultUser", OWNER_ID)],
    ),
    ("emptyDir", &[("mode", Rule::Within(0, 0o1777))]),
    ("fc", &[]),
    ("flexVolume", &[("driver", Rule::Required)]),
    ("flocker", &[]),
    (
        "gcePersistentDisk",
        &[("pdName", Rule::Required), ("partition", PARTITION)],
    ),
    (
        "gitRepo",
        &[
            ("repository", Rule::Required),
            ("directory", Rule::Is(Format::DescendingPath)),
        ],
    ),
    (
        "hostPath",
        &[
            ("path", Rule::RequiredIs(Format::NoBacksteps)),
            (
                "type",
                Rule::OneOf(&[
                    "",
                    "BlockDevice",
                    "CharDevice",
                    "Directory",
                    "DirectoryOrCreate",
                    "File",
                    "FileOrCreate",
                    "Socket",
                ]),
            ),
        ],
    ),
    (
        "image",
        &[
            ("reference", Rule::Required),
            ("pullPolicy", Rule::Choice(PULL_POLICIES)),
        ],
    ),
    (
        "iscsi",
        &[
            ("targetPortal", Rule::Required),
            ("lun", Rule::Within(0, 255)),
        ],
    ),
    (
        "nfs",
        &[
            ("server", Rule::Required),
            ("path", Rule::RequiredIs(Format::AbsolutePath)),
        ],
    ),
    ("photonPersistentDisk", &[("pdID", Rule::Required)]),
    ("portworxVolume", &[("volumeID", Rule::Required)]),
    (
        "projected",
        &[("defaultMode", FILE_MODE), ("defaultUser", OWNER_ID)],
    ),
    ("quobyte", &[("volume", Rule::Required)]),
    (
        "rbd",
        &[("monitors", Rule::NotEmpty), ("image", Rule::Required)],
    ),
    (
        "scaleIO",
        &[
            ("gateway", Rule::Required),
            ("system", Rule::Required),
            ("volumeName", Rule::Required),
        ],
    ),
    (
        "storageos",
        &[
            ("volumeName", Rule::RequiredIs(Format::Label)),
            ("volumeNamespace", Rule::Is(Format::Label)),
        ],
    ),
    ("vsphereVolume", &[("volumePath", Rule::Required)]),
];
const PARTITION: Rule = Rule::Within(0, 255);

//! What is for one operating system only.

use podsapi_proto::json::{Map, Value};

use super::format::Format;
use super::place::{Faults, Place};
use super::rule::{Row, Rule, obey, one_of};
use crate::tree;

/// Checks that a pod has nothing that its operating system does not know.
///
/// `given` is the spec as it was written: an empty list counts here, and nothing else tells it from
/// none.
pub(super) fn check_system(spec: &Place<'_>, given: &Map, faults: &mut Faults) {
    let Some(os) = spec.inner("os") else {
        return;
    };
    let name = os.text("name");
    one_of(name, &["linux", "windows"], &os.at("name"), faults);
    let (of_pod, of_containers, fault) = match name {
        "linux" => (OF_WINDOWS, OF_WINDOWS, "not in a pod of Linux"),
        "windows" => (POD_OF_LINUX, CONTAINER_OF_LINUX, "not in a pod of Windows"),
        _ => return,
    };
    let context = spec.inner_or_empty(CONTEXT);
    for key in of_pod {
        faults.add_if(context.has(key), &context.at(key), fault);
    }
    for container in containers(spec) {
        let context = container.inner_or_empty(CONTEXT);
        for key in of_containers {
            faults.add_if(context.has(key), &context.at(key), fault);
        }
    }
    if name == "windows" {
        for key in ["hostUsers", "shareProcessNamespace"] {
            faults.add_if(spec.has(key), &spec.at(key), fault);
        }
        for key in ["hostPID", "hostIPC"] {
            faults.add_if(spec.flag(key), &spec.at(key), fault);
        }
        let groups = tree::inner(given, CONTEXT)
            .and_then(|context| tree::given(context, GROUPS))
            .and_then(Value::as_list);
        faults.add_if(groups.is_some(), &context.at(GROUPS), fault);
    }
}

/// Checks that all containers of a pod are processes of the host if one is.
pub(super) fn check_host_process(spec: &Place<'_>, faults: &mut Faults) {
    let host_process = |place: &Place<'_>| {
        let options = place
            .inner_or_empty(CONTEXT)
            .inner_or_empty("windowsOptions");
        (options.given_flag(HOST_PROCESS), options.at(HOST_PROCESS))
    };
    let (of_pod, _) = host_process(spec);
    let mut all = 0;
    let mut on_host = 0;
    for container in containers(spec) {
        let (own, path) = host_process(&container);
        let differ = own.is_some() && of_pod.is_some() && own != of_pod;
        faults.add_if(differ, &path, "must be the same as in the pod");
        all += 1;
        on_host += usize::from(own.or(of_pod) == Some(true));
    }
    if on_host > 0 {
        let fault = "all containers must be processes of the host if one is";
        faults.add_if(on_host != all, spec.path(), fault);
        let fault = "required for processes of the host";
        faults.add_if(!spec.flag("hostNetwork"), &spec.at("hostNetwork"), fault);
    }
}

/// Checks the options for Windows of a pod or a container.
pub(super) fn check_options(options: &Place<'_>, faults: &mut Faults) {
    obey(options, OPTIONS, faults);
    if let Some(credentials) = options.given_text("gmsaCredentialSpec") {
        let good = (1..=MOST_CREDENTIAL_BYTES).contains(&credentials.len());
        let fault = "must be 1 byte to 64 KiB";
        faults.add_if(!good, &options.at("gmsaCredentialSpec"), fault);
    }
    if let Some(name) = options.given_text("runAsUserName") {
        let fault = "must be a name of a user of Windows, perhaps after a domain and '\\'";
        faults.add_if(!is_user_name(name), &options.at("runAsUserName"), fault);
    }
}

fn is_user_name(name: &str) -> bool {
    const NOT_IN_USERS: [char; 16] = [
        '"', '/', '\\', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '@', '[', ']',
    ];
    let (domain, user) = match name.split_once('\\') {
        Some((domain, user)) => (Some(domain), user),
        None => (None, name),
    };
    let printable = !name.bytes().any(|byte| byte.is_ascii_control());
    printable
        && domain.is_none_or(is_domain)
        && (1..=LONGEST_USER).contains(&user.len())
        && !user.contains(NOT_IN_USERS)
        && !user.chars().all(|letter| letter == '.' || letter == ' ')
}

/// Whether a text is a domain's name, either of `NetBIOS` or of DNS.
fn is_domain(domain: &str) -> bool {
    const NOT_IN_NETBIOS: [char; 9] = ['\\', '/', ':', '*', '?', '"', '<', '>', '|'];
    let netbios = (1..=15).contains(&domain.chars().count())
        && !domain.contains(NOT_IN_NETBIOS)
        && !domain.starts_with('.');
    let dns = domain.split('.').all(|label| {
        let label = label.to_ascii_lowercase();
        Format::Label.holds(&label)
    });
    domain.len() < LONGEST_DOMAIN && (netbios || dns)
}

fn containers<'v>(spec: &Place<'v>) -> impl Iterator<Item = Place<'v>> {
    let lists = ["initContainers", "containers"].into_iter();
    lists.flat_map(|list| spec.each(list))
}

const CONTEXT: &str = "securityContext";
const GROUPS: &str = "supplementalGroups";
const HOST_PROCESS: &str = "hostProcess";
const OPTIONS: &[Row] = &[("gmsaCredentialSpecName", Rule::GivenIs(Format::Subdomain))];
const OF_WINDOWS: &[&str] = &["windowsOptions"];
const POD_OF_LINUX: &[&str] = &[
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
];
const CONTAINER_OF_LINUX: &[&str] = &[
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
];
const MOST_CREDENTIAL_BYTES: usize = 64 << 10;
/// Names of users and domains of Windows, as Kubernetes bounds them.
const LONGEST_USER: usize = 104;
const LONGEST_DOMAIN: usize = 256;

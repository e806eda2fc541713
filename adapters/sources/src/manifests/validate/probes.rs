//! What is done to containers: probes, and handlers of their start and end.

use super::format::Format;
use super::place::{Faults, Place};
use super::ports;
use super::rule::{NOT_NEGATIVE, Row, Rule, has_form, obey, one_of};

/// Checks the probes and the lifecycle of a container that stays.
pub(super) fn check(container: &Place<'_>, spec: &Place<'_>, faults: &mut Faults) {
    for key in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = container.inner(key) else {
            continue;
        };
        check_handler(&probe, PROBE_HANDLERS, spec, faults);
        obey(&probe, PROBE, faults);
        if key == "readinessProbe" {
            let path = probe.at(GRACE);
            faults.add_if(probe.has(GRACE), &path, "not in a readinessProbe");
        } else {
            obey(&probe, &[("successThreshold", Rule::Within(1, 1))], faults);
        }
    }
    if let Some(lifecycle) = container.inner("lifecycle") {
        for key in ["postStart", "preStop"] {
            if let Some(handler) = lifecycle.inner(key) {
                check_handler(&handler, LIFECYCLE_HANDLERS, spec, faults);
            }
        }
        check_signal(&lifecycle, spec, faults);
    }
}

fn check_handler(place: &Place<'_>, kinds: &[&str], spec: &Place<'_>, faults: &mut Faults) {
    let given: Vec<_> = kinds.iter().filter_map(|kind| place.inner(kind)).collect();
    let kinds = kinds.join(", ");
    match given.len() {
        0 => faults.add(place.path(), format!("one of {kinds} is required")),
        1 => {}
        _ => faults.add(place.path(), format!("has more than one of {kinds}")),
    }
    if let Some(exec) = place.inner("exec") {
        obey(&exec, &[("command", Rule::NotEmpty)], faults);
    }
    if let Some(get) = place.inner("httpGet") {
        check_http(&get, faults);
    }
    if let Some(socket) = place.inner("tcpSocket") {
        ports::check_target(&socket, "port", faults);
    }
    if let Some(grpc) = place.inner("grpc") {
        ports::check_target(&grpc, "port", faults);
        obey(
            &grpc,
            &[("mode", Rule::OneOf(&["Plaintext", "TLS"]))],
            faults,
        );
    }
    if let Some(sleep) = place.inner("sleep") {
        let seconds = sleep.integer("seconds").unwrap_or_default();
        let most = spec.integer(GRACE).unwrap_or(i64::MAX);
        let fault = format!("must be 0 to {GRACE} of the pod");
        faults.add_if(!(0..=most).contains(&seconds), &sleep.at("seconds"), fault);
    }
}

fn check_http(get: &Place<'_>, faults: &mut Faults) {
    obey(get, HTTP_GET, faults);
    ports::check_target(get, "port", faults);
    for header in get.each("httpHeaders") {
        has_form(
            header.text("name"),
            Format::HeaderName,
            &header.at("name"),
            faults,
        );
    }
    if get.text("protocol") == HTTP_2 {
        let path = get.at("protocol");
        faults.add_if(
            get.text("scheme") != "HTTP",
            &path,
            "HTTP2 needs the scheme HTTP",
        );
        faults.add_if(
            !get.text("host").is_empty(),
            &get.at("host"),
            "not with HTTP2",
        );
    }
}

fn check_signal(lifecycle: &Place<'_>, spec: &Place<'_>, faults: &mut Faults) {
    let Some(signal) = lifecycle.given_text("stopSignal") else {
        return;
    };
    let path = lifecycle.at("stopSignal");
    match spec.inner("os").as_ref().map(|os| os.text("name")) {
        None => faults.add(&path, "needs spec.os.name"),
        Some("windows") => one_of(signal, &["SIGKILL", "SIGTERM"], &path, faults),
        Some("linux") => {
            let good = SIGNALS.contains(&signal) || is_real_time(signal);
            faults.add_if(
                !good,
                &path,
                "must be the name of a signal, such as SIGTERM",
            );
        }
        Some(_) => {}
    }
}

/// Whether a signal is one of those without a name of their own.
fn is_real_time(signal: &str) -> bool {
    let within = |count: &str, most: u8| {
        let number: Result<u8, _> = count.parse();
        number.is_ok_and(|number| (1..=most).contains(&number) && number.to_string() == count)
    };
    match (
        signal.strip_prefix("SIGRTMIN+"),
        signal.strip_prefix("SIGRTMAX-"),
    ) {
        (Some(count), _) => within(count, 15),
        (None, Some(count)) => within(count, 14),
        (None, None) => false,
    }
}

const GRACE: &str = "terminationGracePeriodSeconds";
const HTTP_2: &str = "HTTP2";
const PROBE_HANDLERS: &[&str] = &["exec", "grpc", "httpGet", "tcpSocket"];
const LIFECYCLE_HANDLERS: &[&str] = &["exec", "httpGet", "sleep", "tcpSocket"];
const PROBE: &[Row] = &[
    ("initialDelaySeconds", NOT_NEGATIVE),
    ("timeoutSeconds", NOT_NEGATIVE),
    ("periodSeconds", NOT_NEGATIVE),
    ("successThreshold", NOT_NEGATIVE),
    ("failureThreshold", NOT_NEGATIVE),
    (GRACE, Rule::Within(1, i64::MAX)),
];
const HTTP_GET: &[Row] = &[
    ("path", Rule::Required),
    ("scheme", Rule::Choice(&["HTTP", "HTTPS"])),
    ("protocol", Rule::OneOf(&["HTTP1", HTTP_2])),
];
const SIGNALS: [&str; 36] = [
    "SIGABRT",
    "SIGALRM",
    "SIGBUS",
    "SIGCHLD",
    "SIGCLD",
    "SIGCONT",
    "SIGFPE",
    "SIGHUP",
    "SIGILL",
    "SIGINT",
    "SIGIO",
    "SIGIOT",
    "SIGKILL",
    "SIGPIPE",
    "SIGPOLL",
    "SIGPROF",
    "SIGPWR",
    "SIGQUIT",
    "SIGRTMAX",
    "SIGRTMIN",
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSTOP",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
    "SIGWINCH",
    "SIGXCPU",
    "SIGXFSZ",
];

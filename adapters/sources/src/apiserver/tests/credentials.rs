//! Kubeconfigs good and bad, certificates, tokens and plugins; and that no secret is ever told.

use std::sync::Arc;

use rcgen::CertifiedKey;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use super::*;

pub(super) type Certified = CertifiedKey<rcgen::KeyPair>;

pub(super) fn certificate(name: &str) -> Certified {
    rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap()
}

/// A server that shows this certificate, and wants to see the client's if one is given.
pub(super) fn tls(own: &Certified, client: Option<&Certified>) -> ServerConfig {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = match client {
        None => builder.with_no_client_auth(),
        Some(client) => {
            let mut roots = RootCertStore::empty();
            roots.add(client.cert.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let chain = vec![CertificateDer::from(own.cert.der().to_vec())];
    let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
    builder.with_single_cert(chain, key).unwrap()
}

/// Answers those that have the token.
fn for_token(token: &'static str) -> impl Fn(&Question) -> Answer {
    move |question| match question.header("authorization") {
        found if found != format!("Bearer {token}") => refusal(401, "Unauthorized"),
        _ => pods(&["1"], "old")(question),
    }
}

pub(super) fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn assert_never_told(source: &Source, secret: &str) {
    let told = format!("{:?}", source.recorder.heard().problems);
    assert!(!told.contains(secret), "{told}");
}

#[tokio::test]
async fn a_wrong_kubeconfig_says_what_is_wrong_and_may_come_right() {
    let server = Server::start(None, pods(&["1"], "old")).await;
    let mut source = Source::start(tempfile::tempdir().unwrap(), |_| {});
    let heard = source
        .problem("the kubeconfig cannot be read: No such file")
        .await;
    let file = source.kubeconfig();
    assert!(
        heard.problem().starts_with(file.to_str().unwrap()),
        "{}",
        heard.problem()
    );
    assert!(
        heard
            .problem()
            .contains("nothing but a checkpoint is served before the first list")
    );
    let contexts = "contexts: [{name: a, context: {cluster: c, user: u}}]\n";
    let unknown = format!("{contexts}current-context: b\n");
    let known = format!("{contexts}current-context: a\n");
    for (content, expected) in [
        ("", "is empty"),
        (
            "users: [{name: u, user: {token: s3cret",
            "expected a kubeconfig in YAML, which this is not",
        ),
        (
            contexts,
            "no current-context; set it to one of its contexts (it has \"a\")",
        ),
        (
            &unknown,
            "current-context is \"b\", and it has no context of that name (it has \"a\")",
        ),
        (
            &known,
            "names the cluster \"c\", and it has no cluster of that name",
        ),
        (
            &format!("{known}clusters: [{{name: c, cluster: {{}}}}]\n"),
            "has no server",
        ),
        (
            &format!("{known}clusters: [{{name: c, cluster: {{server: '/x'}}}}]\n"),
            "expected the address of the server",
        ),
        (
            &format!(
                "{known}clusters: [{{name: c, cluster: {{server: 'http://x', proxy-url: 'http://me:s3cret@y'}}}}]\n"
            ),
            "has a proxy-url",
        ),
        (
            &format!(
                "{known}clusters: [{{name: c, cluster: {{server: 'https://x', certificate-authority: none}}}}]\n"
            ),
            "none cannot be read: No such file",
        ),
    ] {
        std::fs::write(&file, content).unwrap();
        let heard = source.problem(expected).await;
        assert!(
            heard.problem().contains(file.to_str().unwrap()),
            "{}",
            heard.problem()
        );
    }
    write(source.folder.path(), &server.url("http"), "", "{}");
    let heard = source.listed().await;
    assert_eq!(heard.names(), ["ns/pod-1"]);
    assert_never_told(&source, "s3cret");
}

#[tokio::test]
async fn a_token_file_is_read_anew_and_its_line_break_does_not_matter() {
    let own = certificate("127.0.0.1");
    let server = Server::start(Some(tls(&own, None)), for_token("right-s3cret")).await;
    let folder = folder_with(&[("ca.pem", &own.cert.pem())]);
    let authority = ", certificate-authority: ca.pem";
    write(
        folder.path(),
        &server.url("https"),
        authority,
        "{tokenFile: token}",
    );
    let mut source = Source::start(folder, |_| {});
    source.problem("token cannot be read").await;
    let token = source.folder.path().join("token");
    for (content, expected) in [
        ("", "expected one line of text, the token"),
        (
            "two\nlines-s3cret\n",
            "expected one line of text, the token",
        ),
        (
            "wrong-s3cret\n",
            "the API server does not accept the credentials",
        ),
    ] {
        std::fs::write(&token, content).unwrap();
        source.problem(expected).await;
    }
    std::fs::write(&token, "right-s3cret\n").unwrap();
    assert_eq!(source.listed().await.names(), ["ns/pod-1"]);
    assert_never_told(&source, "s3cret");
}

#[tokio::test]
async fn a_server_whose_certificate_nobody_vouches_for_is_not_asked() {
    let own = certificate("127.0.0.1");
    let server = Server::start(Some(tls(&own, None)), pods(&["1"], "old")).await;
    let folder = folder_with(&[
        ("ca.pem", &certificate("127.0.0.1").cert.pem()),
        ("right.pem", &own.cert.pem()),
    ]);
    let url = server.url("https");
    write(
        folder.path(),
        &url,
        ", certificate-authority: ca.pem",
        "{token: s3cret}",
    );
    let mut source = Source::start(folder, |_| {});
    let heard = source
        .problem("not signed by an authority that the kubeconfig names")
        .await;
    assert!(heard.problem().contains(&url), "{}", heard.problem());
    assert!(server.asked().is_empty());
    let name = ", certificate-authority: right.pem, tls-server-name: other";
    write(source.folder.path(), &url, name, "{token: s3cret}");
    source.problem("its certificate is for another name").await;
    let right = ", certificate-authority: right.pem";
    write(source.folder.path(), &url, right, "{token: s3cret}");
    source.listed().await;
    assert_never_told(&source, "s3cret");
}

#[tokio::test]
async fn a_client_certificate_opens_the_door() {
    let [own, client] = ["127.0.0.1", "node-n"].map(certificate);
    let server = Server::start(Some(tls(&own, Some(&client))), pods(&["1"], "old")).await;
    let folder = folder_with(&[
        ("ca.pem", &own.cert.pem()),
        ("node.pem", &client.cert.pem()),
        ("node.key", &client.signing_key.serialize_pem()),
        ("other.key", &certificate("x").signing_key.serialize_pem()),
    ]);
    let url = server.url("https");
    let authority = ", certificate-authority: ca.pem";
    let user = |key: &str| format!("{{client-certificate: node.pem, client-key: {key}}}");
    write(folder.path(), &url, authority, "{}");
    let mut source = Source::start(folder, |_| {});
    source
        .problem("it does not accept the client certificate")
        .await;
    write(source.folder.path(), &url, authority, &user("other.key"));
    source
        .problem("expected both in PEM, and the key to be the certificate's")
        .await;
    write(source.folder.path(), &url, authority, &user("absent.key"));
    source
        .problem("absent.key cannot be read: No such file")
        .await;
    write(source.folder.path(), &url, authority, &user("node.key"));
    assert_eq!(source.listed().await.names(), ["ns/pod-1"]);
    assert_never_told(&source, "PRIVATE");
}

#[tokio::test]
async fn a_plugin_prints_the_token_and_what_it_says_otherwise_is_not_told() {
    let server = Server::start(None, for_token("right-s3cret")).await;
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join("plugin");
    let exec = "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, \
                interactiveMode: Never}}";
    write(folder.path(), &server.url("http"), "", exec);
    let mut source = Source::start(folder, |_| {});
    source.problem("(exec) cannot be started").await;
    for (script, expected) in [
        (
            "echo wrong-s3cret; echo wrong-s3cret >&2; exit 3",
            "failed: exit status: 3",
        ),
        ("echo '{\"kind\": s3cret'", "printed no credentials"),
        (
            "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"wrong-s3cret\"}}'",
            "does not accept the credentials",
        ),
        (
            "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{}}'",
            "expected a token, or a client certificate",
        ),
    ] {
        install(&plugin, script);
        source.problem(expected).await;
    }
    install(
        &plugin,
        "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"right-s3cret\"}}'; \
         echo ran >> \"$0.runs\"",
    );
    source.listed().await;
    // Once for the list and the watch, and for both layers that show credentials.
    let ran = std::fs::read_to_string(plugin.with_extension("runs")).unwrap();
    assert_eq!(ran.lines().count(), 1);
    assert_never_told(&source, "s3cret");
}

#[tokio::test]
async fn a_kubeconfig_that_becomes_another_clusters_leaves_nothing_of_the_former_one() {
    for change in ["server", "user"] {
        let server = Server::start(None, pods(&["1", "2"], "old")).await;
        let other = Server::start(None, pods(&["2", "3"], "new")).await;
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &server.url("http"), "", "{token: one}");
        let mut source = Source::start(folder, |_| {});
        source.listed().await;
        let now = match change {
            "server" => &other,
            _ => {
                server.script(pods(&["2", "3"], "new"));
                &server
            }
        };
        // The watch is under way, and goes on as far as the former server knows.
        write(source.folder.path(), &now.url("http"), "", "{token: two}");
        let heard = source
            .until(|heard| heard.names() == ["ns/pod-2", "ns/pod-3"])
            .await;
        assert_eq!(heard.pods["ns/pod-2"], pod("2", "new"));
        let asked = now.asked();
        let list = asked.iter().rfind(|question| !question.is_watch());
        assert!(list.unwrap().path.ends_with("resourceVersion=0"));
        assert_eq!(heard.problem(), "", "{change}");
    }
}

#[tokio::test]
async fn certificates_with_which_tls_is_not_spoken_are_named() {
    let own = certificate("127.0.0.1");
    let server = Server::start(Some(tls(&own, None)), pods(&["1"], "old")).await;
    let made = std::process::Command::new("openssl")
        .args(["version"])
        .output();
    if made.is_err() {
        assert!(std::env::var_os("CI").is_none(), "openssl is missing");
        println!("SKIPPED: openssl is not installed");
        return;
    }
    let folder = folder_with(&[("ca.pem", &own.cert.pem())]);
    let run = |arguments: &str| {
        let mut openssl = std::process::Command::new("openssl");
        openssl
            .current_dir(folder.path())
            .args(arguments.split(' '));
        let output = openssl.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    run("req -new -newkey rsa:2048 -nodes -keyout v1.key -out v1.csr -subj /CN=n");
    run("x509 -req -in v1.csr -signkey v1.key -days 2 -out v1.pem");
    run("ecparam -name secp521r1 -genkey -noout -out p521.key");
    run("req -x509 -key p521.key -days 2 -out p521.pem -subj /CN=n");
    let authority = ", certificate-authority: ca.pem";
    let user = |name: &str| format!("{{client-certificate: {name}.pem, client-key: {name}.key}}");
    write(folder.path(), &server.url("https"), authority, &user("v1"));
    let mut source = Source::start(folder, |_| {});
    source.problem("X.509 version 1").await;
    let url = server.url("https");
    write(source.folder.path(), &url, authority, &user("p521"));
    source.problem("of the curve P-521").await;
    // Without a scheme, as client-go takes it.
    let bare = url.trim_start_matches("https://");
    write(source.folder.path(), bare, authority, "{token: t}");
    assert_eq!(source.listed().await.names(), ["ns/pod-1"]);
}

#[tokio::test]
async fn no_secret_is_sent_in_the_clear_to_another_machine() {
    for user in [
        "{token: s3cret}",
        "{tokenFile: none}",
        "{username: me, password: s3cret}",
        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: none, interactiveMode: Never}}",
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "http://192.0.2.1:6443", "", user);
        let mut source = Source::start(folder, |_| {});
        source
            .problem("http://192.0.2.1:6443: over http everybody on the way could read")
            .await;
        assert_never_told(&source, "s3cret");
    }
    // To this machine there is no way on which to read it.
    let server = Server::start(None, for_token("right-s3cret")).await;
    let folder = tempfile::tempdir().unwrap();
    let user = "{token: right-s3cret}";
    write(folder.path(), &server.url("http"), "", user);
    Source::start(folder, |_| {}).listed().await;
}

/// Puts a script in place at once, so that it is never run half-written; by another process, since
/// what this one has open for writing is open, too, in whatever another test starts at that moment,
/// and cannot be run as long as it is.
fn install(file: &Path, script: &str) {
    let mut writing = std::process::Command::new("sh");
    let line =
        r#"printf '#!/bin/sh\n%s\n' "$1" >"$0.new" && chmod 700 "$0.new" && mv "$0.new" "$0""#;
    let written = writing.args(["-c", line]).arg(file).arg(script).status();
    assert!(written.unwrap().success());
}

#[tokio::test]
async fn a_pod_of_no_cluster_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = Source::start(folder, |options| options.cluster = Cluster::OfThisPod);
    let heard = source.problem("this process is not in a pod").await;
    assert!(
        heard
            .problem()
            .contains("give a kubeconfig: --apiserver FILE")
    );
}

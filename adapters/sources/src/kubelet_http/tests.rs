//! A kubelet's `/pods` over real sockets: good answers, none, and bad ones.

use std::path::Path;
use std::time::Duration;

use tokio::task::AbortHandle;

use super::{Endpoint, Options, OptionsError, Trust, run};
use crate::Reload;
use crate::recorder::{Heard, Recorder};
use kubelet::{Answer, Kubelet, certificate};

mod kubelet;
mod restarts;

/// A source that asks every few milliseconds.
struct Source {
    recorder: Recorder,
    running: AbortHandle,
}

impl Drop for Source {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Source {
    fn start(endpoint: Endpoint, token_file: Option<&Path>, trust: Option<Trust>) -> Self {
        let options = Options::new(endpoint, token_file.map(Path::to_path_buf), trust);
        let mut options = options.unwrap();
        options.period = Duration::from_millis(5);
        options.confirm = Duration::from_millis(40);
        options.startup = Duration::from_millis(80);
        Self::of(options)
    }

    fn of(options: Options) -> Self {
        let recorder = Recorder::new();
        let running = tokio::spawn(run(options, recorder.sink.clone())).abort_handle();
        Self { recorder, running }
    }

    async fn until(&mut self, wanted: impl FnMut(&Heard) -> bool) -> Heard {
        self.recorder.until(wanted).await
    }

    async fn problem(&mut self, wanted: &str) -> Heard {
        self.until(|heard| heard.problem().contains(wanted)).await
    }

    /// Waits for the end of two more lists: the second was asked for after this.
    async fn asked_anew(&mut self) -> Heard {
        let lists = self.recorder.heard().lists;
        self.until(|heard| heard.lists >= lists + 2).await
    }
}

#[tokio::test]
async fn what_a_kubelet_said_is_served_pod_by_pod() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/testdata/nodes/v1.31/kubelet-pods.json");
    let Ok(captured) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is missing", path.display());
        return;
    };
    let kubelet = Kubelet::start(None, move |path, authorization| {
        assert_eq!((path, authorization), ("/pods", ""));
        Answer::Body(200, captured.clone())
    });
    let kubelet = kubelet.await;
    let mut source = Source::start(kubelet.http(), None, None);
    let heard = source.until(|heard| heard.lists == 1).await;
    assert_eq!(heard.pods.len(), 23);
    assert_eq!(heard.problem(), "");
    let again = source.asked_anew().await;
    assert_eq!(again.pods, heard.pods);
}

#[tokio::test]
async fn what_an_answer_does_not_name_is_gone() {
    let kubelet = Kubelet::start(None, |_, _| Answer::pods(&["1", "2"], "old")).await;
    let mut source = Source::start(kubelet.http(), None, None);
    let heard = source.until(|heard| heard.lists == 1).await;
    assert_eq!(heard.names(), ["ns/pod-1", "ns/pod-2"]);
    kubelet.answer(Answer::pods(&["3", "2"], "new"));
    source
        .until(|heard| heard.names() == ["ns/pod-1", "ns/pod-2", "ns/pod-3"])
        .await;
    source
        .until(|heard| heard.names() == ["ns/pod-2", "ns/pod-3"])
        .await;
    kubelet.answer(Answer::Body(
        200,
        r#"{"kind":"PodList","items":[]}"#.to_owned(),
    ));
    source.until(|heard| heard.pods.is_empty()).await;
    source.asked_anew().await;
    assert!(!source.recorder.heard().words.contains(&"lost"));
    assert_eq!(source.recorder.heard().problem(), "");
}

#[tokio::test]
async fn an_answer_without_a_list_is_believed_when_it_is_given_twice() {
    const NULL: &str = r#"{"kind":"PodList","items":null}"#;
    let null = || Answer::Body(200, NULL.to_owned());
    // Of a kubelet that never had pods it says just that.
    let kubelet = Kubelet::start(None, move |_, _| null()).await;
    let mut source = Source::start(kubelet.http(), None, None);
    let heard = source.until(|heard| heard.lists >= 2).await;
    assert!(heard.pods.is_empty() && heard.problem().is_empty());

    // A restart: one such answer, and then the pods again.
    kubelet.answer(Answer::pods(&["1"], "a"));
    source.until(|heard| heard.names() == ["ns/pod-1"]).await;
    for missing in [NULL, r#"{"kind":"PodList"}"#] {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        kubelet.script(
            move |_, _| match asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
                0 => Answer::Body(200, missing.to_owned()),
                _ => Answer::pods(&["1"], "a"),
            },
        );
        let heard = source.problem("stay served until it was so for 80ms").await;
        assert_eq!(heard.names(), ["ns/pod-1"]);
        let heard = source.until(|heard| heard.problem().is_empty()).await;
        assert_eq!(heard.names(), ["ns/pod-1"]);
    }
    assert!(!source.recorder.heard().words.contains(&"lost"));

    kubelet.answer(null());
    let heard = source.until(|heard| heard.pods.is_empty()).await;
    let mut told = heard.problems.iter().flatten();
    assert!(told.any(|text| text.contains("stay served until it was so for 80ms")));
    source.until(|heard| heard.problem().is_empty()).await;
}

#[tokio::test]
async fn nothing_goes_while_a_kubelet_is_not_well() {
    let ill = |path: &str, status: u16| match path {
        "/pods" => Answer::pods(&["2"], "a"),
        "/healthz" => Answer::Body(status, "[-]syncloop failed".to_owned()),
        other => panic!("asked for {other}"),
    };
    let kubelet = Kubelet::start(None, |_, _| Answer::pods(&["1", "2"], "a")).await;
    let mut source = Source::start(kubelet.http(), None, None);
    source.until(|heard| heard.pods.len() == 2).await;
    kubelet.script(move |path, _| ill(path, 500));
    let told = "/healthz says 500 Internal Server Error: 1 pods that it names no more stay";
    source.problem(told).await;
    let heard = source.asked_anew().await;
    assert_eq!(heard.names(), ["ns/pod-1", "ns/pod-2"]);
    // Well again; or one that does not say.
    for status in [200, 401, 403, 404] {
        kubelet.script(move |path, _| ill(path, status));
        let heard = source.until(|heard| heard.names() == ["ns/pod-2"]).await;
        assert_eq!(count(&heard, "lost"), 0);
        source.until(|heard| heard.problem().is_empty()).await;
        kubelet.answer(Answer::pods(&["1", "2"], "a"));
        source.until(|heard| heard.pods.len() == 2).await;
    }
}

fn count(heard: &Heard, word: &str) -> usize {
    heard.words.iter().filter(|said| **said == word).count()
}

#[tokio::test]
async fn pods_stay_through_answers_that_are_none() {
    let kubelet = Kubelet::start(None, |_, _| Answer::pods(&["1"], "a")).await;
    let mut options = Options::new(kubelet.http(), None, None).unwrap();
    options.period = Duration::from_millis(5);
    // Long enough for an answer on a busy machine.
    options.timeout = Duration::from_secs(3);
    let mut source = Source::of(options);
    source.until(|heard| heard.lists == 1).await;
    let body = |status, text: &str| Answer::Body(status, text.to_owned());
    let raw = |text: &str| Answer::Raw(text.to_owned(), 0);
    let list = r#"{"kind":"PodList","items":[{"metadata":{"name":"a","uid":"9"}}"#;
    let cut = format!("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{list}");
    let uncounted = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{list}");
    let large = "HTTP/1.1 200 OK\r\ncontent-length: 67108865\r\n\r\n";
    for (answer, expected) in [
        (body(401, ""), "401 Unauthorized: it wants a token"),
        (body(403, ""), "403 Forbidden: it wants a token of somebody"),
        (body(404, ""), "404 Not Found: it has no pods at this path"),
        (body(302, ""), "redirections are not followed"),
        (body(500, "oh"), "refused with 500"),
        (body(200, "oh"), "the answer is not JSON"),
        (body(200, ""), "the answer is not JSON"),
        (
            body(200, "{}"),
            "expected an answer of kind PodList, found \"\"",
        ),
        (body(200, r#"{"kind":"Status"}"#), "found \"Status\""),
        (
            body(200, r#"{"kind":"PodList","items":{}}"#),
            "expected a list",
        ),
        (body(200, "[]"), "expected an answer of kind PodList"),
        (raw(&cut), "the answer broke off"),
        (raw(&uncounted), "the answer is not JSON"),
        (raw("SSH-2.0-OpenSSH\r\n"), "the answer broke off"),
        (raw(large), "at most 67108864 bytes"),
        (Answer::Never, "no whole answer within 3s"),
    ] {
        kubelet.answer(answer);
        let heard = source.problem(expected).await;
        assert_eq!(heard.names(), ["ns/pod-1"], "{expected}");
        assert!(heard.problem().contains("the pods known last stay"));
    }
    let heard = source.recorder.heard();
    let lost = heard.words.iter().filter(|word| **word == "lost");
    assert_eq!(lost.count(), 1, "one outage, however many its causes");
    kubelet.answer(Answer::pods(&["1", "2"], "a"));
    let heard = source.until(|heard| heard.problem().is_empty()).await;
    assert_eq!(heard.names(), ["ns/pod-1", "ns/pod-2"]);
    let endpoint = kubelet.http();
    drop(kubelet);
    source.problem("cannot connect").await;
    let heard = source.problem(&endpoint.to_string()).await;
    assert_eq!(heard.pods.len(), 2);
}

#[tokio::test]
async fn an_answer_that_does_not_tell_its_length_is_read_up_to_the_limit() {
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_owned();
    let kubelet = Kubelet::start(None, move |_, _| Answer::Raw(head.clone(), 70 << 20)).await;
    let mut source = Source::of(Options::new(kubelet.http(), None, None).unwrap());
    let heard = source.problem("at most 67108864 bytes").await;
    assert!(heard.problem().contains("nothing of it is served before"));
    assert_eq!(heard.words, ["lost"]);
}

#[tokio::test]
async fn a_pod_that_cannot_be_read_hides_no_other() {
    let kubelet = Kubelet::start(None, |_, _| Answer::pods(&["1", "2"], "a")).await;
    let mut source = Source::start(kubelet.http(), None, None);
    let before = source.until(|heard| heard.lists == 1).await;
    let broken = r#"{"kind":"PodList","items":[
        {"metadata":{"name":"pod-1","namespace":"ns","uid":"1"},"spec":7},
        {"metadata":{"name":"x","namespace":"ns","uid":"7"},"spec":7},
        {"metadata":{"name":"pod-3","namespace":"ns","uid":"3"}}]}"#;
    kubelet.answer(Answer::Body(200, broken.to_owned()));
    source.problem("ns/x").await;
    let heard = source
        .until(|heard| heard.names() == ["ns/pod-1", "ns/pod-3"])
        .await;
    assert_eq!(heard.pods["ns/pod-1"], before.pods["ns/pod-1"]);
    assert!(!heard.words.contains(&"lost"));
}

#[tokio::test]
async fn a_token_is_read_anew_each_time_and_never_told() {
    let (pem, tls) = certificate(&["127.0.0.1"]);
    let directory = tempfile::tempdir().unwrap();
    let [authorities, token] = ["ca.pem", "token"].map(|name| directory.path().join(name));
    std::fs::write(&authorities, pem).unwrap();
    let kubelet = Kubelet::start(Some(tls), |_, authorization| match authorization {
        "Bearer right-word" => Answer::pods(&["1"], "a"),
        _ => Answer::Body(401, String::new()),
    });
    let kubelet = kubelet.await;
    let trust = Trust::AuthoritiesIn(authorities.clone());
    let mut source = Source::start(kubelet.https("127.0.0.1"), Some(&token), Some(trust));
    source.problem("token: ").await;
    for (content, expected) in [
        (
            "wrong-word\n",
            "401 Unauthorized: it does not accept the token",
        ),
        (" \n", "token: is empty"),
        ("wrong-word\nsecond", "token: expected one line of text"),
    ] {
        std::fs::write(&token, content).unwrap();
        source.problem(expected).await;
    }
    std::fs::write(&token, "right-word\n").unwrap();
    let heard = source.until(|heard| heard.lists == 1).await;
    assert_eq!(heard.names(), ["ns/pod-1"]);
    source.until(|heard| heard.problem().is_empty()).await;

    // The authorities are read anew too.
    for (content, expected) in [
        ("", "ca.pem: expected certificates in PEM, found none"),
        (&certificate(&["127.0.0.1"]).0, "cannot agree on encryption"),
    ] {
        std::fs::write(&authorities, content).unwrap();
        let heard = source.problem(expected).await;
        assert_eq!(heard.names(), ["ns/pod-1"]);
    }
    let told = format!("{:?}", source.recorder.heard());
    assert!(!told.contains("-word"), "{told}");
}

#[tokio::test]
async fn a_certificate_for_another_host_counts_only_where_any_does() {
    let (pem, tls) = certificate(&["node-a"]);
    let directory = tempfile::tempdir().unwrap();
    let authorities = directory.path().join("ca.pem");
    std::fs::write(&authorities, pem).unwrap();
    let kubelet = Kubelet::start(Some(tls), |_, _| Answer::pods(&["1"], "a")).await;
    let trust = Trust::AuthoritiesIn(authorities);
    let mut source = Source::start(kubelet.https("127.0.0.1"), None, Some(trust));
    let heard = source.problem("cannot agree on encryption").await;
    assert_eq!(heard.lists, 0);

    let any = Some(Trust::AnyCertificate);
    let mut source = Source::start(kubelet.https("127.0.0.1"), None, any);
    let heard = source.until(|heard| heard.lists == 1).await;
    assert_eq!(heard.names(), ["ns/pod-1"]);
}

#[test]
fn a_token_never_goes_over_plain_http() {
    let new = |url: &str, token: bool, trust: Option<Trust>| {
        let endpoint = url.parse().unwrap();
        Options::new(endpoint, token.then(|| "/t".into()), trust).map(|_| ())
    };
    let any = || Some(Trust::AnyCertificate);
    let (http, https) = ("http://127.0.0.1", "https://127.0.0.1");
    assert_eq!(new(http, true, None), Err(OptionsError::TokenWithoutHttps));
    assert_eq!(
        new(http, false, any()),
        Err(OptionsError::TrustWithoutHttps)
    );
    assert_eq!(new(https, true, None), Err(OptionsError::HttpsWithoutTrust));
    assert_eq!(new(https, true, any()), Ok(()));
    assert_eq!(new(http, false, None), Ok(()));
}

#[tokio::test]
async fn a_wish_to_read_anew_does_not_wait_for_the_period() {
    let kubelet = Kubelet::start(None, |_, _| Answer::pods(&["1"], "a")).await;
    let mut options = Options::new(kubelet.http(), None, None).unwrap();
    options.period = Duration::from_secs(3_600);
    let (mut recorder, reload) = (Recorder::new(), Reload::new());
    let sink = recorder.sink.clone().with_reload(&reload);
    let running = tokio::spawn(run(options, sink));
    recorder.until(|heard| heard.lists == 1).await;
    kubelet.answer(Answer::pods(&["2"], "a"));
    reload.wish();
    recorder.until(|heard| heard.names() == ["ns/pod-2"]).await;
    running.abort();
}

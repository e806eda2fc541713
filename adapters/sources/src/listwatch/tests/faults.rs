//! What pods, servers and connections do wrong.

use super::*;

#[test]
fn one_pod_that_cannot_be_read_hides_no_other_one() {
    let mut nameless = Scene::new("nameless", 1);
    nameless.name.clear();
    let mut anonymous = Scene::new("", 1);
    anonymous.name = "anonymous".to_owned();
    let mut foreign = Scene::new("foreign", 1);
    foreign.node = "n2".to_owned();
    let mut homeless = Scene::new("homeless", 1);
    homeless.node.clear();
    let mut broken = Scene::new("broken", 1);
    broken.broken = true;
    let mut large = Scene::new("large", 1);
    large.padding = 10 << 20;
    let good = scenes(&["a", "b"]);
    let faulty = [nameless, anonymous, foreign, homeless, broken, large];
    let mut pods = faulty.to_vec();
    pods.insert(0, good[0].clone());
    pods.push(good[1].clone());
    for json in [false, true] {
        let mut driver = Driver::new();
        driver.ask();
        match json {
            true => driver.answer(200, JSON, &list_in_json("10", "", &pods)),
            false => driver.answer(200, PROTOBUF, &list("10", "", &pods)),
        }
        assert_eq!(driver.words(), whole(&good));
        let problem = driver.problem();
        assert!(problem.ends_with("and 1 more"), "{problem}");
        let counts = driver.machine.counts();
        assert_eq!((counts.unreadable, counts.foreign), (5, 1));
        // As events they are the same.
        driver.ask();
        driver.head(200, if json { JSON } else { PROTOBUF_WATCH });
        for pod in &faulty {
            match json {
                true => driver.body(&event_in_json("ADDED", pod)),
                false => driver.body(&event("ADDED", pod)),
            }
        }
        let late = Scene::new("late", 20);
        match json {
            true => driver.body(&event_in_json("ADDED", &late)),
            false => driver.body(&event("ADDED", &late)),
        }
        assert_eq!(driver.words(), [put(&late)]);
        assert!(driver.problem().ends_with("and 1 more"));
    }
}

#[test]
fn the_last_good_form_of_a_pod_that_cannot_be_read_stays() {
    let good = scenes(&["a"]);
    let mut broken = Scene::new("a", 11);
    broken.broken = true;
    let mut large = Scene::new("a", 12);
    large.padding = 10 << 20;
    for bad in [broken, large] {
        let mut driver = Driver::watching(&good);
        driver.body(&event("MODIFIED", &bad));
        assert_eq!(driver.words(), []);
        let problem = driver.problem();
        assert!(problem.contains("pod ns/name-a (a): "), "{problem}");
        assert!(
            problem.contains("as last read it stays served"),
            "{problem}"
        );
        driver.body(&raw_event("ERROR", &status(410, "Expired")));
        assert!(
            driver
                .ask()
                .ends_with(&format!("resourceVersion={}", bad.version))
        );
        driver.answer(200, PROTOBUF, &list("20", "", &[bad]));
        assert_eq!(driver.words(), whole(&good));
        assert!(driver.problem().contains("stays served"));
        driver.watch();
        driver.body(&event("MODIFIED", &Scene::new("a", 21)));
        assert_eq!(driver.words(), [put(&Scene::new("a", 21))]);
        assert_eq!(driver.machine.problem(), None);
    }
}

#[test]
fn a_deletion_is_known_by_its_name_alone_and_needs_no_more() {
    let pod = Scene::new("a", 5);
    let mut large = Scene::new("a", 11);
    large.padding = 10 << 20;
    let mut unnamed = Scene::new("", 12);
    unnamed.name = "name-a".to_owned();
    for deleted in [large, unnamed] {
        let mut driver = Driver::watching(std::slice::from_ref(&pod));
        driver.body(&event("DELETED", &deleted));
        assert_eq!(driver.words(), [remove(&pod)]);
        assert_eq!(driver.machine.problem(), None);
    }
}

#[test]
fn a_deletion_of_nobody_knows_what_leads_to_a_list() {
    let mut driver = Driver::watching(&scenes(&["a"]));
    driver.body(&raw_event("DELETED", b"k8s\0"));
    assert_eq!(driver.words(), [Word::Lost]);
    assert!(driver.problem().contains("does not say which pod"));
    assert!(driver.ask().ends_with("n1&resourceVersion=10"));
}

#[test]
fn a_pod_that_leaves_for_another_node_is_gone() {
    let pod = Scene::new("a", 5);
    let mut moved = Scene::new("a", 11);
    moved.node = "n2".to_owned();
    let mut driver = Driver::watching(std::slice::from_ref(&pod));
    driver.body(&event("MODIFIED", &moved));
    assert_eq!(driver.words(), [remove(&pod)]);
    assert!(
        driver.problem().contains("is on node \"n2\""),
        "{}",
        driver.problem()
    );
    driver.body(&event("DELETED", &moved));
    assert_eq!((driver.words(), driver.machine.problem()), (vec![], None));
}

#[test]
fn refusals_say_what_to_do() {
    let cases = [
        (
            401,
            "Unauthorized",
            "renew the token or the client certificate",
        ),
        (
            403,
            "Forbidden",
            "a ClusterRole with the verbs list and watch on the resource pods",
        ),
        (404, "NotFound", "which has /api/v1/pods"),
        (429, "TooManyRequests", "API priority and fairness"),
        (503, "ServiceUnavailable", "a load balancer in front of it"),
        (302, "Found", "the URL of the API server itself"),
    ];
    for (code, reason, advice) in cases {
        for json in [true, false] {
            let mut driver = Driver::new();
            driver.ask();
            match json {
                true => driver.answer(code, JSON, status_in_json(code, reason).as_bytes()),
                false => driver.answer(code, PROTOBUF, &status(code, reason)),
            }
            let problem = driver.problem();
            let begins = "cannot list pods (field selector spec.nodeName=n1): the ";
            assert!(problem.starts_with(begins), "{problem}");
            let said = format!("({code}: because of {reason})");
            assert!(
                problem.contains(&said) && problem.contains(advice),
                "{problem}"
            );
            assert!(
                problem.ends_with("before the first list; it is asked again)"),
                "{problem}"
            );
            assert_eq!(driver.words(), [Word::Lost]);
            assert!(driver.ask().ends_with("resourceVersion=0"));
        }
    }
}

#[test]
fn a_node_that_asks_for_the_pods_of_another_is_told_to_mend_its_name() {
    for (user, advice) in [
        (
            "system:node:n2",
            "the node name that is in this user's name",
        ),
        ("system:node:n1", "bind a ClusterRole"),
        ("system:serviceaccount:ns:n2", "bind a ClusterRole"),
        ("system:anonymous", "a request of nobody"),
    ] {
        let mut driver = Driver::new();
        driver.ask();
        let message = format!(r#"pods is forbidden: User \"{user}\" cannot list"#);
        let text = format!(r#"{{"kind":"Status","message":"{message}","code":403}}"#);
        driver.answer(403, JSON, text.as_bytes());
        let problem = driver.problem();
        assert!(problem.contains(advice), "{problem}");
        assert!(!problem.contains("ClusterRole") || advice.contains("ClusterRole"));
    }
}

#[test]
fn a_wait_that_the_server_asks_for_is_kept() {
    let mut driver = Driver::new();
    driver.ask();
    let content_type = Some(JSON);
    driver
        .machine
        .handle_head(429, content_type, Some(" 40 "), driver.now);
    driver.end();
    let waited = driver.next_request().1.as_secs();
    assert!((40..45).contains(&waited), "{waited}");
}

#[test]
fn a_refusal_that_breaks_off_is_told_as_far_as_it_came() {
    let mut driver = Driver::new();
    driver.ask();
    driver.head(403, JSON);
    driver.fail();
    assert!(driver.problem().contains("the API server forbids it (403)"));
}

#[test]
fn what_is_no_api_server_is_named() {
    let mut driver = Driver::new();
    driver.ask();
    driver.answer(200, "text/html", b"<html>");
    assert!(
        driver
            .problem()
            .contains("\"text/html\": check that the URL"),
        "{}",
        driver.problem()
    );
    for body in [&b"{}"[..], b"[]", b"{\"kind\":\"Status\"}", b"nonsense"] {
        driver.ask();
        driver.answer(200, JSON, body);
        assert!(driver.machine.problem().is_some());
    }
    assert_eq!(driver.words(), [Word::Lost]);
}

#[test]
fn a_list_that_is_cut_is_no_list() {
    let body = list("10", "", &scenes(&["a", "b"]));
    for cut in 0..body.len() - 4 {
        let mut driver = Driver::new();
        driver.ask();
        driver.answer(200, PROTOBUF, &body[..cut]);
        assert_eq!(driver.words(), [Word::Lost], "{cut}");
        assert!(driver.ask().ends_with("resourceVersion=0"));
    }
}

#[test]
fn a_watch_that_is_cut_within_an_event_is_lost() {
    let stream = event("ADDED", &Scene::new("a", 11));
    for cut in 1..stream.len() {
        let mut driver = Driver::watching(&[]);
        driver.wait(Duration::from_secs(5));
        driver.body(&stream[..cut]);
        driver.end();
        assert_eq!(driver.words(), [Word::Lost], "{cut}");
        assert!(driver.ask().contains("watch=true"));
    }
}

#[test]
fn a_watch_that_ends_as_soon_as_it_begins_is_not_asked_again_at_once() {
    let mut driver = Driver::watching(&[]);
    driver.end();
    assert_eq!(driver.words(), [Word::Lost]);
    assert!(driver.problem().contains("as soon as it had begun"));
    assert!(driver.next_request().1 > Duration::ZERO);
}

#[test]
fn a_silent_watch_gives_way_to_a_list_and_is_no_loss() {
    let mut driver = Driver::watching(&scenes(&["a"]));
    driver.wait(Duration::from_secs(89));
    assert_eq!(driver.machine.poll_request(driver.now), None);
    driver.body(&event("BOOKMARK", &bookmark(20)));
    let (request, waited) = driver.next_request();
    assert_eq!(waited, Duration::from_secs(90));
    assert!(request.path_and_query().ends_with("n1&resourceVersion=20"));
    assert_eq!((driver.words(), driver.machine.problem()), (vec![], None));
    assert_eq!(driver.machine.counts().silences, 1);
    driver.answer(200, PROTOBUF, &list("21", "", &scenes(&["b"])));
    assert_eq!(driver.words(), whole(&scenes(&["b"])));
}

#[test]
fn a_server_that_was_set_back_is_found_out_by_its_silence() {
    let mut driver = Driver::watching(&scenes(&["a"]));
    assert!(driver.ask().ends_with("n1&resourceVersion=10"));
    let ahead = r#"{"kind":"Status","code":504,"reason":"Timeout",
        "details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}}"#;
    driver.answer(504, JSON, ahead.as_bytes());
    let (request, waited) = driver.next_request();
    assert!(request.path_and_query().ends_with("n1&limit=500"));
    assert_eq!((waited, driver.words()), (Duration::ZERO, vec![]));
    driver.answer(200, PROTOBUF, &list("7", "", &scenes(&["b"])));
    assert_eq!(driver.words(), whole(&scenes(&["b"])));
}

#[test]
fn watches_that_are_cut_before_a_bookmark_comes_are_silent_together() {
    let mut driver = Driver::watching(&scenes(&["a"]));
    for _ in 0..2 {
        driver.wait(Duration::from_secs(35));
        driver.fail();
        driver.watch();
    }
    let (request, waited) = driver.next_request();
    assert_eq!(waited, Duration::from_secs(20));
    assert!(request.path_and_query().ends_with("n1&resourceVersion=10"));
    driver.answer(200, PROTOBUF, &list("10", "", &scenes(&["a"])));
    driver.watch();
    for _ in 0..3 {
        driver.wait(Duration::from_secs(30));
        driver.fail();
        let path = driver.ask();
        driver.head(200, PROTOBUF_WATCH);
        match driver.machine.counts().lists {
            2 if path.contains("watch=true") => {}
            _ => assert!(path.ends_with("n1&resourceVersion=10"), "{path}"),
        }
    }
    assert!(!driver.words().contains(&Word::Lost));
}

#[test]
fn a_watch_that_lived_and_is_cut_goes_on_at_once_and_nothing_is_lost() {
    for cut in ["reset", "within an event"] {
        let mut driver = Driver::watching(&scenes(&["a"]));
        driver.wait(Duration::from_secs(10));
        match cut {
            "reset" => driver.fail(),
            _ => {
                let whole = event("ADDED", &Scene::new("b", 11));
                driver.body(&whole[..whole.len() / 2]);
                driver.end();
            }
        }
        let (request, waited) = driver.next_request();
        assert!(request.path_and_query().contains("watch=true"), "{cut}");
        assert!(request.path_and_query().contains("resourceVersion=10&"));
        assert_eq!(waited, Duration::ZERO);
        assert_eq!((driver.words(), driver.machine.problem()), (vec![], None));
        // The server is away, indeed.
        driver.fail();
        assert_eq!(driver.words(), [Word::Lost]);
        assert!(driver.next_request().1 > Duration::ZERO);
    }
    let mut driver = Driver::watching(&scenes(&["a"]));
    driver.wait(Duration::from_millis(9_999));
    driver.fail();
    assert_eq!(driver.words(), [Word::Lost]);
}

#[test]
fn nothing_of_a_server_that_is_replaced_outlives_the_next_list() {
    let mut driver = Driver::watching(&scenes(&["a", "b"]));
    driver.machine.handle_replaced(driver.now);
    assert!(!driver.machine.wants_answer());
    driver.body(&event("ADDED", &Scene::new("c", 11)));
    assert_eq!(driver.words(), [], "nobody listens to the former one");
    let (request, waited) = driver.next_request();
    assert!(
        request
            .path_and_query()
            .ends_with("&limit=500&resourceVersion=0")
    );
    assert_eq!(waited, Duration::ZERO);
    // What cannot be read does not stay as the former server told it.
    let mut broken = Scene::new("b", 3);
    broken.broken = true;
    driver.answer(200, PROTOBUF, &list("3", "", &[broken]));
    assert_eq!(driver.words(), whole(&[]));
    assert!(driver.problem().contains("name-b"), "{}", driver.problem());
    assert!(driver.ask().contains("watch=true"));
}

#[test]
fn a_silent_list_is_given_up() {
    let mut driver = Driver::new();
    driver.ask();
    let due = driver.machine.poll_timeout().unwrap();
    assert_eq!(
        Duration::from_nanos(due.nanos_since(driver.now)).as_secs(),
        75
    );
    driver.now = due;
    assert!(driver.ask().ends_with("resourceVersion=0"));
    assert_eq!(driver.words(), [Word::Lost]);
}

#[test]
fn a_stream_that_is_no_protobuf_is_noticed_at_once() {
    let mut driver = Driver::watching(&[]);
    driver.body(b"{\"type\":\"ADDED\"}");
    assert!(
        driver.problem().contains("found other bytes"),
        "{}",
        driver.problem()
    );
}

#[test]
fn an_event_of_a_new_type_is_passed_over_and_named() {
    let mut driver = Driver::watching(&[]);
    driver.body(&event("RENAMED", &Scene::new("a", 11)));
    driver.body(&event("ADDED", &Scene::new("b", 12)));
    assert_eq!(driver.words(), [put(&Scene::new("b", 12))]);
    assert!(
        driver.problem().starts_with("\"RENAMED\": this type"),
        "{}",
        driver.problem()
    );
}

#[test]
fn no_text_of_a_server_can_steer_a_terminal() {
    let mut driver = Driver::new();
    driver.ask();
    driver.answer(500, JSON, b"\x1b[2J\nno");
    assert!(
        driver.problem().contains(r"\u{1b}[2J\nno"),
        "{}",
        driver.problem()
    );
}

#[test]
fn a_list_in_one_piece_that_expires_page_by_page_is_asked_for_after_a_wait() {
    let mut driver = Driver::new();
    driver.ask();
    for _ in 0..2 {
        driver.answer(200, PROTOBUF, &list("10", "more", &scenes(&["a"])));
        driver.ask();
        driver.answer(410, PROTOBUF, &status(410, "Expired"));
        driver.ask();
    }
    assert_eq!(driver.words(), [Word::Lost]);
    assert!(driver.problem().contains("Expired"), "{}", driver.problem());
    assert_ne!(driver.now, Moment::ORIGIN, "nobody waited");
}

#[test]
fn a_page_that_names_itself_as_the_next_one_is_read_once() {
    let mut driver = Driver::new();
    driver.ask();
    let page = list("10", "more", &scenes(&["a"]));
    driver.answer(200, PROTOBUF, &page);
    driver.ask();
    driver.answer(200, PROTOBUF, &page);
    assert_eq!(driver.words(), [Word::Lost]);
    assert!(driver.problem().contains("names itself"));
}

#[test]
fn a_version_that_fits_no_url_is_not_asked_for() {
    let long = "9".repeat(10_000);
    let mut driver = Driver::new();
    driver.ask();
    driver.answer(200, PROTOBUF, &list(&long, "", &[]));
    assert!(driver.problem().contains("resourceVersion is too long"));
    let mut driver = Driver::watching(&scenes(&["a"]));
    let event =
        format!(r#"{{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"{long}"}}}}}}"#);
    driver.end();
    driver.ask();
    driver.head(200, JSON);
    driver.words();
    driver.body(event.as_bytes());
    driver.body(b"\n");
    assert_eq!(driver.words(), [Word::Lost]);
    assert!(driver.problem().contains("resourceVersion is too long"));
    assert!(driver.ask().ends_with("n1&limit=500"));
}

#[test]
fn a_list_whose_version_cannot_be_read_by_the_server_is_read_from_its_store() {
    let mut driver = Driver::watching(&scenes(&["a"]));
    driver.body(&raw_event("ERROR", &status(410, "Expired")));
    assert!(driver.ask().ends_with("n1&resourceVersion=10"));
    driver.answer(400, JSON, status_in_json(400, "BadRequest").as_bytes());
    assert_eq!(driver.words(), [Word::Lost]);
    assert!(driver.ask().ends_with("n1&limit=500"));
    driver.answer(200, PROTOBUF, &list("3", "", &scenes(&["b"])));
    assert_eq!(driver.words(), whole(&scenes(&["b"])));
}

#[test]
fn a_quiet_watch_that_ran_its_time_makes_the_next_failure_the_first_one() {
    let mut driver = Driver::watching(&scenes(&["a"]));
    for _ in 0..8 {
        driver.fail();
        driver.ask();
    }
    driver.answer(200, PROTOBUF, &list("12", "", &scenes(&["a"])));
    driver.watch();
    driver.wait(Duration::from_secs(400));
    driver.end();
    driver.ask();
    driver.fail();
    let (_, waited) = driver.next_request();
    assert!(waited <= Duration::from_secs(5), "{waited:?}");
}

#[test]
fn names_of_megabytes_are_not_kept() {
    let mut driver = Driver::watching(&[]);
    for last in ['a', 'b', 'c'] {
        let mut pod = Scene::new(&format!("{}{last}", "u".repeat(1 << 20)), 1);
        pod.node.clear();
        driver.body(&event("ADDED", &pod));
    }
    let kept: usize = driver.machine.pods.kept_of_faults();
    assert!(kept < 10_000, "{kept} bytes");
}

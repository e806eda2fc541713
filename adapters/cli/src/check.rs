//! `check`: what the server says of itself.

use std::io::Write;

use podsapi_client::{Client, ClientOptions};
use podsapi_proto::diagnostics::{GetStatusResponse, Source, SourceState, Watch};
use podsapi_proto::json::printable;

use crate::args::CheckArgs;
use crate::failure::{DEADLINE, Failure, answered};
use crate::human;
use crate::table::Table;

/// Prints the state of the server; succeeds only when it is ready.
pub(crate) async fn check(args: &CheckArgs, out: &mut impl Write) -> Result<(), Failure> {
    let path = args.socket.path();
    let options = ClientOptions {
        deadline: Some(DEADLINE),
        ..ClientOptions::default()
    };
    let client = Client::connect(&path, options).await?;
    let status = answered(&path, client.status()).await?;
    out.write_all(report(&status).as_bytes())?;
    out.flush()?;
    if status.ready {
        Ok(())
    } else {
        Err(Failure::NotReady)
    }
}

fn report(status: &GetStatusResponse) -> String {
    let readiness = match (status.ready, status.waiting_for.as_slice()) {
        (true, _) => "yes".to_owned(),
        (false, []) => "no".to_owned(),
        (false, waiting) => format!("no, waiting for {}", waiting.join(", ")),
    };
    let facts = [
        ["Ready:".to_owned(), readiness],
        [
            "Node:".to_owned(),
            match status.node_name.as_str() {
                "" => "not told".to_owned(),
                name => printable(name).into_owned(),
            },
        ],
        [
            "Version:".to_owned(),
            format!(
                "{} (pods of Kubernetes {})",
                status.version, status.schema_version
            ),
        ],
        ["Uptime:".to_owned(), seconds(status.uptime_seconds)],
        ["Pods:".to_owned(), status.pods.to_string()],
        ["Watches:".to_owned(), status.watches.to_string()],
        ["Connections:".to_owned(), status.connections.to_string()],
    ];
    let mut text = lines(&["", ""], &facts);
    text.push('\n');
    let headings = [
        "SOURCE",
        "KIND",
        "STATE",
        "LAST NEWS",
        "PODS",
        "EVENTS",
        "REFUSED",
        "SHADOWED",
        "PROBLEMS",
        "LAST ERROR",
    ];
    let rows: Vec<_> = status.sources.iter().map(row).collect();
    let table = [headings.map(str::to_owned)]
        .into_iter()
        .chain(rows)
        .collect::<Vec<_>>();
    text += &lines(&headings, &table);
    if !status.watches_behind.is_empty() {
        text.push('\n');
        text += &watches_behind(&status.watches_behind);
    }
    text
}

/// Returns a line for each watch that has not read everything.
fn watches_behind(watches: &[Watch]) -> String {
    let headings = ["WATCH OF USER", "UNREAD CHANGES", "FIRST LIST"];
    let rows = watches.iter().map(|watch| {
        let peer = watch.peer.map(|peer| peer.to_string());
        [
            peer.unwrap_or_else(|| "unknown".to_owned()),
            watch.behind.to_string(),
            if watch.listing { "not read" } else { "read" }.to_owned(),
        ]
    });
    let table: Vec<_> = [headings.map(str::to_owned)]
        .into_iter()
        .chain(rows)
        .collect();
    lines(&headings, &table)
}

fn row(source: &Source) -> [String; 10] {
    let news = source
        .seconds_since_news
        .map_or_else(|| "never".to_owned(), |age| format!("{} ago", seconds(age)));
    let error = match source.last_error.as_str() {
        "" => "-".to_owned(),
        // One line a source.
        text => text.replace('\n', " | "),
    };
    [
        source.name.clone(),
        source.kind.clone(),
        match source.stale {
            true => "stale".to_owned(),
            false => state(source.state()).to_owned(),
        },
        news,
        source.pods.to_string(),
        source.events.to_string(),
        source.refused.to_string(),
        source.shadowed.to_string(),
        source.problems.to_string(),
        error,
    ]
}

fn state(state: SourceState) -> &'static str {
    match state {
        SourceState::Unspecified => "unknown",
        SourceState::Waiting => "waiting",
        SourceState::Syncing => "syncing",
        SourceState::Live => "live",
        SourceState::Lost => "lost",
    }
}

fn seconds(count: u64) -> String {
    human::duration(i64::try_from(count).unwrap_or(i64::MAX))
}

fn lines<const N: usize>(headings: &[&str; N], rows: &[[String; N]]) -> String {
    let mut table = Table::new(headings);
    rows.iter().for_each(|row| table.fit(row));
    rows.iter().map(|row| table.line(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_of_an_earlier_run_are_said_to_be_stale_whatever_the_source_does() {
        let source = |stale| Source {
            state: SourceState::Lost.into(),
            stale,
            ..Source::default()
        };
        assert_eq!(row(&source(true))[2], "stale");
        assert_eq!(row(&source(false))[2], "lost");
    }

    #[test]
    fn a_report_says_what_is_waited_for_and_what_is_wrong() {
        let source = Source {
            name: "manifests".to_owned(),
            kind: "manifests".to_owned(),
            state: SourceState::Syncing.into(),
            seconds_since_news: Some(90),
            last_error: "a.yaml: broken\nb.yaml: broken".to_owned(),
            ..Source::default()
        };
        let status = GetStatusResponse {
            waiting_for: vec!["manifests".to_owned(), "snapshot".to_owned()],
            sources: vec![source],
            pods: 3,
            node_name: "n1".to_owned(),
            ..GetStatusResponse::default()
        };
        let text = report(&status);
        assert!(
            text.contains("Ready:         no, waiting for manifests, snapshot\n"),
            "{text}"
        );
        assert!(text.contains("\nNode:          n1\n"), "{text}");
        assert!(text.contains("syncing   90s ago"), "{text}");
        assert!(
            text.ends_with("a.yaml: broken | b.yaml: broken\n"),
            "{text}"
        );
    }
}

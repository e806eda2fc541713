//! Files that get other names, two files of one pod, and files that are broken, beside a kubelet: by hand.
//!
//! A kubelet takes a change at once, and reads all its files again every twenty seconds, with another
//! result: so each step waits for that.

use std::time::Duration;

use super::super::bed::Bed;
use super::super::pod::Pod;
use super::super::record::KUBELET;
use super::super::report::judge;
use super::super::statics::serve;
use super::{manifest, version};
use crate::faults::number;
use crate::process::now;

/// Longer than between two readings of all files by a kubelet.
const REREAD: Duration = Duration::from_secs(24);

const BROKEN: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: double\n";

/// The pod; what it differs in is named for it alone.
const NAME: &str = "double";

#[tokio::test(flavor = "multi_thread")]
async fn files_are_renamed_doubled_and_broken_as_the_kubelet_takes_them() {
    if number("PODSAPI_KUBELET_EDITS", 0) == 0 {
        println!("skipped: set PODSAPI_KUBELET_EDITS, or run tests/endure edits");
        return;
    }
    let Some(mut bed) = Bed::start("files", Vec::new()).await else {
        return;
    };
    serve(&mut bed);
    bed.step("put the pod");
    bed.put(NAME, &manifest(NAME, 0));
    is_ready(&mut bed, 0, "").await;

    let before = uid(&bed).await;
    bed.step("its file gets another name");
    bed.rename(NAME, "moved", NAME);
    is_ready(&mut bed, 0, &before).await;
    reread(&mut bed).await;

    let before = uid(&bed).await;
    bed.step("a second file, later in order");
    bed.put_as("second", NAME, &manifest(NAME, 1));
    is_ready(&mut bed, 1, &before).await;
    reread(&mut bed).await;
    let before = uid(&bed).await;
    bed.step("the second file goes");
    bed.remove_file("second", NAME);
    is_ready(&mut bed, 0, &before).await;

    bed.step("a second file, first in order");
    bed.put_as("first", NAME, &manifest(NAME, 2));
    reread(&mut bed).await;
    is_ready(&mut bed, 0, "").await;
    bed.step("the first file goes");
    bed.remove_file("first", NAME);
    reread(&mut bed).await;
    is_ready(&mut bed, 0, "").await;

    bed.step("its file is broken for a moment");
    bed.put_as("moved", NAME, BROKEN);
    tokio::time::sleep(Duration::from_millis(400)).await;
    bed.put_as("moved", NAME, &manifest(NAME, 0));
    is_ready(&mut bed, 0, "").await;
    bed.step("its file is broken and stays so");
    bed.put_as("moved", NAME, BROKEN);
    reread(&mut bed).await;
    bed.gone(NAME).await;
    bed.settle_empty().await;
    bed.step("it is whole again");
    bed.put_as("moved", NAME, &manifest(NAME, 0));
    is_ready(&mut bed, 0, "").await;

    bed.step("remove the pod");
    bed.remove_file("moved", NAME);
    bed.gone(NAME).await;
    bed.settle_empty().await;
    judge(&mut bed, &[]);
}

/// Waits until the kubelet lists this version, under another UID, ready, and our servers do.
async fn is_ready(bed: &mut Bed, wanted: usize, other_than: &str) {
    let wanted = wanted.to_string();
    bed.shows(NAME, "is ready", |pod: &Pod| {
        pod.uid != other_than && version(pod) == Some(&wanted) && pod.is_ready()
    })
    .await;
    bed.settle().await;
}

/// Lets the time pass in which the kubelet reads all files again, which nothing tells, and waits for what
/// follows.
async fn reread(bed: &mut Bed) {
    let began = now();
    tokio::time::sleep(REREAD).await;
    bed.did(&format!("all is read again in {:?}", began.elapsed()));
    bed.settle().await;
}

async fn uid(bed: &Bed) -> String {
    let pods = bed.pods(KUBELET).await.unwrap();
    pods.first().map(|pod| pod.uid.clone()).unwrap()
}

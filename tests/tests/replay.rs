//! Replays the committed corpus of each fuzz target.

use std::path::Path;
use std::{fs, io, panic};

use podsapi_tests::entry;

#[test]
fn the_authority_corpus_holds() -> io::Result<()> {
    replay("authority", entry::authority)
}

#[test]
fn the_mask_corpus_holds() -> io::Result<()> {
    replay("mask", entry::mask)
}

#[test]
fn the_project_corpus_holds() -> io::Result<()> {
    replay("project", entry::project)
}

#[test]
fn the_encoded_pod_corpus_holds() -> io::Result<()> {
    replay("encoded_pod", entry::encoded_pod)
}

#[test]
fn the_frame_corpus_holds() -> io::Result<()> {
    replay("frame", entry::frame)
}

#[test]
fn the_json_corpus_holds() -> io::Result<()> {
    replay("json", entry::json)
}

#[test]
fn the_request_corpus_holds() -> io::Result<()> {
    replay("request", entry::request)
}

#[test]
fn the_service_corpus_holds() -> io::Result<()> {
    replay("service", entry::service)
}

#[test]
fn the_yaml_corpus_holds() -> io::Result<()> {
    replay("yaml", entry::yaml)
}

#[test]
fn the_wire_corpus_holds() -> io::Result<()> {
    replay("wire", entry::wire)
}

#[test]
fn the_listwatch_corpus_holds() -> io::Result<()> {
    replay("listwatch", entry::listwatch)
}

#[test]
fn the_cri_corpus_holds() -> io::Result<()> {
    replay("cri", entry::cri)
}

/// Runs `target` on each file of its corpus; an empty or missing corpus is a failure.
fn replay(name: &str, target: fn(&[u8])) -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fuzz/corpus")
        .join(name);
    let mut files = Vec::new();
    for file in fs::read_dir(&folder)? {
        files.push(file?.path());
    }
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    for file in files {
        let data = fs::read(&file)?;
        assert!(
            panic::catch_unwind(|| target(&data)).is_ok(),
            "{}",
            file.display()
        );
    }
    Ok(())
}

//! Replays the committed corpus of each fuzz target, whole and damaged.

use std::path::Path;
use std::{fs, io, panic};

use fastrand::Rng;
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
fn the_differs_corpus_holds() -> io::Result<()> {
    replay("differs", entry::differs)
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

/// Runs `target` on each file of its corpus, and on damaged ones, of which `PODSAPI_DAMAGED` says
/// how many; an empty or missing corpus is a failure.
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
    let mut corpus = Vec::new();
    for file in files {
        let data = fs::read(&file)?;
        assert!(
            panic::catch_unwind(|| target(&data)).is_ok(),
            "{}",
            file.display()
        );
        corpus.push(data);
    }
    let count = std::env::var("PODSAPI_DAMAGED").ok();
    let count = count
        .and_then(|count| count.parse().ok())
        .unwrap_or(DAMAGED);
    for seed in 0..count {
        let data = damaged(&corpus, &mut Rng::with_seed(seed));
        assert!(
            panic::catch_unwind(|| target(&data)).is_ok(),
            "{name}, damage {seed}: {}",
            data.escape_ascii()
        );
    }
    Ok(())
}

/// Bytes of one file with some of them changed, moved, left out or taken from another file.
fn damaged(corpus: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    let mut data = random.choice(corpus).cloned().unwrap_or_default();
    for _ in 0..random.usize(1..6) {
        let at = random.usize(..=data.len());
        let end = (at + random.usize(..24)).min(data.len());
        match random.u8(..6) {
            0 => data.truncate(at),
            1 => {
                data.drain(at..end);
            }
            2 => data.insert(at, random.u8(..)),
            3 => {
                let part = data[at..end].to_vec();
                let to = random.usize(..=data.len());
                data.splice(to..to, part);
            }
            4 => {
                let other = random.choice(corpus).map_or(&[][..], Vec::as_slice);
                let start = random.usize(..=other.len());
                let stop = (start + random.usize(..48)).min(other.len());
                data.splice(at..end, other[start..stop].iter().copied());
            }
            _ => {
                if let Some(byte) = data.get_mut(at) {
                    *byte = match random.bool() {
                        true => random.u8(..),
                        false => *byte ^ 1 << random.u8(..8),
                    };
                }
            }
        }
    }
    data
}

/// As many damaged files for each target as take about a second.
const DAMAGED: u64 = 200;

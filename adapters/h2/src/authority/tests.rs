//! Shows what the scanner makes of a client's bytes, without h2.

pub(super) mod client_bytes;
mod through_h2;

use proptest::prelude::*;

use super::frames::{AuthorityScanner, MAX_HEADER_BYTES};
use client_bytes::{
    CONTINUATION, END_HEADERS, END_STREAM, HEADERS, PADDED, PREFACE, PRIORITY, frame, frames,
    literal, request, split, string,
};

#[test]
fn a_plain_literal_is_replaced_in_place() {
    let sent = request(&literal(0x41, b"/run/x.sock", false));
    assert_eq!(
        filter(&sent),
        request(&literal(0x41, b"-run-x.sock", false))
    );
}

#[test]
fn a_huffman_literal_stays_huffman_and_may_shrink() {
    let sent = request(&literal(0x41, b"%2Frun%2Fx.sock", true));
    let expected = request(&literal(0x41, b"-2Frun-2Fx.sock", true));
    assert_eq!(filter(&sent), expected);
    // A NUL takes 13 bits and the hyphen 6.
    let long = [0; 200];
    let filtered = filter(&request(&literal(0x01, &long, true)));
    assert_eq!(filtered, request(&literal(0x01, &[b'-'; 200], true)));
    assert!(filtered.len() < request(&literal(0x01, &long, true)).len());
}

#[test]
fn a_name_that_is_spelled_out_is_found() {
    for huffman in [false, true] {
        for first in [0x40, 0x00, 0x10] {
            let mut sent = literal(first, b":authority", huffman);
            let mut expected = sent.clone();
            sent.extend(string(b"a/b/c", false));
            expected.extend(string(b"a-b-c", false));
            assert_eq!(filter(&request(&sent)), request(&expected));
        }
    }
}

#[test]
fn other_fields_with_the_same_value_are_left_alone() {
    let block = [
        literal(0x44, b"/run/x.sock", false),
        literal(0x04, b"/run/x.sock", true),
    ]
    .concat();
    assert_eq!(filter(&request(&block)), request(&block));
}

#[test]
fn an_empty_authority_is_dropped_where_no_table_entry_depends_on_it() {
    for empty in [
        &[0x81][..],
        &[0x01, 0x00],
        &[0x11, 0x00],
        &[0x11, 0x80],
        &[0xff, 0x82, 0x00],
    ] {
        let dropped = [0x83, 0x86];
        let block = [&[0x83], empty, &[0x86]].concat();
        let expected = if empty[0] == 0xff {
            block.as_slice()
        } else {
            &dropped
        };
        assert_eq!(filter(&request(&block)), request(expected));
    }
    let inserted = request(&[0x83, 0x41, 0x00, 0x86]);
    assert_eq!(filter(&inserted), inserted);
}

#[test]
fn malformed_blocks_pass_untouched() {
    let bad = literal(0x41, b"/run/x.sock", false);
    let tails: [&[u8]; 6] = [
        &[0x41],                               // no value
        &[0x41, 0x05, b'a'],                   // value cut short
        &[0x41, 0x81, 0x00],                   // Huffman padding of zeros
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0x0f], // integer of six bytes
        &[0x3f, 0xe1, 0x1f],                   // size update after a field
        &[0x00, 0x7f],                         // length cut short
    ];
    for tail in tails {
        let sent = request(&[&bad[..], tail].concat());
        assert_eq!(filter(&sent), sent, "{tail:02x?}");
    }
}

#[test]
fn a_size_update_before_the_fields_is_stepped_over() {
    let block = |value| [&[0x20, 0x3f, 0xe1, 0x1f][..], &literal(0x41, value, false)].concat();
    assert_eq!(filter(&request(&block(b"a/b"))), request(&block(b"a-b")));
}

#[test]
fn padding_and_priority_survive() {
    let wrap = |block: &[u8]| [&[7, 0, 0, 0, 3, 200][..], block, &[0; 7]].concat();
    let flags = END_HEADERS | END_STREAM | PADDED | PRIORITY;
    let sent = frame(HEADERS, flags, 1, &wrap(&literal(0x41, &[0; 30], true)));
    let expected = frame(HEADERS, flags, 1, &wrap(&literal(0x41, &[b'-'; 30], true)));
    assert_eq!(
        filter(&[PREFACE, &sent].concat()),
        [PREFACE, &expected].concat()
    );
}

#[test]
fn padding_beyond_the_frame_passes_untouched() {
    let mut payload = vec![200];
    payload.extend(literal(0x41, b"a/b", false));
    for flags in [
        END_HEADERS | PADDED,
        END_HEADERS | PADDED | PRIORITY,
        END_HEADERS | PRIORITY,
    ] {
        let sent = [PREFACE, &frame(HEADERS, flags, 1, &payload[..4])].concat();
        assert_eq!(filter(&sent), sent);
    }
}

#[test]
fn a_block_is_put_together_whatever_its_continuations() {
    let block = [
        &[0x83][..],
        &literal(0x41, b"/run/\x00\x01.sock", true),
        &[0x86, 0x84],
    ]
    .concat();
    let expected = [
        &[0x83][..],
        &literal(0x41, b"-run---.sock", true),
        &[0x86, 0x84],
    ]
    .concat();
    for first in 0..=block.len() {
        for second in first..=block.len() {
            let parts = [&block[..first], &block[first..second], &block[second..]];
            let filtered = filter(&[PREFACE, &split(&parts)].concat());
            let frames = frames(&filtered[PREFACE.len()..]);
            let kinds: Vec<_> = frames
                .iter()
                .map(|(kind, flags, _)| (*kind, *flags))
                .collect();
            let expected_kinds = [
                (HEADERS, END_STREAM),
                (CONTINUATION, 0),
                (CONTINUATION, END_HEADERS),
            ];
            assert_eq!(kinds, expected_kinds);
            let joined: Vec<u8> = frames
                .into_iter()
                .flat_map(|(_, _, payload)| payload)
                .collect();
            assert_eq!(joined, expected);
        }
    }
}

#[test]
fn flags_that_a_continuation_does_not_know_mean_nothing() {
    let block = |value| [&[0x83][..], &literal(0x41, value, false)].concat();
    let frames = |block: &[u8]| {
        let rest = frame(
            CONTINUATION,
            END_HEADERS | PADDED | PRIORITY,
            1,
            &block[1..],
        );
        [PREFACE, &frame(HEADERS, END_STREAM, 1, &block[..1]), &rest].concat()
    };
    assert_eq!(filter(&frames(&block(b"a/b"))), frames(&block(b"a-b")));
}

#[test]
fn a_block_that_another_frame_interrupts_passes_untouched() {
    let block = literal(0x41, b"a/b", false);
    let start = frame(HEADERS, END_STREAM, 1, &block);
    for intruder in [
        frame(6, 0, 0, &[0; 8]),
        frame(HEADERS, END_HEADERS, 3, &block),
        frame(CONTINUATION, END_HEADERS, 3, &[]),
    ] {
        let sent = [
            PREFACE,
            &start,
            &intruder,
            &frame(CONTINUATION, END_HEADERS, 1, &[]),
        ]
        .concat();
        assert_eq!(filter(&sent), sent);
    }
}

#[test]
fn nothing_passes_from_a_block_over_the_limit_on() {
    let good = request(&literal(0x41, b"a/b", false));
    let after = frame(HEADERS, END_HEADERS, 3, &[0x82]);
    let part = vec![0x83; 16_384];
    let mut plain = frame(HEADERS, 0, 3, &literal(0x41, b"a/b", false));
    for _ in 0..=MAX_HEADER_BYTES / part.len() {
        plain.extend(frame(CONTINUATION, 0, 3, &part));
    }
    // A field of 4,000 bytes that enters the table, and forty references to it of a byte each.
    let entry = literal(0x40, b"x", false);
    let entry = [&entry[..], &string(&[b'y'; 4_000], false), &[0xbe; 40]].concat();
    let referring = frame(HEADERS, END_HEADERS, 3, &entry);
    let (start, rest) = entry.split_at(20);
    let in_two = [
        frame(HEADERS, 0, 3, start),
        frame(CONTINUATION, END_HEADERS, 3, rest),
    ];
    for hostile in [plain, referring, in_two.concat()] {
        let filtered = filter(&[&good[..], &hostile, &after].concat());
        let sent = filtered.strip_prefix(&filter(&good)[..]).unwrap();
        let frames = frames(sent);
        assert_eq!(frames[0], (HEADERS, 0, vec![]));
        assert!(
            frames[1..]
                .iter()
                .all(|it| *it == (CONTINUATION, 0, vec![]))
        );
        assert_eq!(frames.len(), 1 + 1_281);
    }
}

#[test]
fn a_list_up_to_the_limit_passes_whatever_it_refers_to() {
    let value = |length| {
        let entry = literal(0x40, b"x", false);
        [entry, string(&vec![b'y'; length], false)].concat()
    };
    // An entry of 4,064 + 1 + 32 bytes is one too large for the table, which it leaves empty.
    for (length, known) in [(4_063, true), (4_064, false)] {
        let mut block = value(length);
        block.extend([0xbe; 31]);
        let sent = request(&block);
        // 32 x 4,096 is the limit.
        assert_eq!(filter(&sent), sent, "{length}");
        block.push(0xbe);
        let sent = request(&block);
        assert_eq!(filter(&sent) == sent, !known, "{length}");
    }
    // A size update empties the table, too, and the references lead nowhere.
    let emptied = [&value(4_000)[..], &[0xbe; 10]].concat();
    let second = [&[0x20, 0x3f, 0xe1, 0x1f][..], &[0xbe; 60]].concat();
    let sent = [request(&emptied), frame(HEADERS, END_HEADERS, 3, &second)].concat();
    assert_eq!(filter(&sent), sent);
}

#[test]
fn what_is_held_back_is_bounded() {
    let mut scanner = AuthorityScanner::new();
    let mut output = Vec::new();
    scanner.push(&[PREFACE, &frame(HEADERS, 0, 1, &[])].concat(), &mut output);
    let mut sent = PREFACE.len() + 9;
    let empty = frame(CONTINUATION, 0, 1, &[]);
    while output.len() == PREFACE.len() {
        scanner.push(&empty, &mut output);
        sent += empty.len();
        assert!(sent - PREFACE.len() <= MAX_HEADER_BYTES + empty.len());
    }
    // Nothing is held and nothing passes any more.
    let told = output.len();
    for bytes in [&empty[..], PREFACE, &request(&[0x83])] {
        scanner.push(bytes, &mut output);
        assert_eq!(scanner.pass(bytes), 0);
    }
    scanner.finish(&mut output);
    assert_eq!((output.len(), scanner.unfinished()), (told, None));
}

#[test]
fn other_protocols_pass_untouched() {
    for sent in [
        &b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00",
        b"PRI * HTTP/1",
    ] {
        let mut sent = sent.to_vec();
        sent.extend(frame(
            HEADERS,
            END_HEADERS,
            1,
            &literal(0x41, b"a/b", false),
        ));
        assert_eq!(filter(&sent), sent);
    }
}

#[test]
fn the_payload_of_other_frames_passes_as_it_comes() {
    let mut scanner = AuthorityScanner::new();
    let mut output = Vec::new();
    let data = frame(0, 0, 1, &[7; 1_000]);
    scanner.push(PREFACE, &mut output);
    scanner.push(&data[..10], &mut output);
    assert_eq!(output.len(), PREFACE.len() + 10);
    scanner.push(&data[10..500], &mut output);
    assert_eq!(output.len(), PREFACE.len() + 500);
}

#[test]
fn the_end_of_the_bytes_returns_what_was_held() {
    let sent = request(&literal(0x41, b"/run/x.sock", false));
    for length in 0..sent.len() {
        let (mut scanner, mut output) = (AuthorityScanner::new(), Vec::new());
        scanner.push(&sent[..length], &mut output);
        scanner.finish(&mut output);
        assert_eq!(output, &sent[..length]);
    }
}

#[test]
fn every_boundary_between_two_reads_gives_the_same_bytes() {
    let block = literal(0x41, b"/run/x.sock", true);
    let sent = [
        request(&block),
        frame(0, 0, 1, &[1; 20]),
        frame(HEADERS, END_STREAM, 3, &block[..3]),
        frame(CONTINUATION, END_HEADERS, 3, &block[3..]),
        frame(6, 0, 0, &[9; 8]),
    ]
    .concat();
    let expected = filter(&sent);
    assert_ne!(expected, sent);
    for at in 0..=sent.len() {
        let (mut scanner, mut output) = (AuthorityScanner::new(), Vec::new());
        scanner.push(&sent[..at], &mut output);
        scanner.push(&sent[at..], &mut output);
        assert_eq!(output, expected, "split at {at}");
    }
    let (mut scanner, mut output) = (AuthorityScanner::new(), Vec::new());
    for byte in &sent {
        scanner.push(&[*byte], &mut output);
    }
    assert_eq!(output, expected);
}

proptest! {
    #[test]
    fn an_authority_that_parses_is_never_touched(
        value in "[a-z0-9.:@%!*+=_~-]{1,40}|\\[[0-9a-f:]{2,20}\\]:[0-9]{1,5}",
        huffman: bool,
    ) {
        prop_assume!(http::uri::Authority::try_from(value.as_bytes()).is_ok());
        let sent = request(&literal(0x41, value.as_bytes(), huffman));
        prop_assert_eq!(filter(&sent), sent);
    }

    #[test]
    fn any_other_authority_keeps_its_length_and_parses(
        value in prop::collection::vec(any::<u8>(), 1..300),
        huffman: bool,
    ) {
        prop_assume!(http::uri::Authority::try_from(value.as_slice()).is_err());
        let expected: Vec<u8> = value
            .iter()
            .map(|byte| if super::hpack::is_kept(*byte) { *byte } else { b'-' })
            .collect();
        prop_assert!(http::uri::Authority::try_from(expected.as_slice()).is_ok());
        let sent = request(&literal(0x41, &value, huffman));
        prop_assert_eq!(filter(&sent), request(&literal(0x41, &expected, huffman)));
    }

    #[test]
    fn any_bytes_come_out_no_longer_and_the_same_however_they_are_cut(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        cuts in prop::collection::vec(0..400_usize, 0..6),
    ) {
        let sent = [PREFACE, &frame(HEADERS, bytes.first().copied().unwrap_or(0), 1, &bytes), &bytes].concat();
        let expected = filter(&sent);
        prop_assert!(expected.len() <= sent.len());
        prop_assert_eq!(&filter(&expected), &expected);
        let (mut scanner, mut output) = (AuthorityScanner::new(), Vec::new());
        let mut rest = sent.as_slice();
        for cut in cuts {
            let (now, later) = rest.split_at(cut.min(rest.len()));
            scanner.push(now, &mut output);
            rest = later;
        }
        scanner.push(rest, &mut output);
        scanner.finish(&mut output);
        prop_assert_eq!(output, expected);
    }
}

fn filter(sent: &[u8]) -> Vec<u8> {
    let (mut scanner, mut output) = (AuthorityScanner::new(), Vec::new());
    scanner.push(sent, &mut output);
    scanner.finish(&mut output);
    output
}

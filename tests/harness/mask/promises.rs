//! What holds for every mask and every pod; each function panics where it does not.

use podsapi_core::{FieldMask, MaskError, Projection};
use podsapi_proto::schema::Message;

use super::{Choices, Oddities, Record, Target, add_flaw, bytes_of, mask, pod, spell, targets};

/// Compiles one line of text.
///
/// # Errors
///
/// The text is no mask of a pod.
pub fn compile(text: &str) -> Result<Projection, MaskError> {
    FieldMask::parse(text)?.compile(Message::POD)
}

/// Compiles a mask that was spelled from targets.
///
/// # Panics
///
/// When it is refused.
pub fn projection(text: &str) -> Projection {
    compile(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the encoded `google.protobuf.FieldMask` that has these paths, each shorter than 16 KiB.
///
/// # Panics
///
/// When a path is longer.
pub fn encoded(paths: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    for path in paths {
        let [low, high] = u16::try_from(path.len())
            .ok()
            .filter(|&length| length < 1 << 14)
            .expect("a path that is shorter than the limit of masks")
            .to_le_bytes();
        out.extend([0x0a, low | 0x80, high << 1 | low >> 7]);
        out.extend_from_slice(path.as_bytes());
    }
    out
}

/// The promises of the mask language, on any bytes: as lines of text and as the encoded form.
///
/// # Panics
///
/// When one is broken.
pub fn language(data: &[u8]) {
    let mut lines = FieldMask::default();
    for line in data.split(|&byte| byte == b'\n') {
        lines.add_text(line);
    }
    let mut bin = FieldMask::default();
    bin.add_encoded(data);
    for mask in [lines, bin] {
        match mask.compile(Message::POD) {
            Ok(projection) => {
                assert!(
                    projection.is_all() || !mask.is_empty(),
                    "no path selects everything"
                );
                prints_as_itself(&projection);
            }
            Err(error) => {
                let text = error.to_string();
                assert!(text.len() <= 1_024 && !error.faults().is_empty(), "{text}");
                assert!(
                    text.bytes().all(|byte| matches!(byte, b' '..=b'~')),
                    "not printable ASCII: {text:?}"
                );
                for fault in error.faults() {
                    assert!(
                        fault.path().is_char_boundary(fault.offset()),
                        "byte {} of {:?}",
                        fault.offset(),
                        fault.path()
                    );
                }
            }
        }
    }
    if let Ok(text) = core::str::from_utf8(data)
        && let (Ok(alone), Ok(twice)) = (compile(text), compile(&[text, text].join(",")))
    {
        assert_eq!(alone, twice, "a mask and itself");
    }
}

/// The canonical mask compiles to what it was printed from.
fn prints_as_itself(projection: &Projection) {
    let mut again = FieldMask::default();
    let paths = projection.paths();
    // A mask of `apiVersion` selects nothing and prints as nothing, which would be read as all.
    if paths.is_empty() {
        assert!(!projection.is_all());
        return;
    }
    for path in &paths {
        again.add_encoded(&encoded(&[path]));
    }
    // Canonical spelling can be longer than what was sent; then it is over the limit.
    if let Ok(again) = again.compile(Message::POD) {
        assert_eq!(&again, projection, "printed as {projection}");
    }
    let mut sorted = paths.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted, paths, "sorted and each once");
}

/// The promises of projection, on a pod, masks and perhaps a flaw that are drawn from choices.
///
/// # Panics
///
/// When one is broken.
pub fn project(choices: &mut Choices<'_>) {
    let mut records = pod(
        choices,
        Oddities {
            unknown_in_entries: true,
        },
    );
    let (one, two) = (targets(choices, &records), targets(choices, &records));
    let (mask_one, mask_two) = (mask(choices, &one), mask(choices, &two));
    let (first, second) = (projection(&mask_one), projection(&mask_two));
    let spelled = [
        mask(&mut Choices::of_bytes(&[]), &one),
        one.iter()
            .rev()
            .map(|target| spell(choices, target))
            .collect::<Vec<_>>()
            .join(","),
        [&*mask_one, &*mask_one].join(", "),
    ];
    for other in spelled {
        assert_eq!(projection(&other), first, "{other} and {mask_one}");
    }
    prints_as_itself(&first);

    let whole = bytes_of(&records);
    let left = check(&mask_one, &first, &one, &records);
    check(&mask_two, &second, &two, &records);
    let shown = || format!("{mask_one} and {mask_two} on {whole:02x?}");

    assert_eq!(
        run(&first, &left).as_ref(),
        Some(&left),
        "twice: {}",
        shown()
    );

    let intersection = first.intersection(&second);
    let through_both = run(&first, &run(&second, &whole).unwrap_or_default());
    assert_eq!(
        run(&intersection, &whole),
        through_both,
        "composed: {}",
        shown()
    );
    assert_eq!(intersection, second.intersection(&first));
    assert_eq!(first, first.intersection(&first));

    let union = first.union(&second);
    let joined = [&*mask_one, &*mask_two].join(",");
    assert_eq!(projection(&joined), union, "{joined}");
    assert_eq!(second.union(&first), union);
    assert_eq!(union.intersection(&first), first, "absorbed: {}", shown());
    let wider = run(&union, &whole).unwrap_or_default();
    assert_eq!(
        run(&first, &wider),
        Some(left.clone()),
        "absorbed: {}",
        shown()
    );
    assert!(
        left.len() <= wider.len() && wider.len() <= whole.len(),
        "grown: {}",
        shown()
    );

    // Cut between two records and anywhere else.
    let mut boundaries = vec![0];
    for record in &records {
        boundaries.push(boundaries.last().unwrap_or(&0) + record.bytes.len());
    }
    let cut = choices.below(whole.len() + 1);
    let boundary = *choices.pick(&boundaries);
    if !first.is_all() {
        let halves = run(&first, &whole[..boundary]).zip(run(&first, &whole[boundary..]));
        let halves = halves.map(|(front, back)| [front, back].concat());
        assert_eq!(halves, Some(left), "cut at {boundary}: {}", shown());
        assert_eq!(
            run(&first, &whole[..cut]).is_some(),
            boundaries.contains(&cut),
            "cut short at {cut}: {}",
            shown()
        );
    }

    if choices.once_in(2) {
        add_flaw(choices, &mut records);
        check(&mask_one, &first, &one, &records);
        check(&mask_two, &second, &two, &records);
    }
}

/// Checks a projection against what the targets must leave.
fn check(mask: &str, projection: &Projection, targets: &[Target], records: &[Record]) -> Vec<u8> {
    let whole = bytes_of(records);
    let found = run(projection, &whole);
    assert_eq!(
        found,
        Target::expected(targets, records),
        "{mask} on {whole:02x?}"
    );
    found.unwrap_or_default()
}

/// Projects behind bytes that must stay as they are; nothing when the input is refused.
fn run(projection: &Projection, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = b"kept".to_vec();
    let done = projection.project(bytes, &mut out);
    assert!(out.starts_with(b"kept"));
    let written = out.split_off(4);
    match done {
        Ok(()) => Some(written),
        Err(error) => {
            assert!(written.is_empty(), "output behind an error");
            assert!(error.offset <= bytes.len(), "{error}");
            None
        }
    }
}

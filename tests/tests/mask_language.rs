//! The mask language on drawn masks: many spellings, one meaning.

use podsapi_core::{FieldMask, Projection};
use podsapi_proto::schema::Message;
use podsapi_tests::mask::{self, Choices, Oddities, Target};
use proptest::prelude::*;

/// Draws targets, and leaves the choices behind them for what is made of them.
fn draw(choices: &mut Choices<'_>) -> Vec<Target> {
    let pod = mask::pod(choices, Oddities::default());
    mask::targets(choices, &pod)
}

fn decisions() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..300)
}

/// Spells each target canonically: all choices of nothing are the first.
fn plain(target: &Target) -> String {
    mask::spell(&mut Choices::of_bytes(&[]), target)
}

proptest! {
    #[test]
    fn order_and_number_of_paths_do_not_matter(
        (paths, mixed) in decisions().prop_flat_map(|bytes| {
            let paths: Vec<String> = draw(&mut Choices::of_bytes(&bytes)).iter().map(plain).collect();
            let twice = [paths.clone(), paths.clone()].concat();
            (Just(paths), Just(twice).prop_shuffle())
        })
    ) {
        prop_assert_eq!(mask::projection(&mixed.join(",")), mask::projection(&paths.join(",")));
    }

    #[test]
    fn aliases_hops_stars_and_quotes_spell_the_same(bytes in decisions(), spelling in decisions()) {
        let mut choices = Choices::of_bytes(&spelling);
        for target in draw(&mut Choices::of_bytes(&bytes)) {
            let (one, two) = (plain(&target), mask::spell(&mut choices, &target));
            if target != Target::Nothing {
                prop_assert_eq!(mask::projection(&one), mask::projection(&two), "{} and {}", one, two);
            }
        }
    }

    #[test]
    fn the_canonical_mask_compiles_to_what_it_was_printed_from(bytes in decisions(), seed in any::<u64>()) {
        let targets = draw(&mut Choices::of_bytes(&bytes));
        let projection = mask::projection(&mask::mask(&mut Choices::of_seed(seed), &targets));
        let printed = projection.to_string();
        if !printed.is_empty() {
            let again = mask::projection(&printed);
            prop_assert_eq!(&again, &projection);
            prop_assert_eq!(again.to_string(), printed);
        }
    }

    #[test]
    fn lines_joined_apart_or_encoded_are_one_mask(bytes in decisions(), seed in any::<u64>()) {
        let mut choices = Choices::of_seed(seed);
        let targets = draw(&mut Choices::of_bytes(&bytes));
        let lines: Vec<String> = targets
            .chunks(1 + choices.below(3))
            .map(|targets| mask::mask(&mut choices, targets))
            .collect();
        let joined = mask::projection(&lines.join(","));
        prop_assert_eq!(&mask::projection(&lines.join(", ")), &joined);
        let mut apart = FieldMask::default();
        for line in &lines {
            apart.add_text(line.as_bytes());
            apart.add_text(b"");
        }
        prop_assert_eq!(&apart.compile(Message::POD).unwrap(), &joined);
        let mut encoded = FieldMask::default();
        let paths: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (front, back) = paths.split_at(choices.below(paths.len() + 1));
        encoded.add_encoded(&mask::encoded(front));
        encoded.add_encoded(&mask::encoded(back));
        prop_assert_eq!(&encoded.compile(Message::POD).unwrap(), &joined);
        let mut both = FieldMask::default();
        both.add_encoded(&mask::encoded(front));
        back.iter().for_each(|line| both.add_text(line.as_bytes()));
        prop_assert_eq!(&both.compile(Message::POD).unwrap(), &joined);
    }

    #[test]
    fn a_changed_byte_is_refused_or_understood_and_never_a_panic(
        bytes in decisions(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let targets = draw(&mut Choices::of_bytes(&bytes));
        let mut text = mask::mask(&mut Choices::of_bytes(&bytes), &targets).into_bytes();
        mask::language(&text);
        let index = at.index(text.len());
        text[index] = byte;
        mask::language(&text);
        text.remove(index);
        mask::language(&text);
        text.truncate(index);
        mask::language(&text);
    }

    #[test]
    fn any_bytes_are_refused_or_understood(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        mask::language(&bytes);
    }
}

#[test]
fn what_generic_libraries_make_of_names_is_understood_or_refused_with_the_right_name() {
    let ips = mask::projection("status.podIPs");
    // Python, Go, C++, Java, C#, protobuf-es, Swift and upb read `status.podIPs` as the first.
    for understood in ["status.pod_i_ps", "status.pod_ips", "status.podIPs"] {
        assert_eq!(mask::projection(understood), ips, "{understood}");
    }
    // Java prints the first; the second is the JSON form of `pod_ips`.
    for refused in ["status.podips", "status.podIps"] {
        let error = mask::compile(refused).unwrap_err().to_string();
        assert!(error.ends_with("did you mean \"podIPs\"?"), "{error}");
    }
    for (made, meant) in [
        ("status.host_ip", "status.hostIP"),
        ("status.host_i_p", "status.hostIP"),
        ("spec.init_containers", "spec.initContainers"),
        ("spec.volumes.fc.target_ww_ns", "spec.volumes.fc.targetWWNs"),
        (
            "spec.volumes.fc.target_w_w_ns",
            "spec.volumes.fc.targetWWNs",
        ),
        (
            "metadata.managed_fields.fields_v1",
            "metadata.managedFields.fieldsV1",
        ),
    ] {
        assert_eq!(mask::projection(made), mask::projection(meant), "{made}");
    }
    // A key is never taken for another spelling of one.
    assert_ne!(
        mask::projection("metadata.labels.`Foo`"),
        mask::projection("metadata.labels.`_foo`")
    );
}

#[test]
fn a_map_of_which_no_key_is_left_drops_every_entry() {
    let none =
        mask::projection("metadata.labels.a").intersection(&mask::projection("metadata.labels.b"));
    let mut left = Vec::new();
    none.project(b"\x0a\x0a\x5a\x03\x0a\x01a\x5a\x03\x0a\x01b", &mut left)
        .unwrap();
    assert_eq!(left, b"\x0a\x00");
    assert_ne!(none, Projection::all());
}

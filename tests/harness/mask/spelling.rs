//! The many spellings that one selection has.

use podsapi_proto::schema::{Field, Kind, Shape};

use super::{Choices, Target};

/// Draws a mask that selects the targets: any spelling, any order, with blanks and empty elements.
pub fn mask(choices: &mut Choices<'_>, targets: &[Target]) -> String {
    let mut mask = String::new();
    for (index, target) in targets.iter().enumerate() {
        if index > 0 {
            mask.push_str(choices.pick::<&str>(&[",", ", ", " ,", ",,", ",\t,"]));
        }
        mask.push_str(&spell(choices, target));
    }
    if choices.once_in(8) {
        mask.insert_str(0, " ,");
        mask.push_str(", ");
    }
    mask
}

/// Draws a spelling of one target; the first of each choice is the canonical one.
pub fn spell(choices: &mut Choices<'_>, target: &Target) -> String {
    let (path, key) = match target {
        Target::Everything => return "*".into(),
        Target::Nothing => return (*choices.pick(&["kind", "apiVersion"])).into(),
        Target::Field(path, key) => (path, *key),
    };
    let mut segments = Vec::new();
    for (index, field) in path.iter().enumerate() {
        let last = index + 1 == path.len();
        if field.is_hop() && !last && !choices.once_in(4) {
            continue;
        }
        segments.push(name(choices, *field));
        let list = field.shape() == Shape::Repeated;
        let message = matches!(field.kind(), Kind::Message(inner) if inner.opaque().is_none());
        let optional = if last {
            (list || message || field.shape() == Shape::Map) && key.is_none()
        } else {
            list
        };
        if optional && choices.once_in(8) {
            segments.push("*".into());
        }
    }
    segments.extend(key.map(|key| spell_key(choices, key)));
    segments.join(".")
}

fn name(choices: &mut Choices<'_>, field: Field) -> String {
    let name = field.name();
    match choices.below(12) {
        8 => ["`", name, "`"].concat(),
        // `pod_i_ps`, what libraries make of `podIPs`.
        9 => name
            .chars()
            .flat_map(|c| {
                let underscore = c.is_ascii_uppercase().then_some('_');
                underscore.into_iter().chain([c.to_ascii_lowercase()])
            })
            .collect(),
        // `pod_ips`, what people write.
        10 => {
            let mut text = String::new();
            for (c, before) in name.chars().zip([' '].into_iter().chain(name.chars())) {
                if c.is_ascii_uppercase() && !before.is_ascii_uppercase() {
                    text.push('_');
                }
                text.push(c.to_ascii_lowercase());
            }
            text
        }
        11 => ["_", &name.to_ascii_uppercase()].concat(),
        _ => name.into(),
    }
}

fn spell_key(choices: &mut Choices<'_>, key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !key.is_empty() && key.chars().all(bare) && !choices.once_in(2) {
        key.into()
    } else {
        ["`", &key.replace('`', "``"), "`"].concat()
    }
}

//! Small changes of a good manifest, and what a kubelet says of each.

/// A change, and the path that it is refused at; none when it is taken.
pub(in crate::manifests) struct Listed {
    pub(in crate::manifests) change: &'static str,
    pub(in crate::manifests) refused: Option<&'static str>,
}

/// Returns the whole list.
pub(in crate::manifests) fn all() -> impl Iterator<Item = Listed> {
    let lines = include_str!("listed.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let (verdict, change) = line.split_once('\t').unwrap();
        Listed {
            change,
            refused: Some(verdict).filter(|verdict| *verdict != "taken"),
        }
    })
}

/// Makes a manifest of a change.
pub(in crate::manifests) fn manifest(change: &str) -> String {
    let mut parts = [const { String::new() }; 4];
    for line in change.split(" && ").filter(|line| !line.is_empty()) {
        let (place, line) = line.split_once(' ').unwrap();
        let (at, indent) = match place {
            "M" => (0, "  "),
            "S" => (1, "  "),
            "C" => (2, "    "),
            "I" => (3, "    "),
            _ => panic!("{change}"),
        };
        let line = with_long(line);
        parts[at].push_str(&format!("{indent}{line}\n"));
    }
    let [metadata, spec, mut container, mut init] = parts;
    complete(&mut container, "c");
    if !init.is_empty() {
        complete(&mut init, "i");
        init = format!("  initContainers:\n  -\n{init}");
    }
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n{metadata}spec:\n{spec}{init}  \
         containers:\n  -\n{container}"
    )
}

/// Gives a container a name and an image, unless it has them.
fn complete(container: &mut String, name: &str) {
    for (key, value) in [("name", name), ("image", "i")] {
        if !container.contains(&format!("    {key}: ")) {
            container.push_str(&format!("    {key}: {value}\n"));
        }
    }
}

fn with_long(line: &str) -> String {
    let mut parts = line.split("LONG");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_digit());
        let (count, rest) = part.split_at(end.unwrap_or(part.len()));
        text.push_str(&"x".repeat(count.parse().unwrap()));
        text.push_str(rest);
    }
    text
}

//! The lists of texts that cases are made of, which stand in `listed.json` and `made.json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use podsapi_proto::json::{Value, parse_json};

use crate::simulated::random::Random;

/// Returns a list by its name.
pub(super) fn list(name: &str) -> &'static [&'static str] {
    static LISTS: LazyLock<Lists> = LazyLock::new(read);
    LISTS.get(name).map(Vec::as_slice).unwrap()
}

/// Returns one text of a list.
pub(super) fn one(name: &str, random: &mut Random) -> &'static str {
    random.choose(list(name)).copied().unwrap()
}

type Lists = BTreeMap<String, Vec<&'static str>>;

fn read() -> Lists {
    let mut lists = Lists::new();
    for file in [include_str!("listed.json"), include_str!("made.json")] {
        let Ok(Value::Map(file)) = parse_json(file.as_bytes()) else {
            panic!("a file of lists");
        };
        for (name, list) in file {
            let texts = list.as_list().unwrap().iter();
            let texts = texts.map(|text| &*text.as_str().unwrap().to_owned().leak());
            lists.insert(name, texts.collect());
        }
    }
    lists
}

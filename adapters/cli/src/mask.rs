//! `mask`: a field mask tried on one pod, without a server.

use std::io::{Read, Write};

use podsapi_client::Fields;
use podsapi_core::{MAX_MASK_BYTES, Projection};
use podsapi_proto::json::{decode, to_json_pretty, whole_object};
use podsapi_proto::schema::Message as Schema;

use crate::args::{MaskArgs, MaskFormat};
use crate::failure::Failure;
use crate::table::Table;

pub(crate) mod faults;
mod sample;
mod values;

use sample::Sample;

/// Prints what a mask selects of a pod, or fails with what is wrong with it.
pub(crate) fn mask(args: &MaskArgs, out: &mut impl Write) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for mask in &args.masks {
        match mask.as_str() {
            "-" => lines.extend(lines_of(std::io::stdin())?),
            mask => lines.push(mask.to_owned()),
        }
    }
    let projection = Fields::parse_lines(lines.iter().map(String::as_str))
        .and_then(|fields| fields.without_identity().projection())
        .map_err(|error| {
            let text = faults::report(&lines, &error);
            Failure::Usage(format!("not a field mask{text}"))
        })?;
    let sample = match &args.pod {
        Some(path) => Sample::read(path)?,
        None => Sample::simulated()?,
    };
    let text = match args.output {
        MaskFormat::Json => json(&sample, &projection)?,
        MaskFormat::Text => text(&sample, &projection)?,
    };
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Reads the lines of a text; one that no mask can be as long as is read far enough to be refused.
fn lines_of(input: impl Read) -> Result<Vec<String>, Failure> {
    let mut text = Vec::new();
    input
        .take(MAX_MASK_BYTES as u64 * 2)
        .read_to_end(&mut text)
        .map_err(|error| Failure::Usage(format!("standard input cannot be read: {error}")))?;
    let text = String::from_utf8(text).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()]
            .split(|byte| *byte == b'\n')
            .count();
        Failure::Usage(format!("line {line} of standard input is not UTF-8"))
    })?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn selected(sample: &Sample, projection: &Projection) -> Result<Vec<u8>, Failure> {
    let mut part = Vec::new();
    projection
        .project(&sample.bytes, &mut part)
        .map_err(|error| Failure::Usage(format!("{}: {error}", sample.name)))?;
    Ok(part)
}

fn json(sample: &Sample, projection: &Projection) -> Result<String, Failure> {
    let part = selected(sample, projection)?;
    let value = decode(Schema::POD, &part)
        .map_err(|error| Failure::Usage(format!("{}: {error}", sample.name)))?;
    Ok(to_json_pretty(&whole_object("v1", "Pod", value)) + "\n")
}

fn text(sample: &Sample, projection: &Projection) -> Result<String, Failure> {
    let (before, after) = (sample.bytes.len(), selected(sample, projection)?.len());
    let canonical = match projection.to_string() {
        nothing if nothing.is_empty() => "(nothing)".to_owned(),
        canonical => canonical,
    };
    let mut facts = Table::new(&["MASK", ""]);
    let saved = saved_percent(before, after);
    let rows = [
        ["MASK", &canonical],
        ["POD", &sample.name],
        [
            "BYTES",
            &format!("{before} before, {after} after: {saved} saved"),
        ],
    ];
    rows.iter().for_each(|row| facts.fit(&row[..1]));
    let mut text: String = rows.iter().map(|row| facts.line(row)).collect();

    let headings = ["PATH", "BYTES", "VALUE"];
    let mut table = Table::new(&headings);
    let mut paths = Vec::new();
    for path in projection.paths() {
        paths.push(path_row(sample, path)?);
    }
    if paths.is_empty() {
        return Ok(text);
    }
    paths.iter().for_each(|row| table.fit(row));
    text.push('\n');
    text.push_str(&table.line(&headings));
    text.extend(paths.iter().map(|row| table.line(row)));
    Ok(text)
}

/// Returns a path, the bytes of what it selects alone, and the values.
fn path_row(sample: &Sample, path: String) -> Result<[String; 3], Failure> {
    let alone = Fields::parse(&path)
        .and_then(|fields| fields.without_identity().projection())
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let bytes = selected(sample, &alone)?.len().to_string();
    let values = values::at(&sample.value, &path);
    Ok([path, bytes, values.unwrap_or_else(|| "-".to_owned())])
}

/// Writes the saved part in percent with one decimal, rounded down so that 100 means all.
fn saved_percent(before: usize, after: usize) -> String {
    let thousandths = before
        .saturating_sub(after)
        .saturating_mul(1_000)
        .checked_div(before)
        .unwrap_or_default();
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_are_rounded_down() {
        assert_eq!(saved_percent(1_000, 1), "99.9 %");
        assert_eq!(saved_percent(100_000, 1), "99.9 %");
        assert_eq!(saved_percent(7, 0), "100.0 %");
        assert_eq!(saved_percent(7, 7), "0.0 %");
        assert_eq!(saved_percent(0, 0), "0.0 %");
    }

    #[test]
    fn lines_are_read_without_their_ends() {
        let lines = lines_of(&b"spec\r\n\nstatus"[..]).unwrap();
        assert_eq!(lines, ["spec", "", "status"]);
        let error = lines_of(&b"spec\n\xff"[..]).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}

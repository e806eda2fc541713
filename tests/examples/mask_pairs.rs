//! Writes random masks, pods and what the masks leave of them: `mask_pairs COUNT SEED`.
//!
//! Each of the three is written as its length in four bytes, little-endian, and its bytes.

use std::io::{self, BufWriter, Write};

use podsapi_tests::mask::{self, Choices, Oddities};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse());
    let (Some(Ok(count)), Some(Ok(first))) = (arguments.next(), arguments.next()) else {
        return Err(io::Error::other("expected two numbers: COUNT SEED"));
    };
    let mut out = BufWriter::new(io::stdout().lock());
    for pair in 0_u64..count {
        let mut choices = Choices::of_seed(u64::wrapping_add(first, pair));
        // Decoders do not agree on other fields in entries of maps: upb keeps the whole entry as an
        // unknown field.
        let records = mask::pod(&mut choices, Oddities::default());
        let targets = mask::targets(&mut choices, &records);
        let text = mask::mask(&mut choices, &targets);
        let pod = mask::bytes_of(&records);
        let mut left = Vec::new();
        mask::projection(&text)
            .project(&pod, &mut left)
            .map_err(io::Error::other)?;
        for part in [text.as_bytes(), &pod, &left] {
            let length = u32::try_from(part.len()).map_err(io::Error::other)?;
            out.write_all(&length.to_le_bytes())?;
            out.write_all(part)?;
        }
    }
    out.flush()
}

//! The two hashes by which kubelets make UIDs of what they print.

use md5::{Digest, Md5};

/// Hashes the parts one after the other with FNV-1a of 128 bits, as Go's `fnv.New128a` does.
pub(super) fn fnv1a(parts: &[&[u8]]) -> u128 {
    let bytes = parts.iter().copied().flatten();
    bytes.fold(FNV_OFFSET, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(FNV_PRIME)
    })
}

/// Hashes the parts one after the other with MD5, which tells pods apart here and protects nothing.
pub(super) fn md5(parts: &[&[u8]]) -> u128 {
    let mut hasher = Md5::new();
    for part in parts {
        hasher.update(part);
    }
    u128::from_be_bytes(hasher.finalize().into())
}

/// The offset basis and the prime of 128 bits of the Internet draft on FNV.
const FNV_OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const FNV_PRIME: u128 = (1 << 88) | 0x13b;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_of_known_texts_are_the_published_ones() {
        assert_eq!(fnv1a(&[]), FNV_OFFSET);
        assert_eq!(fnv1a(&[b"a"]), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(
            fnv1a(&[b"foo", b"bar"]),
            0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18
        );
        assert_eq!(md5(&[]), 0xd41d_8cd9_8f00_b204_e980_0998_ecf8_427e);
        assert_eq!(
            md5(&[b"a", b"bc"]),
            0x9001_5098_3cd2_4fb0_d696_3f7d_28e1_7f72
        );
    }
}

//! The metrics of the projections that are kept for field masks.

use podsapi_core::Counters;

use super::{COUNTER, GAUGE, page::Page};

/// Adds what the service counts about projections.
pub(super) fn projection_metrics(page: &mut Page, counters: &Counters) {
    let rows: [(&str, &str, &str, u64); 5] = [
        (
            "podsapi_projection_hits_total",
            COUNTER,
            "Masked pods that were there from an earlier answer or event.",
            counters.projection_hits,
        ),
        (
            "podsapi_projection_misses_total",
            COUNTER,
            "Masked pods that were computed.",
            counters.projection_misses,
        ),
        (
            "podsapi_projection_evictions_total",
            COUNTER,
            "Masks whose pods were dropped to make room for those of others.",
            counters.projection_evictions,
        ),
        (
            "podsapi_projection_masks",
            GAUGE,
            "Masks whose pods are kept.",
            counters.projection_masks,
        ),
        (
            "podsapi_projection_bytes",
            GAUGE,
            "Bytes that the kept masked pods take.",
            counters.projection_bytes,
        ),
    ];
    for (name, kind, help, value) in rows {
        page.single(name, kind, help, value);
    }
}

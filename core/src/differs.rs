//! Stub until the walk is merged.
use crate::project::Projection;

#[derive(Clone, Debug)]
pub(crate) struct Difference {}

#[derive(Clone, Debug)]
pub(crate) struct Selected {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Same,
    Differs,
    Compare,
}

impl Difference {
    pub(crate) fn between(_before: &[u8], _after: &[u8]) -> Self {
        Self {}
    }
    pub(crate) fn through(&self, _selected: &Selected) -> Seen {
        Seen::Compare
    }
}

impl Selected {
    pub(crate) fn of(_projection: &Projection) -> Self {
        Self {}
    }
}

//! The tokens of YAML.

use alloc::string::String;

/// One token; those of a kind without text are only told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Alias(String),
    Anchor(String),
    BlockEnd,
    BlockEntry,
    BlockMappingStart,
    BlockSequenceStart,
    DocumentEnd,
    DocumentStart,
    FlowEntry,
    FlowMappingEnd,
    FlowMappingStart,
    FlowSequenceEnd,
    FlowSequenceStart,
    Key,
    Scalar { text: String, plain: bool },
    StreamEnd,
    Tag { handle: String, suffix: String },
    TagDirective { handle: String, prefix: String },
    Value,
    Version { major: u8, minor: u8 },
}

//! Which fields of each pod a caller wants: checked before anything is asked, sent with the call.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use http::{HeaderName, HeaderValue};
use podsapi_core::{Code, FieldMask, MASK_BIN_HEADER, MASK_HEADER, MaskError, Projection, Status};
use podsapi_proto::field_mask;
use podsapi_proto::schema::Message;
use prost::Message as _;

/// The fields that a caller wants of each pod; all of them by default.
///
/// A mask names fields as their JSON does, separated by commas: `status.phase,status.podIPs`. The
/// pod's name, namespace and UID come along unless [`Fields::without_identity`] says not to.
///
/// # Examples
///
/// ```
/// use podsapi_client::Fields;
///
/// let fields = Fields::parse("status.podIPs, spec.containers.name")?.without_identity();
/// assert_eq!(fields, Fields::parse("spec.containers.*.name,status.pod_ips")?.without_identity());
///
/// let error = Fields::parse("status.podips").unwrap_err();
/// assert!(error.to_string().contains("did you mean \"podIPs\"?"));
/// # Ok::<(), podsapi_client::MaskError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    asked: Asked,
    anonymous: bool,
}

/// What was asked for, without the identity that may be added to it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Asked {
    /// A mask for servers to judge, with what this client knows of it.
    AsIs {
        text: String,
        known: Result<Projection, MaskError>,
    },
    Checked(Projection),
}

impl Default for Asked {
    fn default() -> Self {
        Self::Checked(Projection::all())
    }
}

impl Fields {
    /// Returns everything, as without a mask.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Returns name, namespace and UID.
    #[must_use]
    pub fn identity() -> Self {
        Self {
            asked: Asked::Checked(IDENTITY.clone()),
            anonymous: false,
        }
    }

    /// Returns the fields that a mask names; one that names none means everything.
    ///
    /// # Errors
    ///
    /// Every path of `mask` that is wrong, in the words that a server would use.
    pub fn parse(mask: &str) -> Result<Self, MaskError> {
        Self::parse_lines([mask])
    }

    /// Returns the fields that several masks name together.
    ///
    /// # Errors
    ///
    /// As [`Fields::parse`]; paths are counted through all lines.
    pub fn parse_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Self, MaskError> {
        let mut mask = FieldMask::default();
        for line in lines {
            add_line(line, &mut mask);
        }
        Self::of(&mask)
    }

    /// Returns the fields of a mask.
    ///
    /// # Errors
    ///
    /// As [`Fields::parse`].
    pub fn of(mask: &FieldMask) -> Result<Self, MaskError> {
        Ok(Self {
            asked: Asked::Checked(mask.compile(Message::POD)?),
            anonymous: false,
        })
    }

    /// Returns the fields that a mask names for a server that may know newer fields than this
    /// client: it is sent as it is, and what is wrong with it the server tells.
    ///
    /// Of a server that does not apply masks, fields that this client does not know cannot be
    /// asked: such a call fails with `INVALID_ARGUMENT`.
    #[must_use]
    pub fn unchecked(mask: impl Into<String>) -> Self {
        let text = mask.into();
        let mut mask = FieldMask::default();
        add_line(&text, &mut mask);
        let known = mask.compile(Message::POD);
        Self {
            asked: Asked::AsIs { text, known },
            anonymous: false,
        }
    }

    /// Leaves name, namespace and UID out unless the mask itself names them.
    ///
    /// A [`crate::Mirror`] cannot take such pods, and [`crate::Follow`] adds them all the same.
    #[must_use]
    pub fn without_identity(mut self) -> Self {
        self.anonymous = true;
        self
    }

    pub(crate) fn with_identity(mut self) -> Self {
        self.anonymous = false;
        self
    }

    /// Returns the header that asks a server for these fields and for `extra`; none for everything.
    pub(crate) fn header(
        &self,
        extra: Option<&'static Projection>,
    ) -> Result<Option<(HeaderName, HeaderValue)>, Status> {
        let added = extra.into_iter().chain(self.identity_to_add());
        let paths = match &self.asked {
            Asked::AsIs {
                known: Ok(selected),
                ..
            }
            | Asked::Checked(selected)
                if selected.is_all() =>
            {
                return Ok(None);
            }
            Asked::AsIs { text, .. } => {
                let added = added.flat_map(Projection::paths);
                std::iter::once(text.clone()).chain(added).collect()
            }
            Asked::Checked(selected) => added
                .fold(selected.clone(), |sum, more| sum.union(more))
                .paths(),
        };
        mask_header(&paths).map(Some)
    }

    /// Returns what is selected of each pod, identity included.
    ///
    /// # Errors
    ///
    /// The mask is unchecked, and names what this client does not know.
    pub fn projection(&self) -> Result<Projection, MaskError> {
        let selected = match &self.asked {
            Asked::AsIs { known, .. } => known.clone()?,
            Asked::Checked(selected) => selected.clone(),
        };
        Ok(self
            .identity_to_add()
            .fold(selected, |sum, more| sum.union(more)))
    }

    fn identity_to_add(&self) -> impl Iterator<Item = &'static Projection> {
        (!self.anonymous).then_some(&*IDENTITY).into_iter()
    }
}

/// Adds a line in the form in which it can be sent: characters beyond ASCII only travel encoded.
fn add_line(line: &str, mask: &mut FieldMask) {
    if line.is_ascii() {
        mask.add_text(line.as_bytes());
    } else {
        let paths = vec![line.to_owned()];
        mask.add_encoded(&field_mask::FieldMask { paths }.encode_to_vec());
    }
}

/// Writes paths as text where text can carry them, else encoded.
fn mask_header(paths: &[String]) -> Result<(HeaderName, HeaderValue), Status> {
    let text = match paths {
        // A mask that selects nothing must not look like none: this name selects nothing.
        [] => "kind".to_owned(),
        paths => paths.join(","),
    };
    let (name, value) = if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        (MASK_HEADER, HeaderValue::from_str(&text))
    } else {
        let paths = paths.to_vec();
        let encoded = field_mask::FieldMask { paths }.encode_to_vec();
        let text = STANDARD_NO_PAD.encode(encoded);
        (MASK_BIN_HEADER, HeaderValue::from_str(&text))
    };
    let value = value.map_err(|error| {
        let text = format!("the mask cannot be sent: {error}");
        Status::new(Code::InvalidArgument, text)
    })?;
    Ok((HeaderName::from_static(name), value))
}

/// What identifies a pod.
static IDENTITY: LazyLock<Projection> =
    LazyLock::new(|| own_mask("metadata.name,metadata.namespace,metadata.uid"));

/// What tells a deletion from other events in the dialect that has no word for it: the times of the
/// end, and that a pod that is there has a spec.
pub(crate) static DELETION_MARKS: LazyLock<Projection> = LazyLock::new(|| {
    own_mask(
        "metadata.uid,metadata.deletionTimestamp,metadata.deletionGracePeriodSeconds,spec.nodeName",
    )
});

/// Compiles a mask of our own; were it wrong, which tests exclude, more than needed would be asked.
fn own_mask(text: &str) -> Projection {
    let mask = FieldMask::parse(text).and_then(|mask| mask.compile(Message::POD));
    mask.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(fields: &Fields) -> (String, String) {
        let (name, value) = fields.header(None).unwrap().unwrap();
        (name.to_string(), value.to_str().unwrap().to_owned())
    }

    fn text(value: &str) -> (String, String) {
        (MASK_HEADER.to_owned(), value.to_owned())
    }

    #[test]
    fn our_own_masks_compile() {
        for mask in [&*IDENTITY, &*DELETION_MARKS] {
            assert!(!mask.is_all());
        }
    }

    #[test]
    fn a_mask_is_sent_in_its_canonical_form_with_the_identity() {
        let fields = Fields::parse("status.pod_ips,status.phase").unwrap();
        assert_eq!(
            sent(&fields),
            text("metadata.name,metadata.namespace,metadata.uid,status.phase,status.podIPs")
        );
        assert_eq!(
            sent(&fields.without_identity()),
            text("status.phase,status.podIPs")
        );
        assert_eq!(sent(&Fields::parse("metadata").unwrap()), text("metadata"));
    }

    #[test]
    fn everything_is_asked_without_a_header() {
        for fields in [
            Fields::all(),
            Fields::all().without_identity(),
            Fields::parse(" , ").unwrap(),
            Fields::parse("*,spec").unwrap(),
            Fields::unchecked(""),
        ] {
            assert_eq!(fields.header(Some(&IDENTITY)), Ok(None));
            assert_eq!(fields.projection(), Ok(Projection::all()));
        }
    }

    #[test]
    fn nothing_is_not_sent_as_everything() {
        let fields = Fields::parse("apiVersion").unwrap();
        assert_eq!(sent(&fields.clone().without_identity()), text("kind"));
        assert_eq!(fields.projection(), Ok(IDENTITY.clone()));
    }

    #[test]
    fn keys_that_are_not_ascii_travel_encoded() {
        let fields = Fields::parse("status.phase,metadata.labels.`größe`").unwrap();
        let (name, value) = sent(&fields.without_identity());
        assert_eq!(name, MASK_BIN_HEADER);
        let bytes = STANDARD_NO_PAD.decode(value).unwrap();
        assert_eq!(
            field_mask::FieldMask::decode(&*bytes).unwrap().paths,
            ["metadata.labels.`größe`", "status.phase"]
        );
    }

    #[test]
    fn an_unchecked_mask_is_sent_as_it_is_with_the_identity_behind() {
        let fields = Fields::unchecked("spec.newest, status.pod_ips");
        let identity = "metadata.name,metadata.namespace,metadata.uid";
        assert_eq!(
            sent(&fields),
            text(&format!("spec.newest, status.pod_ips,{identity}"))
        );
        let error = fields.projection().unwrap_err();
        assert_eq!(error.faults()[0].path(), "spec.newest");
        let control = Fields::unchecked("spec.a\n").without_identity();
        assert_eq!(sent(&control).0, MASK_BIN_HEADER);
    }

    #[test]
    fn limits_are_told_before_anything_is_sent() {
        let mask = "spec,".repeat(podsapi_core::MAX_PATHS + 1);
        let error = Fields::parse(&mask).unwrap_err().to_string();
        assert!(error.contains("at most 512 paths"), "{error}");
    }
}

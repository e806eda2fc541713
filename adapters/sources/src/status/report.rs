//! A status that somebody reported: decoded to be read, encoded to be kept.

use podsapi_proto::core_v1::{ContainerStatus, PodCondition, PodStatus};
use podsapi_proto::text::{decode, readable};
use prost::DecodeError;

use super::number;
use super::records::records;

/// One reported status.
#[derive(Clone, Debug, Default)]
pub(super) struct Report {
    pub(super) bytes: Vec<u8>,
    pub(super) status: PodStatus,
}

impl Report {
    pub(super) fn decode(bytes: Vec<u8>) -> Result<Self, DecodeError> {
        let status = decode(bytes.as_slice())?;
        Ok(Self { bytes, status })
    }

    /// Returns what was said of one container, in whichever list.
    pub(super) fn container(&self, name: &str) -> Option<&ContainerStatus> {
        let lists = [
            &self.status.container_statuses,
            &self.status.init_container_statuses,
            &self.status.ephemeral_container_statuses,
        ];
        let mut all = lists.into_iter().flatten();
        all.find(|status| status.name() == name)
    }

    /// Returns the bytes of what was said of one container, none when nothing was.
    pub(super) fn container_bytes(&self, name: &str) -> &[u8] {
        let lists = [
            number::CONTAINER_STATUSES,
            number::INIT_CONTAINER_STATUSES,
            number::EPHEMERAL_CONTAINER_STATUSES,
        ];
        let named = |payload: &[u8]| {
            let names = records(payload).filter(|record| record.number == number::CONTAINER_NAME);
            names
                .last()
                .is_some_and(|record| readable(record.payload) == name)
        };
        self.payload(|number, payload| lists.contains(&number) && named(payload))
    }

    /// Returns the condition of one type.
    pub(super) fn condition(&self, kind: &str) -> Option<&PodCondition> {
        let mut conditions = self.status.conditions.iter();
        conditions.find(|condition| condition.r#type() == kind)
    }

    /// Returns all conditions with their bytes.
    pub(super) fn condition_bytes(&self) -> impl Iterator<Item = (&PodCondition, &[u8])> {
        let payloads = records(&self.bytes);
        let payloads = payloads.filter(|record| record.number == number::CONDITIONS);
        let payloads = payloads.map(|record| record.payload);
        self.status.conditions.iter().zip(payloads)
    }

    fn payload(&self, wanted: impl Fn(u32, &[u8]) -> bool) -> &[u8] {
        records(&self.bytes)
            .find(|record| wanted(record.number, record.payload))
            .map_or(&[], |record| record.payload)
    }
}

//! The numbers of the fields that are looked at or replaced in encoded statuses.

/// `spec` of `Pod`.
pub(super) const POD_SPEC: u32 = 2;
/// `activeDeadlineSeconds` of `PodSpec`.
pub(super) const ACTIVE_DEADLINE: u32 = 5;

/// `status` of `Pod`.
pub(super) const POD_STATUS: u32 = 3;

/// `conditions` of `PodStatus`.
pub(super) const CONDITIONS: u32 = 2;
/// `message` of `PodStatus`.
pub(super) const MESSAGE: u32 = 3;
/// `reason` of `PodStatus`.
pub(super) const REASON: u32 = 4;
/// `containerStatuses` of `PodStatus`.
pub(super) const CONTAINER_STATUSES: u32 = 8;
/// `initContainerStatuses` of `PodStatus`.
pub(super) const INIT_CONTAINER_STATUSES: u32 = 10;
/// `ephemeralContainerStatuses` of `PodStatus`.
pub(super) const EPHEMERAL_CONTAINER_STATUSES: u32 = 13;
/// The fields of `PodStatus` that are decided here: phase, conditions, host and pod addresses,
/// start, statuses and class.
pub(super) const KNOWN_OF_PODS: [u32; 11] = [1, 2, 5, 6, 7, 8, 9, 10, 12, 13, 16];

/// `name` of `ContainerStatus`.
pub(super) const CONTAINER_NAME: u32 = 1;
/// `state` of `ContainerStatus`.
pub(super) const STATE: u32 = 2;
/// `lastState` of `ContainerStatus`.
pub(super) const LAST_STATE: u32 = 3;
/// The fields of `ContainerStatus` that are decided here: name, states, ready, restarts, image,
/// identities, started.
pub(super) const KNOWN_OF_CONTAINERS: [u32; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/// `allocatedResources` of `ContainerStatus`.
pub(super) const ALLOCATED: u32 = 10;
/// `resources` of `ContainerStatus`.
pub(super) const RESOURCES: u32 = 11;
/// `volumeMounts` of `ContainerStatus`.
pub(super) const VOLUME_MOUNTS: u32 = 12;
/// `user` of `ContainerStatus`.
pub(super) const USER: u32 = 13;

/// The fields of `PodCondition` that are decided here: all but the time of the last probe.
pub(super) const KNOWN_OF_CONDITIONS: [u32; 6] = [1, 2, 4, 5, 6, 7];

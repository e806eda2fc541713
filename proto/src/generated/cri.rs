//! Generated from `protos` by the test `regenerate`; not edited by hand.

/// Asks for versions.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct VersionRequest {
    /// The version of the caller, which runtimes ignore.
    #[prost(string, tag = "1")]
    pub version: ::prost::alloc::string::String,
}
/// The runtime's name and versions.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct VersionResponse {
    /// The version of the interface.
    #[prost(string, tag = "1")]
    pub version: ::prost::alloc::string::String,
    /// The name that container IDs are prefixed with, such as "containerd".
    #[prost(string, tag = "2")]
    pub runtime_name: ::prost::alloc::string::String,
    /// The version of the runtime.
    #[prost(string, tag = "3")]
    pub runtime_version: ::prost::alloc::string::String,
    /// The version of the interface as the runtime spells it.
    #[prost(string, tag = "4")]
    pub runtime_api_version: ::prost::alloc::string::String,
}
/// Asks for the runtime's health.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StatusRequest {}
/// The runtime's health.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct StatusResponse {
    /// What the runtime says.
    #[prost(message, optional, tag = "1")]
    pub status: ::core::option::Option<RuntimeStatus>,
}
/// The runtime's health, condition by condition.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct RuntimeStatus {
    /// RuntimeReady, NetworkReady and others.
    #[prost(message, repeated, tag = "1")]
    pub conditions: ::prost::alloc::vec::Vec<RuntimeCondition>,
}
/// One condition of the runtime.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct RuntimeCondition {
    /// What it is about.
    #[prost(string, tag = "1")]
    pub r#type: ::prost::alloc::string::String,
    /// Whether it holds.
    #[prost(bool, tag = "2")]
    pub status: bool,
    /// Why it does not, as one word.
    #[prost(string, tag = "3")]
    pub reason: ::prost::alloc::string::String,
    /// Why it does not, in words.
    #[prost(string, tag = "4")]
    pub message: ::prost::alloc::string::String,
}
/// What a sandbox is called.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodSandboxMetadata {
    /// The pod's name.
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    /// The pod's UID.
    #[prost(string, tag = "2")]
    pub uid: ::prost::alloc::string::String,
    /// The pod's namespace.
    #[prost(string, tag = "3")]
    pub namespace: ::prost::alloc::string::String,
    /// How many sandboxes the pod had before.
    #[prost(uint32, tag = "4")]
    pub attempt: u32,
}
/// Asks for every sandbox.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ListPodSandboxRequest {}
/// The sandboxes.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ListPodSandboxResponse {
    /// In no order.
    #[prost(message, repeated, tag = "1")]
    pub items: ::prost::alloc::vec::Vec<PodSandbox>,
}
/// A sandbox as lists show it.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodSandbox {
    /// The runtime's name for it.
    #[prost(string, tag = "1")]
    pub id: ::prost::alloc::string::String,
    /// The pod that it is of.
    #[prost(message, optional, tag = "2")]
    pub metadata: ::core::option::Option<PodSandboxMetadata>,
    /// Whether it works.
    #[prost(enumeration = "PodSandboxState", tag = "3")]
    pub state: i32,
    /// In nanoseconds since 1970.
    #[prost(int64, tag = "4")]
    pub created_at: i64,
    /// As they were given when it was made.
    #[prost(btree_map = "string, string", tag = "5")]
    pub labels: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// As they were given when it was made.
    #[prost(btree_map = "string, string", tag = "6")]
    pub annotations: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// The handler that runs it.
    #[prost(string, tag = "7")]
    pub runtime_handler: ::prost::alloc::string::String,
}
/// Asks for one sandbox.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodSandboxStatusRequest {
    /// Which.
    #[prost(string, tag = "1")]
    pub pod_sandbox_id: ::prost::alloc::string::String,
}
/// One sandbox.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodSandboxStatusResponse {
    /// The sandbox.
    #[prost(message, optional, tag = "1")]
    pub status: ::core::option::Option<PodSandboxStatus>,
}
/// A sandbox with its addresses.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodSandboxStatus {
    /// The runtime's name for it.
    #[prost(string, tag = "1")]
    pub id: ::prost::alloc::string::String,
    /// The pod that it is of.
    #[prost(message, optional, tag = "2")]
    pub metadata: ::core::option::Option<PodSandboxMetadata>,
    /// Whether it works.
    #[prost(enumeration = "PodSandboxState", tag = "3")]
    pub state: i32,
    /// In nanoseconds since 1970.
    #[prost(int64, tag = "4")]
    pub created_at: i64,
    /// Its addresses; absent when it has none.
    #[prost(message, optional, tag = "5")]
    pub network: ::core::option::Option<PodSandboxNetworkStatus>,
    /// What it shares with the node.
    #[prost(message, optional, tag = "6")]
    pub linux: ::core::option::Option<LinuxPodSandboxStatus>,
    /// As they were given when it was made.
    #[prost(btree_map = "string, string", tag = "7")]
    pub labels: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// As they were given when it was made.
    #[prost(btree_map = "string, string", tag = "8")]
    pub annotations: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// The handler that runs it.
    #[prost(string, tag = "9")]
    pub runtime_handler: ::prost::alloc::string::String,
}
/// The addresses of a sandbox.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodSandboxNetworkStatus {
    /// The first; empty when it has none.
    #[prost(string, tag = "1")]
    pub ip: ::prost::alloc::string::String,
    /// The others.
    #[prost(message, repeated, tag = "2")]
    pub additional_ips: ::prost::alloc::vec::Vec<PodIp>,
}
/// One address.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodIp {
    /// As text.
    #[prost(string, tag = "1")]
    pub ip: ::prost::alloc::string::String,
}
/// What is particular to Linux.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct LinuxPodSandboxStatus {
    /// The namespaces of the sandbox.
    #[prost(message, optional, tag = "1")]
    pub namespaces: ::core::option::Option<Namespace>,
}
/// Namespaces.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Namespace {
    /// How they are shared.
    #[prost(message, optional, tag = "2")]
    pub options: ::core::option::Option<NamespaceOption>,
}
/// How namespaces are shared.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct NamespaceOption {
    /// The network namespace; NODE for pods with hostNetwork.
    #[prost(enumeration = "NamespaceMode", tag = "1")]
    pub network: i32,
    /// The process namespace.
    #[prost(enumeration = "NamespaceMode", tag = "2")]
    pub pid: i32,
    /// The namespace of interprocess communication.
    #[prost(enumeration = "NamespaceMode", tag = "3")]
    pub ipc: i32,
    /// The other container of TARGET.
    #[prost(string, tag = "4")]
    pub target_id: ::prost::alloc::string::String,
}
/// What a container is called.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerMetadata {
    /// Its name in the pod.
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    /// How many containers of that name the pod had before.
    #[prost(uint32, tag = "2")]
    pub attempt: u32,
}
/// What an image is called.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ImageSpec {
    /// A name or an ID.
    #[prost(string, tag = "1")]
    pub image: ::prost::alloc::string::String,
    /// What the pod's author wrote.
    #[prost(string, tag = "18")]
    pub user_specified_image: ::prost::alloc::string::String,
}
/// Asks for every container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ListContainersRequest {}
/// The containers.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ListContainersResponse {
    /// In no order.
    #[prost(message, repeated, tag = "1")]
    pub containers: ::prost::alloc::vec::Vec<Container>,
}
/// A container as lists show it.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Container {
    /// The runtime's name for it.
    #[prost(string, tag = "1")]
    pub id: ::prost::alloc::string::String,
    /// The sandbox that it is in.
    #[prost(string, tag = "2")]
    pub pod_sandbox_id: ::prost::alloc::string::String,
    /// Its name and attempt.
    #[prost(message, optional, tag = "3")]
    pub metadata: ::core::option::Option<ContainerMetadata>,
    /// The image that was asked for.
    #[prost(message, optional, tag = "4")]
    pub image: ::core::option::Option<ImageSpec>,
    /// The image that is used, an ID or a digest.
    #[prost(string, tag = "5")]
    pub image_ref: ::prost::alloc::string::String,
    /// How far it is.
    #[prost(enumeration = "ContainerState", tag = "6")]
    pub state: i32,
    /// In nanoseconds since 1970.
    #[prost(int64, tag = "7")]
    pub created_at: i64,
    /// As they were given when it was made.
    #[prost(btree_map = "string, string", tag = "8")]
    pub labels: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// As they were given when it was made.
    #[prost(btree_map = "string, string", tag = "9")]
    pub annotations: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// The ID of the image that is used.
    #[prost(string, tag = "10")]
    pub image_id: ::prost::alloc::string::String,
}
/// Asks for one container.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerStatusRequest {
    /// Which.
    #[prost(string, tag = "1")]
    pub container_id: ::prost::alloc::string::String,
}
/// One container.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ContainerStatusResponse {
    /// The container.
    #[prost(message, optional, tag = "1")]
    pub status: ::core::option::Option<ContainerStatus>,
}
/// A container with its times and its end.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ContainerStatus {
    /// The runtime's name for it.
    #[prost(string, tag = "1")]
    pub id: ::prost::alloc::string::String,
    /// Its name and attempt.
    #[prost(message, optional, tag = "2")]
    pub metadata: ::core::option::Option<ContainerMetadata>,
    /// How far it is.
    #[prost(enumeration = "ContainerState", tag = "3")]
    pub state: i32,
    /// In nanoseconds since 1970.
    #[prost(int64, tag = "4")]
    pub created_at: i64,
    /// In nanoseconds since 1970; 0 before.
    #[prost(int64, tag = "5")]
    pub started_at: i64,
    /// In nanoseconds since 1970; 0 before.
    #[prost(int64, tag = "6")]
    pub finished_at: i64,
    /// How it ended.
    #[prost(int32, tag = "7")]
    pub exit_code: i32,
    /// The image by name.
    #[prost(message, optional, tag = "8")]
    pub image: ::core::option::Option<ImageSpec>,
    /// The image that is used, an ID or a digest.
    #[prost(string, tag = "9")]
    pub image_ref: ::prost::alloc::string::String,
    /// Why it is as it is, as one word.
    #[prost(string, tag = "10")]
    pub reason: ::prost::alloc::string::String,
    /// Why it is as it is, in words.
    #[prost(string, tag = "11")]
    pub message: ::prost::alloc::string::String,
    /// As they were given when it was made.
    #[prost(btree_map = "string, string", tag = "12")]
    pub labels: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// As they were given when it was made.
    #[prost(btree_map = "string, string", tag = "13")]
    pub annotations: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// What of the node's files it sees.
    #[prost(message, repeated, tag = "14")]
    pub mounts: ::prost::alloc::vec::Vec<Mount>,
    /// Where its log is, relative to the pod's folder of logs.
    #[prost(string, tag = "15")]
    pub log_path: ::prost::alloc::string::String,
    /// What it may use.
    #[prost(message, optional, tag = "16")]
    pub resources: ::core::option::Option<ContainerResources>,
    /// The ID of the image that is used.
    #[prost(string, tag = "17")]
    pub image_id: ::prost::alloc::string::String,
    /// As whom its first process was started.
    #[prost(message, optional, tag = "18")]
    pub user: ::core::option::Option<ContainerUser>,
}
/// What a container may use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerResources {
    /// On Linux.
    #[prost(message, optional, tag = "1")]
    pub linux: ::core::option::Option<LinuxContainerResources>,
}
/// As whom the first process of a container was started.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerUser {
    /// On Linux.
    #[prost(message, optional, tag = "1")]
    pub linux: ::core::option::Option<LinuxContainerUser>,
}
/// As whom the first process of a container was started, on Linux.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct LinuxContainerUser {
    /// The user.
    #[prost(int64, tag = "1")]
    pub uid: i64,
    /// The group.
    #[prost(int64, tag = "2")]
    pub gid: i64,
    /// The other groups.
    #[prost(int64, repeated, tag = "3")]
    pub supplemental_groups: ::prost::alloc::vec::Vec<i64>,
}
/// A part of the node's files inside a container.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Mount {
    /// Where the container sees it.
    #[prost(string, tag = "1")]
    pub container_path: ::prost::alloc::string::String,
    /// Where the node has it.
    #[prost(string, tag = "2")]
    pub host_path: ::prost::alloc::string::String,
    /// Whether the container may only read it.
    #[prost(bool, tag = "3")]
    pub readonly: bool,
}
/// Asks for events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct GetEventsRequest {}
/// One event.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerEventResponse {
    /// The container or the sandbox.
    #[prost(string, tag = "1")]
    pub container_id: ::prost::alloc::string::String,
    /// What happened to it.
    #[prost(enumeration = "ContainerEventType", tag = "2")]
    pub container_event_type: i32,
    /// In nanoseconds since 1970.
    #[prost(int64, tag = "3")]
    pub created_at: i64,
}
/// Asks for a sandbox to be made and started.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct RunPodSandboxRequest {
    /// What it is to be like.
    #[prost(message, optional, tag = "1")]
    pub config: ::core::option::Option<PodSandboxConfig>,
    /// The handler that is to run it; the runtime's default when empty.
    #[prost(string, tag = "2")]
    pub runtime_handler: ::prost::alloc::string::String,
}
/// A sandbox was started.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct RunPodSandboxResponse {
    /// The runtime's name for it.
    #[prost(string, tag = "1")]
    pub pod_sandbox_id: ::prost::alloc::string::String,
}
/// What a sandbox is to be like.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodSandboxConfig {
    /// The pod that it is of.
    #[prost(message, optional, tag = "1")]
    pub metadata: ::core::option::Option<PodSandboxMetadata>,
    /// The name of the host that the pod sees.
    #[prost(string, tag = "2")]
    pub hostname: ::prost::alloc::string::String,
    /// The node's folder for the logs of its containers.
    #[prost(string, tag = "3")]
    pub log_directory: ::prost::alloc::string::String,
    /// Handed back by lists.
    #[prost(btree_map = "string, string", tag = "6")]
    pub labels: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// Handed back by lists.
    #[prost(btree_map = "string, string", tag = "7")]
    pub annotations: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// What is particular to Linux.
    #[prost(message, optional, tag = "8")]
    pub linux: ::core::option::Option<LinuxPodSandboxConfig>,
}
/// What a sandbox is to be like on Linux.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct LinuxPodSandboxConfig {
    /// The control group that holds the pod's.
    #[prost(string, tag = "1")]
    pub cgroup_parent: ::prost::alloc::string::String,
    /// What it shares with the node.
    #[prost(message, optional, tag = "2")]
    pub security_context: ::core::option::Option<LinuxSandboxSecurityContext>,
}
/// What a sandbox shares with the node.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct LinuxSandboxSecurityContext {
    /// Its namespaces.
    #[prost(message, optional, tag = "1")]
    pub namespace_options: ::core::option::Option<NamespaceOption>,
}
/// Asks for a sandbox to be stopped.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StopPodSandboxRequest {
    /// Which.
    #[prost(string, tag = "1")]
    pub pod_sandbox_id: ::prost::alloc::string::String,
}
/// A sandbox was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StopPodSandboxResponse {}
/// Asks for a sandbox to be removed.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct RemovePodSandboxRequest {
    /// Which.
    #[prost(string, tag = "1")]
    pub pod_sandbox_id: ::prost::alloc::string::String,
}
/// A sandbox was removed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct RemovePodSandboxResponse {}
/// Asks for a container to be made.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct CreateContainerRequest {
    /// In which sandbox.
    #[prost(string, tag = "1")]
    pub pod_sandbox_id: ::prost::alloc::string::String,
    /// What it is to be like.
    #[prost(message, optional, tag = "2")]
    pub config: ::core::option::Option<ContainerConfig>,
    /// What the sandbox is like.
    #[prost(message, optional, tag = "3")]
    pub sandbox_config: ::core::option::Option<PodSandboxConfig>,
}
/// A container was made.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct CreateContainerResponse {
    /// The runtime's name for it.
    #[prost(string, tag = "1")]
    pub container_id: ::prost::alloc::string::String,
}
/// What a container is to be like.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ContainerConfig {
    /// Its name and attempt.
    #[prost(message, optional, tag = "1")]
    pub metadata: ::core::option::Option<ContainerMetadata>,
    /// Its image.
    #[prost(message, optional, tag = "2")]
    pub image: ::core::option::Option<ImageSpec>,
    /// What it runs.
    #[prost(string, repeated, tag = "3")]
    pub command: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// With which arguments.
    #[prost(string, repeated, tag = "4")]
    pub args: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// What of the node's files it sees.
    #[prost(message, repeated, tag = "7")]
    pub mounts: ::prost::alloc::vec::Vec<Mount>,
    /// Handed back by lists.
    #[prost(btree_map = "string, string", tag = "9")]
    pub labels: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// Handed back by lists.
    #[prost(btree_map = "string, string", tag = "10")]
    pub annotations: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    /// Where its log is to be, relative to the pod's folder of logs.
    #[prost(string, tag = "11")]
    pub log_path: ::prost::alloc::string::String,
    /// What is particular to Linux.
    #[prost(message, optional, tag = "15")]
    pub linux: ::core::option::Option<LinuxContainerConfig>,
}
/// What a container is to be like on Linux.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct LinuxContainerConfig {
    /// What it may use.
    #[prost(message, optional, tag = "1")]
    pub resources: ::core::option::Option<LinuxContainerResources>,
    /// What it shares.
    #[prost(message, optional, tag = "2")]
    pub security_context: ::core::option::Option<LinuxContainerSecurityContext>,
}
/// What a container may use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct LinuxContainerResources {
    /// How long a period of CPU time is, in microseconds.
    #[prost(int64, tag = "1")]
    pub cpu_period: i64,
    /// How much of each period it may use, in microseconds; -1 for all.
    #[prost(int64, tag = "2")]
    pub cpu_quota: i64,
    /// Its share of the CPUs against others'; 1,024 for one CPU.
    #[prost(int64, tag = "3")]
    pub cpu_shares: i64,
    /// Memory, in bytes; more is its end.
    #[prost(int64, tag = "4")]
    pub memory_limit_in_bytes: i64,
}
/// What a container shares.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct LinuxContainerSecurityContext {
    /// Its namespaces.
    #[prost(message, optional, tag = "3")]
    pub namespace_options: ::core::option::Option<NamespaceOption>,
}
/// Asks for a container to be started.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StartContainerRequest {
    /// Which.
    #[prost(string, tag = "1")]
    pub container_id: ::prost::alloc::string::String,
}
/// A container was started.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StartContainerResponse {}
/// Asks for a container to be stopped.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StopContainerRequest {
    /// Which.
    #[prost(string, tag = "1")]
    pub container_id: ::prost::alloc::string::String,
    /// How many seconds it has before it is killed.
    #[prost(int64, tag = "2")]
    pub timeout: i64,
}
/// A container was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StopContainerResponse {}
/// Asks for a container to be removed.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct RemoveContainerRequest {
    /// Which.
    #[prost(string, tag = "1")]
    pub container_id: ::prost::alloc::string::String,
}
/// A container was removed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct RemoveContainerResponse {}
/// Whether a sandbox works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
pub enum PodSandboxState {
    /// It does.
    SandboxReady = 0,
    /// It was stopped, or it died.
    SandboxNotready = 1,
}
impl PodSandboxState {
    /// String value of the enum field names used in the ProtoBuf definition.
    ///
    /// The values are not transformed in any way and thus are considered stable
    /// (if the ProtoBuf definition does not change) and safe for programmatic use.
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::SandboxReady => "SANDBOX_READY",
            Self::SandboxNotready => "SANDBOX_NOTREADY",
        }
    }
    /// Creates an enum from field names used in the ProtoBuf definition.
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "SANDBOX_READY" => Some(Self::SandboxReady),
            "SANDBOX_NOTREADY" => Some(Self::SandboxNotready),
            _ => None,
        }
    }
}
/// Whose namespace is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
pub enum NamespaceMode {
    /// One of the pod.
    Pod = 0,
    /// One of the container.
    Container = 1,
    /// The node's.
    Node = 2,
    /// That of another container.
    Target = 3,
}
impl NamespaceMode {
    /// String value of the enum field names used in the ProtoBuf definition.
    ///
    /// The values are not transformed in any way and thus are considered stable
    /// (if the ProtoBuf definition does not change) and safe for programmatic use.
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::Pod => "POD",
            Self::Container => "CONTAINER",
            Self::Node => "NODE",
            Self::Target => "TARGET",
        }
    }
    /// Creates an enum from field names used in the ProtoBuf definition.
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "POD" => Some(Self::Pod),
            "CONTAINER" => Some(Self::Container),
            "NODE" => Some(Self::Node),
            "TARGET" => Some(Self::Target),
            _ => None,
        }
    }
}
/// How far a container is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
pub enum ContainerState {
    /// Made, not started.
    ContainerCreated = 0,
    /// Running.
    ContainerRunning = 1,
    /// At its end.
    ContainerExited = 2,
    /// The runtime does not know.
    ContainerUnknown = 3,
}
impl ContainerState {
    /// String value of the enum field names used in the ProtoBuf definition.
    ///
    /// The values are not transformed in any way and thus are considered stable
    /// (if the ProtoBuf definition does not change) and safe for programmatic use.
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::ContainerCreated => "CONTAINER_CREATED",
            Self::ContainerRunning => "CONTAINER_RUNNING",
            Self::ContainerExited => "CONTAINER_EXITED",
            Self::ContainerUnknown => "CONTAINER_UNKNOWN",
        }
    }
    /// Creates an enum from field names used in the ProtoBuf definition.
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "CONTAINER_CREATED" => Some(Self::ContainerCreated),
            "CONTAINER_RUNNING" => Some(Self::ContainerRunning),
            "CONTAINER_EXITED" => Some(Self::ContainerExited),
            "CONTAINER_UNKNOWN" => Some(Self::ContainerUnknown),
            _ => None,
        }
    }
}
/// What happened to a container or a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
pub enum ContainerEventType {
    /// It was made.
    ContainerCreatedEvent = 0,
    /// It was started.
    ContainerStartedEvent = 1,
    /// It came to its end.
    ContainerStoppedEvent = 2,
    /// It was removed.
    ContainerDeletedEvent = 3,
}
impl ContainerEventType {
    /// String value of the enum field names used in the ProtoBuf definition.
    ///
    /// The values are not transformed in any way and thus are considered stable
    /// (if the ProtoBuf definition does not change) and safe for programmatic use.
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::ContainerCreatedEvent => "CONTAINER_CREATED_EVENT",
            Self::ContainerStartedEvent => "CONTAINER_STARTED_EVENT",
            Self::ContainerStoppedEvent => "CONTAINER_STOPPED_EVENT",
            Self::ContainerDeletedEvent => "CONTAINER_DELETED_EVENT",
        }
    }
    /// Creates an enum from field names used in the ProtoBuf definition.
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "CONTAINER_CREATED_EVENT" => Some(Self::ContainerCreatedEvent),
            "CONTAINER_STARTED_EVENT" => Some(Self::ContainerStartedEvent),
            "CONTAINER_STOPPED_EVENT" => Some(Self::ContainerStoppedEvent),
            "CONTAINER_DELETED_EVENT" => Some(Self::ContainerDeletedEvent),
            _ => None,
        }
    }
}

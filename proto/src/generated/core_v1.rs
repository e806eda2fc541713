//! Generated from `protos` by the test `regenerate`; not edited by hand.

#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct AwsElasticBlockStoreVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub volume_id: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "3")]
    pub partition: ::core::option::Option<i32>,
    #[prost(bool, optional, tag = "4")]
    pub read_only: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Affinity {
    #[prost(message, optional, tag = "1")]
    pub node_affinity: ::core::option::Option<NodeAffinity>,
    #[prost(message, optional, tag = "2")]
    pub pod_affinity: ::core::option::Option<PodAffinity>,
    #[prost(message, optional, tag = "3")]
    pub pod_anti_affinity: ::core::option::Option<PodAntiAffinity>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct AppArmorProfile {
    #[prost(string, optional, tag = "1")]
    pub r#type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub localhost_profile: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct AzureDiskVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub disk_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub disk_uri: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub caching_mode: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "5")]
    pub read_only: ::core::option::Option<bool>,
    #[prost(string, optional, tag = "6")]
    pub kind: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct AzureFileVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub secret_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub share_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "3")]
    pub read_only: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct CsiVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub driver: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "2")]
    pub read_only: ::core::option::Option<bool>,
    #[prost(string, optional, tag = "3")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(btree_map = "string, string", tag = "4")]
    pub volume_attributes: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    #[prost(message, optional, tag = "5")]
    pub node_publish_secret_ref: ::core::option::Option<LocalObjectReference>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Capabilities {
    #[prost(string, repeated, tag = "1")]
    pub add: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "2")]
    pub drop: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct CephFsVolumeSource {
    #[prost(string, repeated, tag = "1")]
    pub monitors: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub user: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub secret_file: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "5")]
    pub secret_ref: ::core::option::Option<LocalObjectReference>,
    #[prost(bool, optional, tag = "6")]
    pub read_only: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct CinderVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub volume_id: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "3")]
    pub read_only: ::core::option::Option<bool>,
    #[prost(message, optional, tag = "4")]
    pub secret_ref: ::core::option::Option<LocalObjectReference>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ClaimSource {
    #[prost(string, optional, tag = "1")]
    pub resource_claim_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub resource_claim_template_name: ::core::option::Option<
        ::prost::alloc::string::String,
    >,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ClusterTrustBundleProjection {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub signer_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "3")]
    pub label_selector: ::core::option::Option<crate::meta_v1::LabelSelector>,
    #[prost(string, optional, tag = "4")]
    pub path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "5")]
    pub optional: ::core::option::Option<bool>,
    #[prost(int64, optional, tag = "6")]
    pub user: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ConfigMapEnvSource {
    #[prost(message, optional, tag = "1")]
    pub local_object_reference: ::core::option::Option<LocalObjectReference>,
    #[prost(bool, optional, tag = "2")]
    pub optional: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ConfigMapKeySelector {
    #[prost(message, optional, tag = "1")]
    pub local_object_reference: ::core::option::Option<LocalObjectReference>,
    #[prost(string, optional, tag = "2")]
    pub key: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "3")]
    pub optional: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ConfigMapProjection {
    #[prost(message, optional, tag = "1")]
    pub local_object_reference: ::core::option::Option<LocalObjectReference>,
    #[prost(message, repeated, tag = "2")]
    pub items: ::prost::alloc::vec::Vec<KeyToPath>,
    #[prost(bool, optional, tag = "4")]
    pub optional: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ConfigMapVolumeSource {
    #[prost(message, optional, tag = "1")]
    pub local_object_reference: ::core::option::Option<LocalObjectReference>,
    #[prost(message, repeated, tag = "2")]
    pub items: ::prost::alloc::vec::Vec<KeyToPath>,
    #[prost(int32, optional, tag = "3")]
    pub default_mode: ::core::option::Option<i32>,
    #[prost(bool, optional, tag = "4")]
    pub optional: ::core::option::Option<bool>,
    #[prost(int64, optional, tag = "5")]
    pub default_user: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Container {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub image: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "3")]
    pub command: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "4")]
    pub args: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "5")]
    pub working_dir: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "6")]
    pub ports: ::prost::alloc::vec::Vec<ContainerPort>,
    #[prost(message, repeated, tag = "7")]
    pub env: ::prost::alloc::vec::Vec<EnvVar>,
    #[prost(message, optional, tag = "8")]
    pub resources: ::core::option::Option<ResourceRequirements>,
    #[prost(message, repeated, tag = "9")]
    pub volume_mounts: ::prost::alloc::vec::Vec<VolumeMount>,
    #[prost(message, optional, tag = "10")]
    pub liveness_probe: ::core::option::Option<Probe>,
    #[prost(message, optional, tag = "11")]
    pub readiness_probe: ::core::option::Option<Probe>,
    #[prost(message, optional, tag = "12")]
    pub lifecycle: ::core::option::Option<Lifecycle>,
    #[prost(string, optional, tag = "13")]
    pub termination_message_path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "14")]
    pub image_pull_policy: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "15")]
    pub security_context: ::core::option::Option<SecurityContext>,
    #[prost(bool, optional, tag = "16")]
    pub stdin: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "17")]
    pub stdin_once: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "18")]
    pub tty: ::core::option::Option<bool>,
    #[prost(message, repeated, tag = "19")]
    pub env_from: ::prost::alloc::vec::Vec<EnvFromSource>,
    #[prost(string, optional, tag = "20")]
    pub termination_message_policy: ::core::option::Option<
        ::prost::alloc::string::String,
    >,
    #[prost(message, repeated, tag = "21")]
    pub volume_devices: ::prost::alloc::vec::Vec<VolumeDevice>,
    #[prost(message, optional, tag = "22")]
    pub startup_probe: ::core::option::Option<Probe>,
    #[prost(message, repeated, tag = "23")]
    pub resize_policy: ::prost::alloc::vec::Vec<ContainerResizePolicy>,
    #[prost(string, optional, tag = "24")]
    pub restart_policy: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "25")]
    pub restart_policy_rules: ::prost::alloc::vec::Vec<ContainerRestartRule>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerExtendedResourceRequest {
    #[prost(string, optional, tag = "1")]
    pub container_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub resource_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub request_name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerPort {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "2")]
    pub host_port: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub container_port: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "4")]
    pub protocol: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "5")]
    pub host_ip: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerResizePolicy {
    #[prost(string, optional, tag = "1")]
    pub resource_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub restart_policy: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerRestartRule {
    #[prost(string, optional, tag = "1")]
    pub action: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "2")]
    pub exit_codes: ::core::option::Option<ContainerRestartRuleOnExitCodes>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerRestartRuleOnExitCodes {
    #[prost(string, optional, tag = "1")]
    pub operator: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, repeated, packed = "false", tag = "2")]
    pub values: ::prost::alloc::vec::Vec<i32>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerState {
    #[prost(message, optional, tag = "1")]
    pub waiting: ::core::option::Option<ContainerStateWaiting>,
    #[prost(message, optional, tag = "2")]
    pub running: ::core::option::Option<ContainerStateRunning>,
    #[prost(message, optional, tag = "3")]
    pub terminated: ::core::option::Option<ContainerStateTerminated>,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerStateRunning {
    #[prost(message, optional, tag = "1")]
    pub started_at: ::core::option::Option<crate::meta_v1::Time>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerStateTerminated {
    #[prost(int32, optional, tag = "1")]
    pub exit_code: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub signal: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "3")]
    pub reason: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub message: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "5")]
    pub started_at: ::core::option::Option<crate::meta_v1::Time>,
    #[prost(message, optional, tag = "6")]
    pub finished_at: ::core::option::Option<crate::meta_v1::Time>,
    #[prost(string, optional, tag = "7")]
    pub container_id: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerStateWaiting {
    #[prost(string, optional, tag = "1")]
    pub reason: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub message: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ContainerStatus {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "2")]
    pub state: ::core::option::Option<ContainerState>,
    #[prost(message, optional, tag = "3")]
    pub last_state: ::core::option::Option<ContainerState>,
    #[prost(bool, optional, tag = "4")]
    pub ready: ::core::option::Option<bool>,
    #[prost(int32, optional, tag = "5")]
    pub restart_count: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "6")]
    pub image: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "7")]
    pub image_id: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "8")]
    pub container_id: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "9")]
    pub started: ::core::option::Option<bool>,
    #[prost(btree_map = "string, message", tag = "10")]
    pub allocated_resources: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        crate::resource::Quantity,
    >,
    #[prost(message, optional, tag = "11")]
    pub resources: ::core::option::Option<ResourceRequirements>,
    #[prost(message, repeated, tag = "12")]
    pub volume_mounts: ::prost::alloc::vec::Vec<VolumeMountStatus>,
    #[prost(message, optional, tag = "13")]
    pub user: ::core::option::Option<ContainerUser>,
    #[prost(message, repeated, tag = "14")]
    pub allocated_resources_status: ::prost::alloc::vec::Vec<ResourceStatus>,
    #[prost(string, optional, tag = "15")]
    pub stop_signal: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContainerUser {
    #[prost(message, optional, tag = "1")]
    pub linux: ::core::option::Option<LinuxContainerUser>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct DownwardApiProjection {
    #[prost(message, repeated, tag = "1")]
    pub items: ::prost::alloc::vec::Vec<DownwardApiVolumeFile>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct DownwardApiVolumeFile {
    #[prost(string, optional, tag = "1")]
    pub path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "2")]
    pub field_ref: ::core::option::Option<ObjectFieldSelector>,
    #[prost(message, optional, tag = "3")]
    pub resource_field_ref: ::core::option::Option<ResourceFieldSelector>,
    #[prost(int32, optional, tag = "4")]
    pub mode: ::core::option::Option<i32>,
    #[prost(int64, optional, tag = "5")]
    pub user: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct DownwardApiVolumeSource {
    #[prost(message, repeated, tag = "1")]
    pub items: ::prost::alloc::vec::Vec<DownwardApiVolumeFile>,
    #[prost(int32, optional, tag = "2")]
    pub default_mode: ::core::option::Option<i32>,
    #[prost(int64, optional, tag = "3")]
    pub default_user: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct EmptyDirVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub medium: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "2")]
    pub size_limit: ::core::option::Option<crate::resource::Quantity>,
    #[prost(int32, optional, tag = "3")]
    pub mode: ::core::option::Option<i32>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct EnvFromSource {
    #[prost(string, optional, tag = "1")]
    pub prefix: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "2")]
    pub config_map_ref: ::core::option::Option<ConfigMapEnvSource>,
    #[prost(message, optional, tag = "3")]
    pub secret_ref: ::core::option::Option<SecretEnvSource>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct EnvVar {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub value: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "3")]
    pub value_from: ::core::option::Option<EnvVarSource>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct EnvVarSource {
    #[prost(message, optional, tag = "1")]
    pub field_ref: ::core::option::Option<ObjectFieldSelector>,
    #[prost(message, optional, tag = "2")]
    pub resource_field_ref: ::core::option::Option<ResourceFieldSelector>,
    #[prost(message, optional, tag = "3")]
    pub config_map_key_ref: ::core::option::Option<ConfigMapKeySelector>,
    #[prost(message, optional, tag = "4")]
    pub secret_key_ref: ::core::option::Option<SecretKeySelector>,
    #[prost(message, optional, tag = "5")]
    pub file_key_ref: ::core::option::Option<FileKeySelector>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct EphemeralContainer {
    #[prost(message, optional, tag = "1")]
    pub ephemeral_container_common: ::core::option::Option<EphemeralContainerCommon>,
    #[prost(string, optional, tag = "2")]
    pub target_container_name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct EphemeralContainerCommon {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub image: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "3")]
    pub command: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "4")]
    pub args: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "5")]
    pub working_dir: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "6")]
    pub ports: ::prost::alloc::vec::Vec<ContainerPort>,
    #[prost(message, repeated, tag = "7")]
    pub env: ::prost::alloc::vec::Vec<EnvVar>,
    #[prost(message, optional, tag = "8")]
    pub resources: ::core::option::Option<ResourceRequirements>,
    #[prost(message, repeated, tag = "9")]
    pub volume_mounts: ::prost::alloc::vec::Vec<VolumeMount>,
    #[prost(message, optional, tag = "10")]
    pub liveness_probe: ::core::option::Option<Probe>,
    #[prost(message, optional, tag = "11")]
    pub readiness_probe: ::core::option::Option<Probe>,
    #[prost(message, optional, tag = "12")]
    pub lifecycle: ::core::option::Option<Lifecycle>,
    #[prost(string, optional, tag = "13")]
    pub termination_message_path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "14")]
    pub image_pull_policy: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "15")]
    pub security_context: ::core::option::Option<SecurityContext>,
    #[prost(bool, optional, tag = "16")]
    pub stdin: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "17")]
    pub stdin_once: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "18")]
    pub tty: ::core::option::Option<bool>,
    #[prost(message, repeated, tag = "19")]
    pub env_from: ::prost::alloc::vec::Vec<EnvFromSource>,
    #[prost(string, optional, tag = "20")]
    pub termination_message_policy: ::core::option::Option<
        ::prost::alloc::string::String,
    >,
    #[prost(message, repeated, tag = "21")]
    pub volume_devices: ::prost::alloc::vec::Vec<VolumeDevice>,
    #[prost(message, optional, tag = "22")]
    pub startup_probe: ::core::option::Option<Probe>,
    #[prost(message, repeated, tag = "23")]
    pub resize_policy: ::prost::alloc::vec::Vec<ContainerResizePolicy>,
    #[prost(string, optional, tag = "24")]
    pub restart_policy: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "25")]
    pub restart_policy_rules: ::prost::alloc::vec::Vec<ContainerRestartRule>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct EphemeralVolumeSource {
    #[prost(message, optional, tag = "1")]
    pub volume_claim_template: ::core::option::Option<PersistentVolumeClaimTemplate>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct EvictionResponder {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "2")]
    pub priority: ::core::option::Option<i32>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ExecAction {
    #[prost(string, repeated, tag = "1")]
    pub command: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct FcVolumeSource {
    #[prost(string, repeated, tag = "1")]
    pub target_ww_ns: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "2")]
    pub lun: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "3")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "4")]
    pub read_only: ::core::option::Option<bool>,
    #[prost(string, repeated, tag = "5")]
    pub wwids: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct FileKeySelector {
    #[prost(string, optional, tag = "1")]
    pub volume_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub key: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "4")]
    pub optional: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct FlexVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub driver: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "3")]
    pub secret_ref: ::core::option::Option<LocalObjectReference>,
    #[prost(bool, optional, tag = "4")]
    pub read_only: ::core::option::Option<bool>,
    #[prost(btree_map = "string, string", tag = "5")]
    pub options: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct FlockerVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub dataset_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub dataset_uuid: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct GcePersistentDiskVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub pd_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "3")]
    pub partition: ::core::option::Option<i32>,
    #[prost(bool, optional, tag = "4")]
    pub read_only: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct GrpcAction {
    #[prost(int32, optional, tag = "1")]
    pub port: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "2")]
    pub service: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub mode: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct GitRepoVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub repository: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub revision: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub directory: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct GlusterfsVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub endpoints: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "3")]
    pub read_only: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct HttpGetAction {
    #[prost(string, optional, tag = "1")]
    pub path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "2")]
    pub port: ::core::option::Option<crate::intstr::IntOrString>,
    #[prost(string, optional, tag = "3")]
    pub host: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub scheme: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "5")]
    pub http_headers: ::prost::alloc::vec::Vec<HttpHeader>,
    #[prost(string, optional, tag = "6")]
    pub protocol: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct HttpHeader {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub value: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct HostAlias {
    #[prost(string, optional, tag = "1")]
    pub ip: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "2")]
    pub hostnames: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct HostIp {
    #[prost(string, optional, tag = "1")]
    pub ip: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct HostPathVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub r#type: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct IscsiVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub target_portal: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub iqn: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "3")]
    pub lun: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "4")]
    pub iscsi_interface: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "5")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "6")]
    pub read_only: ::core::option::Option<bool>,
    #[prost(string, repeated, tag = "7")]
    pub portals: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "8")]
    pub chap_auth_discovery: ::core::option::Option<bool>,
    #[prost(message, optional, tag = "10")]
    pub secret_ref: ::core::option::Option<LocalObjectReference>,
    #[prost(bool, optional, tag = "11")]
    pub chap_auth_session: ::core::option::Option<bool>,
    #[prost(string, optional, tag = "12")]
    pub initiator_name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ImageVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub reference: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub pull_policy: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ImageVolumeStatus {
    #[prost(string, optional, tag = "1")]
    pub image_ref: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct KeyToPath {
    #[prost(string, optional, tag = "1")]
    pub key: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "3")]
    pub mode: ::core::option::Option<i32>,
    #[prost(int64, optional, tag = "4")]
    pub user: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Lifecycle {
    #[prost(message, optional, tag = "1")]
    pub post_start: ::core::option::Option<LifecycleHandler>,
    #[prost(message, optional, tag = "2")]
    pub pre_stop: ::core::option::Option<LifecycleHandler>,
    #[prost(string, optional, tag = "3")]
    pub stop_signal: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct LifecycleHandler {
    #[prost(message, optional, tag = "1")]
    pub exec: ::core::option::Option<ExecAction>,
    #[prost(message, optional, tag = "2")]
    pub http_get: ::core::option::Option<HttpGetAction>,
    #[prost(message, optional, tag = "3")]
    pub tcp_socket: ::core::option::Option<TcpSocketAction>,
    #[prost(message, optional, tag = "4")]
    pub sleep: ::core::option::Option<SleepAction>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct LinuxContainerUser {
    #[prost(int64, optional, tag = "1")]
    pub uid: ::core::option::Option<i64>,
    #[prost(int64, optional, tag = "2")]
    pub gid: ::core::option::Option<i64>,
    #[prost(int64, repeated, packed = "false", tag = "3")]
    pub supplemental_groups: ::prost::alloc::vec::Vec<i64>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct LocalObjectReference {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct NfsVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub server: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "3")]
    pub read_only: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NodeAffinity {
    #[prost(message, optional, tag = "1")]
    pub required_during_scheduling_ignored_during_execution: ::core::option::Option<
        NodeSelector,
    >,
    #[prost(message, repeated, tag = "2")]
    pub preferred_during_scheduling_ignored_during_execution: ::prost::alloc::vec::Vec<
        PreferredSchedulingTerm,
    >,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct NodeAllocatableMappedResources {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "2")]
    pub quantity: ::core::option::Option<crate::resource::Quantity>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct NodeAllocatableOverheadResources {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "2")]
    pub per_pod: ::core::option::Option<crate::resource::Quantity>,
    #[prost(message, optional, tag = "3")]
    pub per_container: ::core::option::Option<crate::resource::Quantity>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NodeAllocatableResourceClaimStatus {
    #[prost(string, optional, tag = "1")]
    pub resource_claim_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "2")]
    pub containers: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(btree_map = "string, message", tag = "3")]
    pub resources: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        crate::resource::Quantity,
    >,
    #[prost(message, repeated, tag = "4")]
    pub mapping: ::prost::alloc::vec::Vec<NodeAllocatableMappedResources>,
    #[prost(message, repeated, tag = "5")]
    pub overhead: ::prost::alloc::vec::Vec<NodeAllocatableOverheadResources>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NodeSelector {
    #[prost(message, repeated, tag = "1")]
    pub node_selector_terms: ::prost::alloc::vec::Vec<NodeSelectorTerm>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct NodeSelectorRequirement {
    #[prost(string, optional, tag = "1")]
    pub key: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub operator: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "3")]
    pub values: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NodeSelectorTerm {
    #[prost(message, repeated, tag = "1")]
    pub match_expressions: ::prost::alloc::vec::Vec<NodeSelectorRequirement>,
    #[prost(message, repeated, tag = "2")]
    pub match_fields: ::prost::alloc::vec::Vec<NodeSelectorRequirement>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ObjectFieldSelector {
    #[prost(string, optional, tag = "1")]
    pub api_version: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub field_path: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PersistentVolumeClaimSpec {
    #[prost(string, repeated, tag = "1")]
    pub access_modes: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "2")]
    pub resources: ::core::option::Option<VolumeResourceRequirements>,
    #[prost(string, optional, tag = "3")]
    pub volume_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "4")]
    pub selector: ::core::option::Option<crate::meta_v1::LabelSelector>,
    #[prost(string, optional, tag = "5")]
    pub storage_class_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub volume_mode: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "7")]
    pub data_source: ::core::option::Option<TypedLocalObjectReference>,
    #[prost(message, optional, tag = "8")]
    pub data_source_ref: ::core::option::Option<TypedObjectReference>,
    #[prost(string, optional, tag = "9")]
    pub volume_attributes_class_name: ::core::option::Option<
        ::prost::alloc::string::String,
    >,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PersistentVolumeClaimTemplate {
    #[prost(message, optional, tag = "1")]
    pub metadata: ::core::option::Option<crate::meta_v1::ObjectMeta>,
    #[prost(message, optional, tag = "2")]
    pub spec: ::core::option::Option<PersistentVolumeClaimSpec>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PersistentVolumeClaimVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub claim_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "2")]
    pub read_only: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PhotonPersistentDiskVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub pd_id: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Pod {
    #[prost(message, optional, tag = "1")]
    pub metadata: ::core::option::Option<crate::meta_v1::ObjectMeta>,
    #[prost(message, optional, tag = "2")]
    pub spec: ::core::option::Option<PodSpec>,
    #[prost(message, optional, tag = "3")]
    pub status: ::core::option::Option<PodStatus>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodAffinity {
    #[prost(message, repeated, tag = "1")]
    pub required_during_scheduling_ignored_during_execution: ::prost::alloc::vec::Vec<
        PodAffinityTerm,
    >,
    #[prost(message, repeated, tag = "2")]
    pub preferred_during_scheduling_ignored_during_execution: ::prost::alloc::vec::Vec<
        WeightedPodAffinityTerm,
    >,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodAffinityTerm {
    #[prost(message, optional, tag = "1")]
    pub label_selector: ::core::option::Option<crate::meta_v1::LabelSelector>,
    #[prost(string, repeated, tag = "2")]
    pub namespaces: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub topology_key: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "4")]
    pub namespace_selector: ::core::option::Option<crate::meta_v1::LabelSelector>,
    #[prost(string, repeated, tag = "5")]
    pub match_label_keys: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "6")]
    pub mismatch_label_keys: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodAntiAffinity {
    #[prost(message, repeated, tag = "1")]
    pub required_during_scheduling_ignored_during_execution: ::prost::alloc::vec::Vec<
        PodAffinityTerm,
    >,
    #[prost(message, repeated, tag = "2")]
    pub preferred_during_scheduling_ignored_during_execution: ::prost::alloc::vec::Vec<
        WeightedPodAffinityTerm,
    >,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodCertificateProjection {
    #[prost(string, optional, tag = "1")]
    pub signer_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub key_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "3")]
    pub max_expiration_seconds: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "4")]
    pub credential_bundle_path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "5")]
    pub key_path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub certificate_chain_path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(btree_map = "string, string", tag = "7")]
    pub user_annotations: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    #[prost(int64, optional, tag = "8")]
    pub user: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodCondition {
    #[prost(string, optional, tag = "1")]
    pub r#type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub status: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "3")]
    pub last_probe_time: ::core::option::Option<crate::meta_v1::Time>,
    #[prost(message, optional, tag = "4")]
    pub last_transition_time: ::core::option::Option<crate::meta_v1::Time>,
    #[prost(string, optional, tag = "5")]
    pub reason: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub message: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int64, optional, tag = "7")]
    pub observed_generation: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodDnsConfig {
    #[prost(string, repeated, tag = "1")]
    pub nameservers: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "2")]
    pub searches: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "3")]
    pub options: ::prost::alloc::vec::Vec<PodDnsConfigOption>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodDnsConfigOption {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub value: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodExtendedResourceClaimStatus {
    #[prost(message, repeated, tag = "1")]
    pub request_mappings: ::prost::alloc::vec::Vec<ContainerExtendedResourceRequest>,
    #[prost(string, optional, tag = "2")]
    pub resource_claim_name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodIp {
    #[prost(string, optional, tag = "1")]
    pub ip: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodOs {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodReadinessGate {
    #[prost(string, optional, tag = "1")]
    pub condition_type: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodResourceClaim {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "2")]
    pub source: ::core::option::Option<ClaimSource>,
    #[prost(string, optional, tag = "3")]
    pub resource_claim_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub resource_claim_template_name: ::core::option::Option<
        ::prost::alloc::string::String,
    >,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodResourceClaimStatus {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub resource_claim_name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodSchedulingGate {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PodSchedulingGroup {
    #[prost(string, optional, tag = "1")]
    pub pod_group_name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodSecurityContext {
    #[prost(message, optional, tag = "1")]
    pub se_linux_options: ::core::option::Option<SeLinuxOptions>,
    #[prost(int64, optional, tag = "2")]
    pub run_as_user: ::core::option::Option<i64>,
    #[prost(bool, optional, tag = "3")]
    pub run_as_non_root: ::core::option::Option<bool>,
    #[prost(int64, repeated, packed = "false", tag = "4")]
    pub supplemental_groups: ::prost::alloc::vec::Vec<i64>,
    #[prost(int64, optional, tag = "5")]
    pub fs_group: ::core::option::Option<i64>,
    #[prost(int64, optional, tag = "6")]
    pub run_as_group: ::core::option::Option<i64>,
    #[prost(message, repeated, tag = "7")]
    pub sysctls: ::prost::alloc::vec::Vec<Sysctl>,
    #[prost(message, optional, tag = "8")]
    pub windows_options: ::core::option::Option<WindowsSecurityContextOptions>,
    #[prost(string, optional, tag = "9")]
    pub fs_group_change_policy: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "10")]
    pub seccomp_profile: ::core::option::Option<SeccompProfile>,
    #[prost(message, optional, tag = "11")]
    pub app_armor_profile: ::core::option::Option<AppArmorProfile>,
    #[prost(string, optional, tag = "12")]
    pub supplemental_groups_policy: ::core::option::Option<
        ::prost::alloc::string::String,
    >,
    #[prost(string, optional, tag = "13")]
    pub se_linux_change_policy: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodSpec {
    #[prost(message, repeated, tag = "1")]
    pub volumes: ::prost::alloc::vec::Vec<Volume>,
    #[prost(message, repeated, tag = "2")]
    pub containers: ::prost::alloc::vec::Vec<Container>,
    #[prost(string, optional, tag = "3")]
    pub restart_policy: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int64, optional, tag = "4")]
    pub termination_grace_period_seconds: ::core::option::Option<i64>,
    #[prost(int64, optional, tag = "5")]
    pub active_deadline_seconds: ::core::option::Option<i64>,
    #[prost(string, optional, tag = "6")]
    pub dns_policy: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(btree_map = "string, string", tag = "7")]
    pub node_selector: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        ::prost::alloc::string::String,
    >,
    #[prost(string, optional, tag = "8")]
    pub service_account_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "9")]
    pub service_account: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "10")]
    pub node_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "11")]
    pub host_network: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "12")]
    pub host_pid: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "13")]
    pub host_ipc: ::core::option::Option<bool>,
    #[prost(message, optional, tag = "14")]
    pub security_context: ::core::option::Option<PodSecurityContext>,
    #[prost(message, repeated, tag = "15")]
    pub image_pull_secrets: ::prost::alloc::vec::Vec<LocalObjectReference>,
    #[prost(string, optional, tag = "16")]
    pub hostname: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "17")]
    pub subdomain: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "18")]
    pub affinity: ::core::option::Option<Affinity>,
    #[prost(string, optional, tag = "19")]
    pub scheduler_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "20")]
    pub init_containers: ::prost::alloc::vec::Vec<Container>,
    #[prost(bool, optional, tag = "21")]
    pub automount_service_account_token: ::core::option::Option<bool>,
    #[prost(message, repeated, tag = "22")]
    pub tolerations: ::prost::alloc::vec::Vec<Toleration>,
    #[prost(message, repeated, tag = "23")]
    pub host_aliases: ::prost::alloc::vec::Vec<HostAlias>,
    #[prost(string, optional, tag = "24")]
    pub priority_class_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "25")]
    pub priority: ::core::option::Option<i32>,
    #[prost(message, optional, tag = "26")]
    pub dns_config: ::core::option::Option<PodDnsConfig>,
    #[prost(bool, optional, tag = "27")]
    pub share_process_namespace: ::core::option::Option<bool>,
    #[prost(message, repeated, tag = "28")]
    pub readiness_gates: ::prost::alloc::vec::Vec<PodReadinessGate>,
    #[prost(string, optional, tag = "29")]
    pub runtime_class_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "30")]
    pub enable_service_links: ::core::option::Option<bool>,
    #[prost(string, optional, tag = "31")]
    pub preemption_policy: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(btree_map = "string, message", tag = "32")]
    pub overhead: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        crate::resource::Quantity,
    >,
    #[prost(message, repeated, tag = "33")]
    pub topology_spread_constraints: ::prost::alloc::vec::Vec<TopologySpreadConstraint>,
    #[prost(message, repeated, tag = "34")]
    pub ephemeral_containers: ::prost::alloc::vec::Vec<EphemeralContainer>,
    #[prost(bool, optional, tag = "35")]
    pub set_hostname_as_fqdn: ::core::option::Option<bool>,
    #[prost(message, optional, tag = "36")]
    pub os: ::core::option::Option<PodOs>,
    #[prost(bool, optional, tag = "37")]
    pub host_users: ::core::option::Option<bool>,
    #[prost(message, repeated, tag = "38")]
    pub scheduling_gates: ::prost::alloc::vec::Vec<PodSchedulingGate>,
    #[prost(message, repeated, tag = "39")]
    pub resource_claims: ::prost::alloc::vec::Vec<PodResourceClaim>,
    #[prost(message, optional, tag = "40")]
    pub resources: ::core::option::Option<ResourceRequirements>,
    #[prost(string, optional, tag = "41")]
    pub hostname_override: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "42")]
    pub workload_ref: ::core::option::Option<WorkloadReference>,
    #[prost(message, optional, tag = "43")]
    pub scheduling_group: ::core::option::Option<PodSchedulingGroup>,
    #[prost(message, repeated, tag = "44")]
    pub eviction_responders: ::prost::alloc::vec::Vec<EvictionResponder>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodStatus {
    #[prost(string, optional, tag = "1")]
    pub phase: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "2")]
    pub conditions: ::prost::alloc::vec::Vec<PodCondition>,
    #[prost(string, optional, tag = "3")]
    pub message: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub reason: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "5")]
    pub host_ip: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub pod_ip: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "7")]
    pub start_time: ::core::option::Option<crate::meta_v1::Time>,
    #[prost(message, repeated, tag = "8")]
    pub container_statuses: ::prost::alloc::vec::Vec<ContainerStatus>,
    #[prost(string, optional, tag = "9")]
    pub qos_class: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "10")]
    pub init_container_statuses: ::prost::alloc::vec::Vec<ContainerStatus>,
    #[prost(string, optional, tag = "11")]
    pub nominated_node_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "12")]
    pub pod_i_ps: ::prost::alloc::vec::Vec<PodIp>,
    #[prost(message, repeated, tag = "13")]
    pub ephemeral_container_statuses: ::prost::alloc::vec::Vec<ContainerStatus>,
    #[prost(string, optional, tag = "14")]
    pub resize: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "15")]
    pub resource_claim_statuses: ::prost::alloc::vec::Vec<PodResourceClaimStatus>,
    #[prost(message, repeated, tag = "16")]
    pub host_i_ps: ::prost::alloc::vec::Vec<HostIp>,
    #[prost(int64, optional, tag = "17")]
    pub observed_generation: ::core::option::Option<i64>,
    #[prost(message, optional, tag = "18")]
    pub extended_resource_claim_status: ::core::option::Option<
        PodExtendedResourceClaimStatus,
    >,
    #[prost(btree_map = "string, message", tag = "19")]
    pub allocated_resources: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        crate::resource::Quantity,
    >,
    #[prost(message, optional, tag = "20")]
    pub resources: ::core::option::Option<ResourceRequirements>,
    #[prost(message, repeated, tag = "21")]
    pub node_allocatable_resource_claim_statuses: ::prost::alloc::vec::Vec<
        NodeAllocatableResourceClaimStatus,
    >,
    #[prost(message, repeated, tag = "22")]
    pub volume_health: ::prost::alloc::vec::Vec<PodVolumeHealth>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PodVolumeHealth {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "2")]
    pub health_conditions: ::prost::alloc::vec::Vec<VolumeHealthCondition>,
    #[prost(message, optional, tag = "3")]
    pub last_transition_time: ::core::option::Option<crate::meta_v1::Time>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PortworxVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub volume_id: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "3")]
    pub read_only: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct PreferredSchedulingTerm {
    #[prost(int32, optional, tag = "1")]
    pub weight: ::core::option::Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub preference: ::core::option::Option<NodeSelectorTerm>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Probe {
    #[prost(message, optional, tag = "1")]
    pub handler: ::core::option::Option<ProbeHandler>,
    #[prost(int32, optional, tag = "2")]
    pub initial_delay_seconds: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub timeout_seconds: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub period_seconds: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub success_threshold: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "6")]
    pub failure_threshold: ::core::option::Option<i32>,
    #[prost(int64, optional, tag = "7")]
    pub termination_grace_period_seconds: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ProbeHandler {
    #[prost(message, optional, tag = "1")]
    pub exec: ::core::option::Option<ExecAction>,
    #[prost(message, optional, tag = "2")]
    pub http_get: ::core::option::Option<HttpGetAction>,
    #[prost(message, optional, tag = "3")]
    pub tcp_socket: ::core::option::Option<TcpSocketAction>,
    #[prost(message, optional, tag = "4")]
    pub grpc: ::core::option::Option<GrpcAction>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ProjectedVolumeSource {
    #[prost(message, repeated, tag = "1")]
    pub sources: ::prost::alloc::vec::Vec<VolumeProjection>,
    #[prost(int32, optional, tag = "2")]
    pub default_mode: ::core::option::Option<i32>,
    #[prost(int64, optional, tag = "3")]
    pub default_user: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct QuobyteVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub registry: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub volume: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "3")]
    pub read_only: ::core::option::Option<bool>,
    #[prost(string, optional, tag = "4")]
    pub user: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "5")]
    pub group: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub tenant: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct RbdVolumeSource {
    #[prost(string, repeated, tag = "1")]
    pub monitors: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub image: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub pool: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "5")]
    pub user: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub keyring: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "7")]
    pub secret_ref: ::core::option::Option<LocalObjectReference>,
    #[prost(bool, optional, tag = "8")]
    pub read_only: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResourceClaim {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub request: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResourceFieldSelector {
    #[prost(string, optional, tag = "1")]
    pub container_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub resource: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "3")]
    pub divisor: ::core::option::Option<crate::resource::Quantity>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResourceHealth {
    #[prost(string, optional, tag = "1")]
    pub resource_id: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub health: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub message: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResourceRequirements {
    #[prost(btree_map = "string, message", tag = "1")]
    pub limits: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        crate::resource::Quantity,
    >,
    #[prost(btree_map = "string, message", tag = "2")]
    pub requests: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        crate::resource::Quantity,
    >,
    #[prost(message, repeated, tag = "3")]
    pub claims: ::prost::alloc::vec::Vec<ResourceClaim>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResourceStatus {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "2")]
    pub resources: ::prost::alloc::vec::Vec<ResourceHealth>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct SeLinuxOptions {
    #[prost(string, optional, tag = "1")]
    pub user: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub role: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub r#type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub level: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ScaleIoVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub gateway: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub system: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "3")]
    pub secret_ref: ::core::option::Option<LocalObjectReference>,
    #[prost(bool, optional, tag = "4")]
    pub ssl_enabled: ::core::option::Option<bool>,
    #[prost(string, optional, tag = "5")]
    pub protection_domain: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub storage_pool: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "7")]
    pub storage_mode: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "8")]
    pub volume_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "9")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "10")]
    pub read_only: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct SeccompProfile {
    #[prost(string, optional, tag = "1")]
    pub r#type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub localhost_profile: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct SecretEnvSource {
    #[prost(message, optional, tag = "1")]
    pub local_object_reference: ::core::option::Option<LocalObjectReference>,
    #[prost(bool, optional, tag = "2")]
    pub optional: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct SecretKeySelector {
    #[prost(message, optional, tag = "1")]
    pub local_object_reference: ::core::option::Option<LocalObjectReference>,
    #[prost(string, optional, tag = "2")]
    pub key: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "3")]
    pub optional: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SecretProjection {
    #[prost(message, optional, tag = "1")]
    pub local_object_reference: ::core::option::Option<LocalObjectReference>,
    #[prost(message, repeated, tag = "2")]
    pub items: ::prost::alloc::vec::Vec<KeyToPath>,
    #[prost(bool, optional, tag = "4")]
    pub optional: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SecretVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub secret_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "2")]
    pub items: ::prost::alloc::vec::Vec<KeyToPath>,
    #[prost(int32, optional, tag = "3")]
    pub default_mode: ::core::option::Option<i32>,
    #[prost(bool, optional, tag = "4")]
    pub optional: ::core::option::Option<bool>,
    #[prost(int64, optional, tag = "5")]
    pub default_user: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct SecurityContext {
    #[prost(message, optional, tag = "1")]
    pub capabilities: ::core::option::Option<Capabilities>,
    #[prost(bool, optional, tag = "2")]
    pub privileged: ::core::option::Option<bool>,
    #[prost(message, optional, tag = "3")]
    pub se_linux_options: ::core::option::Option<SeLinuxOptions>,
    #[prost(int64, optional, tag = "4")]
    pub run_as_user: ::core::option::Option<i64>,
    #[prost(bool, optional, tag = "5")]
    pub run_as_non_root: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "6")]
    pub read_only_root_filesystem: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "7")]
    pub allow_privilege_escalation: ::core::option::Option<bool>,
    #[prost(int64, optional, tag = "8")]
    pub run_as_group: ::core::option::Option<i64>,
    #[prost(string, optional, tag = "9")]
    pub proc_mount: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "10")]
    pub windows_options: ::core::option::Option<WindowsSecurityContextOptions>,
    #[prost(message, optional, tag = "11")]
    pub seccomp_profile: ::core::option::Option<SeccompProfile>,
    #[prost(message, optional, tag = "12")]
    pub app_armor_profile: ::core::option::Option<AppArmorProfile>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServiceAccountTokenProjection {
    #[prost(string, optional, tag = "1")]
    pub audience: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int64, optional, tag = "2")]
    pub expiration_seconds: ::core::option::Option<i64>,
    #[prost(string, optional, tag = "3")]
    pub path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int64, optional, tag = "4")]
    pub user: ::core::option::Option<i64>,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct SleepAction {
    #[prost(int64, optional, tag = "1")]
    pub seconds: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StorageOsVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub volume_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub volume_namespace: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "4")]
    pub read_only: ::core::option::Option<bool>,
    #[prost(message, optional, tag = "5")]
    pub secret_ref: ::core::option::Option<LocalObjectReference>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Sysctl {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub value: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct TcpSocketAction {
    #[prost(message, optional, tag = "1")]
    pub port: ::core::option::Option<crate::intstr::IntOrString>,
    #[prost(string, optional, tag = "2")]
    pub host: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Toleration {
    #[prost(string, optional, tag = "1")]
    pub key: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub operator: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub value: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub effect: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int64, optional, tag = "5")]
    pub toleration_seconds: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct TopologySpreadConstraint {
    #[prost(int32, optional, tag = "1")]
    pub max_skew: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "2")]
    pub topology_key: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub when_unsatisfiable: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "4")]
    pub label_selector: ::core::option::Option<crate::meta_v1::LabelSelector>,
    #[prost(int32, optional, tag = "5")]
    pub min_domains: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "6")]
    pub node_affinity_policy: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "7")]
    pub node_taints_policy: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "8")]
    pub match_label_keys: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct TypedLocalObjectReference {
    #[prost(string, optional, tag = "1")]
    pub api_group: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub kind: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct TypedObjectReference {
    #[prost(string, optional, tag = "1")]
    pub api_group: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub kind: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub namespace: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Volume {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "2")]
    pub volume_source: ::core::option::Option<VolumeSource>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct VolumeDevice {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub device_path: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct VolumeHealthCondition {
    #[prost(string, optional, tag = "1")]
    pub status: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub reason: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub message: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct VolumeMount {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "2")]
    pub read_only: ::core::option::Option<bool>,
    #[prost(string, optional, tag = "3")]
    pub mount_path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub sub_path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "5")]
    pub mount_propagation: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub sub_path_expr: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "7")]
    pub recursive_read_only: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "8")]
    pub bind_mount_options: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct VolumeMountStatus {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub mount_path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "3")]
    pub read_only: ::core::option::Option<bool>,
    #[prost(string, optional, tag = "4")]
    pub recursive_read_only: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "5")]
    pub volume_status: ::core::option::Option<VolumeStatus>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct VolumeProjection {
    #[prost(message, optional, tag = "1")]
    pub secret: ::core::option::Option<SecretProjection>,
    #[prost(message, optional, tag = "2")]
    pub downward_api: ::core::option::Option<DownwardApiProjection>,
    #[prost(message, optional, tag = "3")]
    pub config_map: ::core::option::Option<ConfigMapProjection>,
    #[prost(message, optional, tag = "4")]
    pub service_account_token: ::core::option::Option<ServiceAccountTokenProjection>,
    #[prost(message, optional, tag = "5")]
    pub cluster_trust_bundle: ::core::option::Option<ClusterTrustBundleProjection>,
    #[prost(message, optional, tag = "6")]
    pub pod_certificate: ::core::option::Option<PodCertificateProjection>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct VolumeResourceRequirements {
    #[prost(btree_map = "string, message", tag = "1")]
    pub limits: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        crate::resource::Quantity,
    >,
    #[prost(btree_map = "string, message", tag = "2")]
    pub requests: ::prost::alloc::collections::BTreeMap<
        ::prost::alloc::string::String,
        crate::resource::Quantity,
    >,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct VolumeSource {
    #[prost(message, optional, tag = "1")]
    pub host_path: ::core::option::Option<HostPathVolumeSource>,
    #[prost(message, optional, tag = "2")]
    pub empty_dir: ::core::option::Option<EmptyDirVolumeSource>,
    #[prost(message, optional, tag = "3")]
    pub gce_persistent_disk: ::core::option::Option<GcePersistentDiskVolumeSource>,
    #[prost(message, optional, tag = "4")]
    pub aws_elastic_block_store: ::core::option::Option<
        AwsElasticBlockStoreVolumeSource,
    >,
    #[prost(message, optional, tag = "5")]
    pub git_repo: ::core::option::Option<GitRepoVolumeSource>,
    #[prost(message, optional, tag = "6")]
    pub secret: ::core::option::Option<SecretVolumeSource>,
    #[prost(message, optional, tag = "7")]
    pub nfs: ::core::option::Option<NfsVolumeSource>,
    #[prost(message, optional, tag = "8")]
    pub iscsi: ::core::option::Option<IscsiVolumeSource>,
    #[prost(message, optional, tag = "9")]
    pub glusterfs: ::core::option::Option<GlusterfsVolumeSource>,
    #[prost(message, optional, tag = "10")]
    pub persistent_volume_claim: ::core::option::Option<
        PersistentVolumeClaimVolumeSource,
    >,
    #[prost(message, optional, tag = "11")]
    pub rbd: ::core::option::Option<RbdVolumeSource>,
    #[prost(message, optional, tag = "12")]
    pub flex_volume: ::core::option::Option<FlexVolumeSource>,
    #[prost(message, optional, tag = "13")]
    pub cinder: ::core::option::Option<CinderVolumeSource>,
    #[prost(message, optional, tag = "14")]
    pub cephfs: ::core::option::Option<CephFsVolumeSource>,
    #[prost(message, optional, tag = "15")]
    pub flocker: ::core::option::Option<FlockerVolumeSource>,
    #[prost(message, optional, tag = "16")]
    pub downward_api: ::core::option::Option<DownwardApiVolumeSource>,
    #[prost(message, optional, tag = "17")]
    pub fc: ::core::option::Option<FcVolumeSource>,
    #[prost(message, optional, tag = "18")]
    pub azure_file: ::core::option::Option<AzureFileVolumeSource>,
    #[prost(message, optional, tag = "19")]
    pub config_map: ::core::option::Option<ConfigMapVolumeSource>,
    #[prost(message, optional, tag = "20")]
    pub vsphere_volume: ::core::option::Option<VsphereVirtualDiskVolumeSource>,
    #[prost(message, optional, tag = "21")]
    pub quobyte: ::core::option::Option<QuobyteVolumeSource>,
    #[prost(message, optional, tag = "22")]
    pub azure_disk: ::core::option::Option<AzureDiskVolumeSource>,
    #[prost(message, optional, tag = "23")]
    pub photon_persistent_disk: ::core::option::Option<PhotonPersistentDiskVolumeSource>,
    #[prost(message, optional, tag = "24")]
    pub portworx_volume: ::core::option::Option<PortworxVolumeSource>,
    #[prost(message, optional, tag = "25")]
    pub scale_io: ::core::option::Option<ScaleIoVolumeSource>,
    #[prost(message, optional, tag = "26")]
    pub projected: ::core::option::Option<ProjectedVolumeSource>,
    #[prost(message, optional, tag = "27")]
    pub storageos: ::core::option::Option<StorageOsVolumeSource>,
    #[prost(message, optional, tag = "28")]
    pub csi: ::core::option::Option<CsiVolumeSource>,
    #[prost(message, optional, tag = "29")]
    pub ephemeral: ::core::option::Option<EphemeralVolumeSource>,
    #[prost(message, optional, tag = "30")]
    pub image: ::core::option::Option<ImageVolumeSource>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct VolumeStatus {
    #[prost(message, optional, tag = "1")]
    pub image: ::core::option::Option<ImageVolumeStatus>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct VsphereVirtualDiskVolumeSource {
    #[prost(string, optional, tag = "1")]
    pub volume_path: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub fs_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub storage_policy_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub storage_policy_id: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct WeightedPodAffinityTerm {
    #[prost(int32, optional, tag = "1")]
    pub weight: ::core::option::Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub pod_affinity_term: ::core::option::Option<PodAffinityTerm>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct WindowsSecurityContextOptions {
    #[prost(string, optional, tag = "1")]
    pub gmsa_credential_spec_name: ::core::option::Option<
        ::prost::alloc::string::String,
    >,
    #[prost(string, optional, tag = "2")]
    pub gmsa_credential_spec: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub run_as_user_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "4")]
    pub host_process: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct WorkloadReference {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub pod_group: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub pod_group_replica_key: ::core::option::Option<::prost::alloc::string::String>,
}

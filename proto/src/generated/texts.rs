//! Generated from `protos` by the test `regenerate`; not edited by hand.

use crate::text::{Field, Holds, Texts};

impl Texts for crate::documented::PodGetRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "podUID"),
    ];
}

impl Texts for crate::documented::PodGetResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::documented::PodListRequest {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::documented::PodListResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::documented::PodWatchRequest {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::documented::PodWatchResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::well_known::Any {
    const TEXTS: &'static [Field] = &[
        text(1, "type_url"),
    ];
}

impl Texts for crate::well_known::Duration {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::field_mask::FieldMask {
    const TEXTS: &'static [Field] = &[
        text(1, "paths"),
    ];
}

impl Texts for crate::google_rpc::BadRequest {
    const TEXTS: &'static [Field] = &[
        inner(1, "field_violations", &[text(1, "field"), text(2, "description"), text(3, "reason")]),
    ];
}

impl Texts for crate::google_rpc::ErrorInfo {
    const TEXTS: &'static [Field] = &[
        text(1, "reason"),
        text(2, "domain"),
        inner(3, "metadata", &[text(1, ""), text(2, "")]),
    ];
}

impl Texts for crate::google_rpc::RetryInfo {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::google_rpc::Status {
    const TEXTS: &'static [Field] = &[
        text(2, "message"),
        inner(3, "details", <crate::well_known::Any as Texts>::TEXTS),
    ];
}

impl Texts for crate::health::HealthCheckRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "service"),
    ];
}

impl Texts for crate::health::HealthCheckResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::health::HealthListRequest {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::health::HealthListResponse {
    const TEXTS: &'static [Field] = &[
        inner(1, "statuses", &[text(1, "")]),
    ];
}

impl Texts for crate::reflection::ErrorResponse {
    const TEXTS: &'static [Field] = &[
        text(2, "error_message"),
    ];
}

impl Texts for crate::reflection::ExtensionNumberResponse {
    const TEXTS: &'static [Field] = &[
        text(1, "base_type_name"),
    ];
}

impl Texts for crate::reflection::ExtensionRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "containing_type"),
    ];
}

impl Texts for crate::reflection::FileDescriptorResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::reflection::ListServiceResponse {
    const TEXTS: &'static [Field] = &[
        inner(1, "service", <crate::reflection::ServiceResponse as Texts>::TEXTS),
    ];
}

impl Texts for crate::reflection::ServerReflectionRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "host"),
        text(3, "file_by_filename"),
        text(4, "file_containing_symbol"),
        inner(5, "file_containing_extension", <crate::reflection::ExtensionRequest as Texts>::TEXTS),
        text(6, "all_extension_numbers_of_type"),
        text(7, "list_services"),
    ];
}

impl Texts for crate::reflection::ServerReflectionResponse {
    const TEXTS: &'static [Field] = &[
        text(1, "valid_host"),
        inner(2, "original_request", <crate::reflection::ServerReflectionRequest as Texts>::TEXTS),
        inner(5, "all_extension_numbers_response", <crate::reflection::ExtensionNumberResponse as Texts>::TEXTS),
        inner(6, "list_services_response", <crate::reflection::ListServiceResponse as Texts>::TEXTS),
        inner(7, "error_response", <crate::reflection::ErrorResponse as Texts>::TEXTS),
    ];
}

impl Texts for crate::reflection::ServiceResponse {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
    ];
}

impl Texts for crate::core_v1::AwsElasticBlockStoreVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "volumeID"),
        text(2, "fsType"),
    ];
}

impl Texts for crate::core_v1::Affinity {
    const TEXTS: &'static [Field] = &[
        inner(1, "nodeAffinity", <crate::core_v1::NodeAffinity as Texts>::TEXTS),
        inner(2, "podAffinity", <crate::core_v1::PodAffinity as Texts>::TEXTS),
        inner(3, "podAntiAffinity", <crate::core_v1::PodAntiAffinity as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::AppArmorProfile {
    const TEXTS: &'static [Field] = &[
        text(1, "type"),
        text(2, "localhostProfile"),
    ];
}

impl Texts for crate::core_v1::AzureDiskVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "diskName"),
        text(2, "diskURI"),
        text(3, "cachingMode"),
        text(4, "fsType"),
        text(6, "kind"),
    ];
}

impl Texts for crate::core_v1::AzureFileVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "secretName"),
        text(2, "shareName"),
    ];
}

impl Texts for crate::core_v1::CsiVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "driver"),
        text(3, "fsType"),
        inner(4, "volumeAttributes", &[text(1, ""), text(2, "")]),
        inner(5, "nodePublishSecretRef", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::Capabilities {
    const TEXTS: &'static [Field] = &[
        text(1, "add"),
        text(2, "drop"),
    ];
}

impl Texts for crate::core_v1::CephFsVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "monitors"),
        text(2, "path"),
        text(3, "user"),
        text(4, "secretFile"),
        inner(5, "secretRef", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::CinderVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "volumeID"),
        text(2, "fsType"),
        inner(4, "secretRef", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ClaimSource {
    const TEXTS: &'static [Field] = &[
        text(1, "resourceClaimName"),
        text(2, "resourceClaimTemplateName"),
    ];
}

impl Texts for crate::core_v1::ClusterTrustBundleProjection {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "signerName"),
        inner(3, "labelSelector", <crate::meta_v1::LabelSelector as Texts>::TEXTS),
        text(4, "path"),
    ];
}

impl Texts for crate::core_v1::ConfigMapEnvSource {
    const TEXTS: &'static [Field] = &[
        inner(1, "localObjectReference", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ConfigMapKeySelector {
    const TEXTS: &'static [Field] = &[
        inner(1, "localObjectReference", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
        text(2, "key"),
    ];
}

impl Texts for crate::core_v1::ConfigMapProjection {
    const TEXTS: &'static [Field] = &[
        inner(1, "localObjectReference", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
        inner(2, "items", <crate::core_v1::KeyToPath as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ConfigMapVolumeSource {
    const TEXTS: &'static [Field] = &[
        inner(1, "localObjectReference", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
        inner(2, "items", <crate::core_v1::KeyToPath as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::Container {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "image"),
        text(3, "command"),
        text(4, "args"),
        text(5, "workingDir"),
        inner(6, "ports", <crate::core_v1::ContainerPort as Texts>::TEXTS),
        inner(7, "env", <crate::core_v1::EnvVar as Texts>::TEXTS),
        inner(8, "resources", <crate::core_v1::ResourceRequirements as Texts>::TEXTS),
        inner(9, "volumeMounts", <crate::core_v1::VolumeMount as Texts>::TEXTS),
        inner(10, "livenessProbe", <crate::core_v1::Probe as Texts>::TEXTS),
        inner(11, "readinessProbe", <crate::core_v1::Probe as Texts>::TEXTS),
        inner(12, "lifecycle", <crate::core_v1::Lifecycle as Texts>::TEXTS),
        text(13, "terminationMessagePath"),
        text(14, "imagePullPolicy"),
        inner(15, "securityContext", <crate::core_v1::SecurityContext as Texts>::TEXTS),
        inner(19, "envFrom", <crate::core_v1::EnvFromSource as Texts>::TEXTS),
        text(20, "terminationMessagePolicy"),
        inner(21, "volumeDevices", <crate::core_v1::VolumeDevice as Texts>::TEXTS),
        inner(22, "startupProbe", <crate::core_v1::Probe as Texts>::TEXTS),
        inner(23, "resizePolicy", <crate::core_v1::ContainerResizePolicy as Texts>::TEXTS),
        text(24, "restartPolicy"),
        inner(25, "restartPolicyRules", <crate::core_v1::ContainerRestartRule as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ContainerExtendedResourceRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "containerName"),
        text(2, "resourceName"),
        text(3, "requestName"),
    ];
}

impl Texts for crate::core_v1::ContainerPort {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(4, "protocol"),
        text(5, "hostIP"),
    ];
}

impl Texts for crate::core_v1::ContainerResizePolicy {
    const TEXTS: &'static [Field] = &[
        text(1, "resourceName"),
        text(2, "restartPolicy"),
    ];
}

impl Texts for crate::core_v1::ContainerRestartRule {
    const TEXTS: &'static [Field] = &[
        text(1, "action"),
        inner(2, "exitCodes", <crate::core_v1::ContainerRestartRuleOnExitCodes as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ContainerRestartRuleOnExitCodes {
    const TEXTS: &'static [Field] = &[
        text(1, "operator"),
    ];
}

impl Texts for crate::core_v1::ContainerState {
    const TEXTS: &'static [Field] = &[
        inner(1, "waiting", <crate::core_v1::ContainerStateWaiting as Texts>::TEXTS),
        inner(3, "terminated", <crate::core_v1::ContainerStateTerminated as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ContainerStateRunning {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::core_v1::ContainerStateTerminated {
    const TEXTS: &'static [Field] = &[
        text(3, "reason"),
        text(4, "message"),
        text(7, "containerID"),
    ];
}

impl Texts for crate::core_v1::ContainerStateWaiting {
    const TEXTS: &'static [Field] = &[
        text(1, "reason"),
        text(2, "message"),
    ];
}

impl Texts for crate::core_v1::ContainerStatus {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        inner(2, "state", <crate::core_v1::ContainerState as Texts>::TEXTS),
        inner(3, "lastState", <crate::core_v1::ContainerState as Texts>::TEXTS),
        text(6, "image"),
        text(7, "imageID"),
        text(8, "containerID"),
        inner(10, "allocatedResources", &[text(1, ""), inner(2, "", <crate::resource::Quantity as Texts>::TEXTS)]),
        inner(11, "resources", <crate::core_v1::ResourceRequirements as Texts>::TEXTS),
        inner(12, "volumeMounts", <crate::core_v1::VolumeMountStatus as Texts>::TEXTS),
        inner(14, "allocatedResourcesStatus", <crate::core_v1::ResourceStatus as Texts>::TEXTS),
        text(15, "stopSignal"),
    ];
}

impl Texts for crate::core_v1::ContainerUser {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::core_v1::DownwardApiProjection {
    const TEXTS: &'static [Field] = &[
        inner(1, "items", <crate::core_v1::DownwardApiVolumeFile as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::DownwardApiVolumeFile {
    const TEXTS: &'static [Field] = &[
        text(1, "path"),
        inner(2, "fieldRef", <crate::core_v1::ObjectFieldSelector as Texts>::TEXTS),
        inner(3, "resourceFieldRef", <crate::core_v1::ResourceFieldSelector as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::DownwardApiVolumeSource {
    const TEXTS: &'static [Field] = &[
        inner(1, "items", <crate::core_v1::DownwardApiVolumeFile as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::EmptyDirVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "medium"),
        inner(2, "sizeLimit", <crate::resource::Quantity as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::EnvFromSource {
    const TEXTS: &'static [Field] = &[
        text(1, "prefix"),
        inner(2, "configMapRef", <crate::core_v1::ConfigMapEnvSource as Texts>::TEXTS),
        inner(3, "secretRef", <crate::core_v1::SecretEnvSource as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::EnvVar {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "value"),
        inner(3, "valueFrom", <crate::core_v1::EnvVarSource as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::EnvVarSource {
    const TEXTS: &'static [Field] = &[
        inner(1, "fieldRef", <crate::core_v1::ObjectFieldSelector as Texts>::TEXTS),
        inner(2, "resourceFieldRef", <crate::core_v1::ResourceFieldSelector as Texts>::TEXTS),
        inner(3, "configMapKeyRef", <crate::core_v1::ConfigMapKeySelector as Texts>::TEXTS),
        inner(4, "secretKeyRef", <crate::core_v1::SecretKeySelector as Texts>::TEXTS),
        inner(5, "fileKeyRef", <crate::core_v1::FileKeySelector as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::EphemeralContainer {
    const TEXTS: &'static [Field] = &[
        inner(1, "ephemeralContainerCommon", <crate::core_v1::EphemeralContainerCommon as Texts>::TEXTS),
        text(2, "targetContainerName"),
    ];
}

impl Texts for crate::core_v1::EphemeralContainerCommon {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "image"),
        text(3, "command"),
        text(4, "args"),
        text(5, "workingDir"),
        inner(6, "ports", <crate::core_v1::ContainerPort as Texts>::TEXTS),
        inner(7, "env", <crate::core_v1::EnvVar as Texts>::TEXTS),
        inner(8, "resources", <crate::core_v1::ResourceRequirements as Texts>::TEXTS),
        inner(9, "volumeMounts", <crate::core_v1::VolumeMount as Texts>::TEXTS),
        inner(10, "livenessProbe", <crate::core_v1::Probe as Texts>::TEXTS),
        inner(11, "readinessProbe", <crate::core_v1::Probe as Texts>::TEXTS),
        inner(12, "lifecycle", <crate::core_v1::Lifecycle as Texts>::TEXTS),
        text(13, "terminationMessagePath"),
        text(14, "imagePullPolicy"),
        inner(15, "securityContext", <crate::core_v1::SecurityContext as Texts>::TEXTS),
        inner(19, "envFrom", <crate::core_v1::EnvFromSource as Texts>::TEXTS),
        text(20, "terminationMessagePolicy"),
        inner(21, "volumeDevices", <crate::core_v1::VolumeDevice as Texts>::TEXTS),
        inner(22, "startupProbe", <crate::core_v1::Probe as Texts>::TEXTS),
        inner(23, "resizePolicy", <crate::core_v1::ContainerResizePolicy as Texts>::TEXTS),
        text(24, "restartPolicy"),
        inner(25, "restartPolicyRules", <crate::core_v1::ContainerRestartRule as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::EphemeralVolumeSource {
    const TEXTS: &'static [Field] = &[
        inner(1, "volumeClaimTemplate", <crate::core_v1::PersistentVolumeClaimTemplate as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::EvictionResponder {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
    ];
}

impl Texts for crate::core_v1::ExecAction {
    const TEXTS: &'static [Field] = &[
        text(1, "command"),
    ];
}

impl Texts for crate::core_v1::FcVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "targetWWNs"),
        text(3, "fsType"),
        text(5, "wwids"),
    ];
}

impl Texts for crate::core_v1::FileKeySelector {
    const TEXTS: &'static [Field] = &[
        text(1, "volumeName"),
        text(2, "path"),
        text(3, "key"),
    ];
}

impl Texts for crate::core_v1::FlexVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "driver"),
        text(2, "fsType"),
        inner(3, "secretRef", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
        inner(5, "options", &[text(1, ""), text(2, "")]),
    ];
}

impl Texts for crate::core_v1::FlockerVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "datasetName"),
        text(2, "datasetUUID"),
    ];
}

impl Texts for crate::core_v1::GcePersistentDiskVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "pdName"),
        text(2, "fsType"),
    ];
}

impl Texts for crate::core_v1::GrpcAction {
    const TEXTS: &'static [Field] = &[
        text(2, "service"),
        text(3, "mode"),
    ];
}

impl Texts for crate::core_v1::GitRepoVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "repository"),
        text(2, "revision"),
        text(3, "directory"),
    ];
}

impl Texts for crate::core_v1::GlusterfsVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "endpoints"),
        text(2, "path"),
    ];
}

impl Texts for crate::core_v1::HttpGetAction {
    const TEXTS: &'static [Field] = &[
        text(1, "path"),
        inner(2, "port", <crate::intstr::IntOrString as Texts>::TEXTS),
        text(3, "host"),
        text(4, "scheme"),
        inner(5, "httpHeaders", <crate::core_v1::HttpHeader as Texts>::TEXTS),
        text(6, "protocol"),
    ];
}

impl Texts for crate::core_v1::HttpHeader {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "value"),
    ];
}

impl Texts for crate::core_v1::HostAlias {
    const TEXTS: &'static [Field] = &[
        text(1, "ip"),
        text(2, "hostnames"),
    ];
}

impl Texts for crate::core_v1::HostIp {
    const TEXTS: &'static [Field] = &[
        text(1, "ip"),
    ];
}

impl Texts for crate::core_v1::HostPathVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "path"),
        text(2, "type"),
    ];
}

impl Texts for crate::core_v1::IscsiVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "targetPortal"),
        text(2, "iqn"),
        text(4, "iscsiInterface"),
        text(5, "fsType"),
        text(7, "portals"),
        inner(10, "secretRef", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
        text(12, "initiatorName"),
    ];
}

impl Texts for crate::core_v1::ImageVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "reference"),
        text(2, "pullPolicy"),
    ];
}

impl Texts for crate::core_v1::ImageVolumeStatus {
    const TEXTS: &'static [Field] = &[
        text(1, "imageRef"),
    ];
}

impl Texts for crate::core_v1::KeyToPath {
    const TEXTS: &'static [Field] = &[
        text(1, "key"),
        text(2, "path"),
    ];
}

impl Texts for crate::core_v1::Lifecycle {
    const TEXTS: &'static [Field] = &[
        inner(1, "postStart", <crate::core_v1::LifecycleHandler as Texts>::TEXTS),
        inner(2, "preStop", <crate::core_v1::LifecycleHandler as Texts>::TEXTS),
        text(3, "stopSignal"),
    ];
}

impl Texts for crate::core_v1::LifecycleHandler {
    const TEXTS: &'static [Field] = &[
        inner(1, "exec", <crate::core_v1::ExecAction as Texts>::TEXTS),
        inner(2, "httpGet", <crate::core_v1::HttpGetAction as Texts>::TEXTS),
        inner(3, "tcpSocket", <crate::core_v1::TcpSocketAction as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::LinuxContainerUser {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::core_v1::LocalObjectReference {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
    ];
}

impl Texts for crate::core_v1::NfsVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "server"),
        text(2, "path"),
    ];
}

impl Texts for crate::core_v1::NodeAffinity {
    const TEXTS: &'static [Field] = &[
        inner(1, "requiredDuringSchedulingIgnoredDuringExecution", <crate::core_v1::NodeSelector as Texts>::TEXTS),
        inner(2, "preferredDuringSchedulingIgnoredDuringExecution", <crate::core_v1::PreferredSchedulingTerm as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::NodeAllocatableMappedResources {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        inner(2, "quantity", <crate::resource::Quantity as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::NodeAllocatableOverheadResources {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        inner(2, "perPod", <crate::resource::Quantity as Texts>::TEXTS),
        inner(3, "perContainer", <crate::resource::Quantity as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::NodeAllocatableResourceClaimStatus {
    const TEXTS: &'static [Field] = &[
        text(1, "resourceClaimName"),
        text(2, "containers"),
        inner(3, "resources", &[text(1, ""), inner(2, "", <crate::resource::Quantity as Texts>::TEXTS)]),
        inner(4, "mapping", <crate::core_v1::NodeAllocatableMappedResources as Texts>::TEXTS),
        inner(5, "overhead", <crate::core_v1::NodeAllocatableOverheadResources as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::NodeSelector {
    const TEXTS: &'static [Field] = &[
        inner(1, "nodeSelectorTerms", <crate::core_v1::NodeSelectorTerm as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::NodeSelectorRequirement {
    const TEXTS: &'static [Field] = &[
        text(1, "key"),
        text(2, "operator"),
        text(3, "values"),
    ];
}

impl Texts for crate::core_v1::NodeSelectorTerm {
    const TEXTS: &'static [Field] = &[
        inner(1, "matchExpressions", <crate::core_v1::NodeSelectorRequirement as Texts>::TEXTS),
        inner(2, "matchFields", <crate::core_v1::NodeSelectorRequirement as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ObjectFieldSelector {
    const TEXTS: &'static [Field] = &[
        text(1, "apiVersion"),
        text(2, "fieldPath"),
    ];
}

impl Texts for crate::core_v1::PersistentVolumeClaimSpec {
    const TEXTS: &'static [Field] = &[
        text(1, "accessModes"),
        inner(2, "resources", <crate::core_v1::VolumeResourceRequirements as Texts>::TEXTS),
        text(3, "volumeName"),
        inner(4, "selector", <crate::meta_v1::LabelSelector as Texts>::TEXTS),
        text(5, "storageClassName"),
        text(6, "volumeMode"),
        inner(7, "dataSource", <crate::core_v1::TypedLocalObjectReference as Texts>::TEXTS),
        inner(8, "dataSourceRef", <crate::core_v1::TypedObjectReference as Texts>::TEXTS),
        text(9, "volumeAttributesClassName"),
    ];
}

impl Texts for crate::core_v1::PersistentVolumeClaimTemplate {
    const TEXTS: &'static [Field] = &[
        inner(1, "metadata", <crate::meta_v1::ObjectMeta as Texts>::TEXTS),
        inner(2, "spec", <crate::core_v1::PersistentVolumeClaimSpec as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::PersistentVolumeClaimVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "claimName"),
    ];
}

impl Texts for crate::core_v1::PhotonPersistentDiskVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "pdID"),
        text(2, "fsType"),
    ];
}

impl Texts for crate::core_v1::Pod {
    const TEXTS: &'static [Field] = &[
        inner(1, "metadata", <crate::meta_v1::ObjectMeta as Texts>::TEXTS),
        inner(2, "spec", <crate::core_v1::PodSpec as Texts>::TEXTS),
        inner(3, "status", <crate::core_v1::PodStatus as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::PodAffinity {
    const TEXTS: &'static [Field] = &[
        inner(1, "requiredDuringSchedulingIgnoredDuringExecution", <crate::core_v1::PodAffinityTerm as Texts>::TEXTS),
        inner(2, "preferredDuringSchedulingIgnoredDuringExecution", <crate::core_v1::WeightedPodAffinityTerm as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::PodAffinityTerm {
    const TEXTS: &'static [Field] = &[
        inner(1, "labelSelector", <crate::meta_v1::LabelSelector as Texts>::TEXTS),
        text(2, "namespaces"),
        text(3, "topologyKey"),
        inner(4, "namespaceSelector", <crate::meta_v1::LabelSelector as Texts>::TEXTS),
        text(5, "matchLabelKeys"),
        text(6, "mismatchLabelKeys"),
    ];
}

impl Texts for crate::core_v1::PodAntiAffinity {
    const TEXTS: &'static [Field] = &[
        inner(1, "requiredDuringSchedulingIgnoredDuringExecution", <crate::core_v1::PodAffinityTerm as Texts>::TEXTS),
        inner(2, "preferredDuringSchedulingIgnoredDuringExecution", <crate::core_v1::WeightedPodAffinityTerm as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::PodCertificateProjection {
    const TEXTS: &'static [Field] = &[
        text(1, "signerName"),
        text(2, "keyType"),
        text(4, "credentialBundlePath"),
        text(5, "keyPath"),
        text(6, "certificateChainPath"),
        inner(7, "userAnnotations", &[text(1, ""), text(2, "")]),
    ];
}

impl Texts for crate::core_v1::PodCondition {
    const TEXTS: &'static [Field] = &[
        text(1, "type"),
        text(2, "status"),
        text(5, "reason"),
        text(6, "message"),
    ];
}

impl Texts for crate::core_v1::PodDnsConfig {
    const TEXTS: &'static [Field] = &[
        text(1, "nameservers"),
        text(2, "searches"),
        inner(3, "options", <crate::core_v1::PodDnsConfigOption as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::PodDnsConfigOption {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "value"),
    ];
}

impl Texts for crate::core_v1::PodExtendedResourceClaimStatus {
    const TEXTS: &'static [Field] = &[
        inner(1, "requestMappings", <crate::core_v1::ContainerExtendedResourceRequest as Texts>::TEXTS),
        text(2, "resourceClaimName"),
    ];
}

impl Texts for crate::core_v1::PodIp {
    const TEXTS: &'static [Field] = &[
        text(1, "ip"),
    ];
}

impl Texts for crate::core_v1::PodOs {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
    ];
}

impl Texts for crate::core_v1::PodReadinessGate {
    const TEXTS: &'static [Field] = &[
        text(1, "conditionType"),
    ];
}

impl Texts for crate::core_v1::PodResourceClaim {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        inner(2, "source", <crate::core_v1::ClaimSource as Texts>::TEXTS),
        text(3, "resourceClaimName"),
        text(4, "resourceClaimTemplateName"),
    ];
}

impl Texts for crate::core_v1::PodResourceClaimStatus {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "resourceClaimName"),
    ];
}

impl Texts for crate::core_v1::PodSchedulingGate {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
    ];
}

impl Texts for crate::core_v1::PodSchedulingGroup {
    const TEXTS: &'static [Field] = &[
        text(1, "podGroupName"),
    ];
}

impl Texts for crate::core_v1::PodSecurityContext {
    const TEXTS: &'static [Field] = &[
        inner(1, "seLinuxOptions", <crate::core_v1::SeLinuxOptions as Texts>::TEXTS),
        inner(7, "sysctls", <crate::core_v1::Sysctl as Texts>::TEXTS),
        inner(8, "windowsOptions", <crate::core_v1::WindowsSecurityContextOptions as Texts>::TEXTS),
        text(9, "fsGroupChangePolicy"),
        inner(10, "seccompProfile", <crate::core_v1::SeccompProfile as Texts>::TEXTS),
        inner(11, "appArmorProfile", <crate::core_v1::AppArmorProfile as Texts>::TEXTS),
        text(12, "supplementalGroupsPolicy"),
        text(13, "seLinuxChangePolicy"),
    ];
}

impl Texts for crate::core_v1::PodSpec {
    const TEXTS: &'static [Field] = &[
        inner(1, "volumes", <crate::core_v1::Volume as Texts>::TEXTS),
        inner(2, "containers", <crate::core_v1::Container as Texts>::TEXTS),
        text(3, "restartPolicy"),
        text(6, "dnsPolicy"),
        inner(7, "nodeSelector", &[text(1, ""), text(2, "")]),
        text(8, "serviceAccountName"),
        text(9, "serviceAccount"),
        text(10, "nodeName"),
        inner(14, "securityContext", <crate::core_v1::PodSecurityContext as Texts>::TEXTS),
        inner(15, "imagePullSecrets", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
        text(16, "hostname"),
        text(17, "subdomain"),
        inner(18, "affinity", <crate::core_v1::Affinity as Texts>::TEXTS),
        text(19, "schedulerName"),
        inner(20, "initContainers", <crate::core_v1::Container as Texts>::TEXTS),
        inner(22, "tolerations", <crate::core_v1::Toleration as Texts>::TEXTS),
        inner(23, "hostAliases", <crate::core_v1::HostAlias as Texts>::TEXTS),
        text(24, "priorityClassName"),
        inner(26, "dnsConfig", <crate::core_v1::PodDnsConfig as Texts>::TEXTS),
        inner(28, "readinessGates", <crate::core_v1::PodReadinessGate as Texts>::TEXTS),
        text(29, "runtimeClassName"),
        text(31, "preemptionPolicy"),
        inner(32, "overhead", &[text(1, ""), inner(2, "", <crate::resource::Quantity as Texts>::TEXTS)]),
        inner(33, "topologySpreadConstraints", <crate::core_v1::TopologySpreadConstraint as Texts>::TEXTS),
        inner(34, "ephemeralContainers", <crate::core_v1::EphemeralContainer as Texts>::TEXTS),
        inner(36, "os", <crate::core_v1::PodOs as Texts>::TEXTS),
        inner(38, "schedulingGates", <crate::core_v1::PodSchedulingGate as Texts>::TEXTS),
        inner(39, "resourceClaims", <crate::core_v1::PodResourceClaim as Texts>::TEXTS),
        inner(40, "resources", <crate::core_v1::ResourceRequirements as Texts>::TEXTS),
        text(41, "hostnameOverride"),
        inner(42, "workloadRef", <crate::core_v1::WorkloadReference as Texts>::TEXTS),
        inner(43, "schedulingGroup", <crate::core_v1::PodSchedulingGroup as Texts>::TEXTS),
        inner(44, "evictionResponders", <crate::core_v1::EvictionResponder as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::PodStatus {
    const TEXTS: &'static [Field] = &[
        text(1, "phase"),
        inner(2, "conditions", <crate::core_v1::PodCondition as Texts>::TEXTS),
        text(3, "message"),
        text(4, "reason"),
        text(5, "hostIP"),
        text(6, "podIP"),
        inner(8, "containerStatuses", <crate::core_v1::ContainerStatus as Texts>::TEXTS),
        text(9, "qosClass"),
        inner(10, "initContainerStatuses", <crate::core_v1::ContainerStatus as Texts>::TEXTS),
        text(11, "nominatedNodeName"),
        inner(12, "podIPs", <crate::core_v1::PodIp as Texts>::TEXTS),
        inner(13, "ephemeralContainerStatuses", <crate::core_v1::ContainerStatus as Texts>::TEXTS),
        text(14, "resize"),
        inner(15, "resourceClaimStatuses", <crate::core_v1::PodResourceClaimStatus as Texts>::TEXTS),
        inner(16, "hostIPs", <crate::core_v1::HostIp as Texts>::TEXTS),
        inner(18, "extendedResourceClaimStatus", <crate::core_v1::PodExtendedResourceClaimStatus as Texts>::TEXTS),
        inner(19, "allocatedResources", &[text(1, ""), inner(2, "", <crate::resource::Quantity as Texts>::TEXTS)]),
        inner(20, "resources", <crate::core_v1::ResourceRequirements as Texts>::TEXTS),
        inner(21, "nodeAllocatableResourceClaimStatuses", <crate::core_v1::NodeAllocatableResourceClaimStatus as Texts>::TEXTS),
        inner(22, "volumeHealth", <crate::core_v1::PodVolumeHealth as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::PodVolumeHealth {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        inner(2, "healthConditions", <crate::core_v1::VolumeHealthCondition as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::PortworxVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "volumeID"),
        text(2, "fsType"),
    ];
}

impl Texts for crate::core_v1::PreferredSchedulingTerm {
    const TEXTS: &'static [Field] = &[
        inner(2, "preference", <crate::core_v1::NodeSelectorTerm as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::Probe {
    const TEXTS: &'static [Field] = &[
        inner(1, "handler", <crate::core_v1::ProbeHandler as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ProbeHandler {
    const TEXTS: &'static [Field] = &[
        inner(1, "exec", <crate::core_v1::ExecAction as Texts>::TEXTS),
        inner(2, "httpGet", <crate::core_v1::HttpGetAction as Texts>::TEXTS),
        inner(3, "tcpSocket", <crate::core_v1::TcpSocketAction as Texts>::TEXTS),
        inner(4, "grpc", <crate::core_v1::GrpcAction as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ProjectedVolumeSource {
    const TEXTS: &'static [Field] = &[
        inner(1, "sources", <crate::core_v1::VolumeProjection as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::QuobyteVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "registry"),
        text(2, "volume"),
        text(4, "user"),
        text(5, "group"),
        text(6, "tenant"),
    ];
}

impl Texts for crate::core_v1::RbdVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "monitors"),
        text(2, "image"),
        text(3, "fsType"),
        text(4, "pool"),
        text(5, "user"),
        text(6, "keyring"),
        inner(7, "secretRef", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ResourceClaim {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "request"),
    ];
}

impl Texts for crate::core_v1::ResourceFieldSelector {
    const TEXTS: &'static [Field] = &[
        text(1, "containerName"),
        text(2, "resource"),
        inner(3, "divisor", <crate::resource::Quantity as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ResourceHealth {
    const TEXTS: &'static [Field] = &[
        text(1, "resourceID"),
        text(2, "health"),
        text(6, "message"),
    ];
}

impl Texts for crate::core_v1::ResourceRequirements {
    const TEXTS: &'static [Field] = &[
        inner(1, "limits", &[text(1, ""), inner(2, "", <crate::resource::Quantity as Texts>::TEXTS)]),
        inner(2, "requests", &[text(1, ""), inner(2, "", <crate::resource::Quantity as Texts>::TEXTS)]),
        inner(3, "claims", <crate::core_v1::ResourceClaim as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ResourceStatus {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        inner(2, "resources", <crate::core_v1::ResourceHealth as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::SeLinuxOptions {
    const TEXTS: &'static [Field] = &[
        text(1, "user"),
        text(2, "role"),
        text(3, "type"),
        text(4, "level"),
    ];
}

impl Texts for crate::core_v1::ScaleIoVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "gateway"),
        text(2, "system"),
        inner(3, "secretRef", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
        text(5, "protectionDomain"),
        text(6, "storagePool"),
        text(7, "storageMode"),
        text(8, "volumeName"),
        text(9, "fsType"),
    ];
}

impl Texts for crate::core_v1::SeccompProfile {
    const TEXTS: &'static [Field] = &[
        text(1, "type"),
        text(2, "localhostProfile"),
    ];
}

impl Texts for crate::core_v1::SecretEnvSource {
    const TEXTS: &'static [Field] = &[
        inner(1, "localObjectReference", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::SecretKeySelector {
    const TEXTS: &'static [Field] = &[
        inner(1, "localObjectReference", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
        text(2, "key"),
    ];
}

impl Texts for crate::core_v1::SecretProjection {
    const TEXTS: &'static [Field] = &[
        inner(1, "localObjectReference", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
        inner(2, "items", <crate::core_v1::KeyToPath as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::SecretVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "secretName"),
        inner(2, "items", <crate::core_v1::KeyToPath as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::SecurityContext {
    const TEXTS: &'static [Field] = &[
        inner(1, "capabilities", <crate::core_v1::Capabilities as Texts>::TEXTS),
        inner(3, "seLinuxOptions", <crate::core_v1::SeLinuxOptions as Texts>::TEXTS),
        text(9, "procMount"),
        inner(10, "windowsOptions", <crate::core_v1::WindowsSecurityContextOptions as Texts>::TEXTS),
        inner(11, "seccompProfile", <crate::core_v1::SeccompProfile as Texts>::TEXTS),
        inner(12, "appArmorProfile", <crate::core_v1::AppArmorProfile as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::ServiceAccountTokenProjection {
    const TEXTS: &'static [Field] = &[
        text(1, "audience"),
        text(3, "path"),
    ];
}

impl Texts for crate::core_v1::SleepAction {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::core_v1::StorageOsVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "volumeName"),
        text(2, "volumeNamespace"),
        text(3, "fsType"),
        inner(5, "secretRef", <crate::core_v1::LocalObjectReference as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::Sysctl {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "value"),
    ];
}

impl Texts for crate::core_v1::TcpSocketAction {
    const TEXTS: &'static [Field] = &[
        inner(1, "port", <crate::intstr::IntOrString as Texts>::TEXTS),
        text(2, "host"),
    ];
}

impl Texts for crate::core_v1::Toleration {
    const TEXTS: &'static [Field] = &[
        text(1, "key"),
        text(2, "operator"),
        text(3, "value"),
        text(4, "effect"),
    ];
}

impl Texts for crate::core_v1::TopologySpreadConstraint {
    const TEXTS: &'static [Field] = &[
        text(2, "topologyKey"),
        text(3, "whenUnsatisfiable"),
        inner(4, "labelSelector", <crate::meta_v1::LabelSelector as Texts>::TEXTS),
        text(6, "nodeAffinityPolicy"),
        text(7, "nodeTaintsPolicy"),
        text(8, "matchLabelKeys"),
    ];
}

impl Texts for crate::core_v1::TypedLocalObjectReference {
    const TEXTS: &'static [Field] = &[
        text(1, "apiGroup"),
        text(2, "kind"),
        text(3, "name"),
    ];
}

impl Texts for crate::core_v1::TypedObjectReference {
    const TEXTS: &'static [Field] = &[
        text(1, "apiGroup"),
        text(2, "kind"),
        text(3, "name"),
        text(4, "namespace"),
    ];
}

impl Texts for crate::core_v1::Volume {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        inner(2, "volumeSource", <crate::core_v1::VolumeSource as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::VolumeDevice {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "devicePath"),
    ];
}

impl Texts for crate::core_v1::VolumeHealthCondition {
    const TEXTS: &'static [Field] = &[
        text(1, "status"),
        text(2, "reason"),
        text(3, "message"),
    ];
}

impl Texts for crate::core_v1::VolumeMount {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(3, "mountPath"),
        text(4, "subPath"),
        text(5, "mountPropagation"),
        text(6, "subPathExpr"),
        text(7, "recursiveReadOnly"),
        text(8, "bindMountOptions"),
    ];
}

impl Texts for crate::core_v1::VolumeMountStatus {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "mountPath"),
        text(4, "recursiveReadOnly"),
        inner(5, "volumeStatus", <crate::core_v1::VolumeStatus as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::VolumeProjection {
    const TEXTS: &'static [Field] = &[
        inner(1, "secret", <crate::core_v1::SecretProjection as Texts>::TEXTS),
        inner(2, "downwardAPI", <crate::core_v1::DownwardApiProjection as Texts>::TEXTS),
        inner(3, "configMap", <crate::core_v1::ConfigMapProjection as Texts>::TEXTS),
        inner(4, "serviceAccountToken", <crate::core_v1::ServiceAccountTokenProjection as Texts>::TEXTS),
        inner(5, "clusterTrustBundle", <crate::core_v1::ClusterTrustBundleProjection as Texts>::TEXTS),
        inner(6, "podCertificate", <crate::core_v1::PodCertificateProjection as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::VolumeResourceRequirements {
    const TEXTS: &'static [Field] = &[
        inner(1, "limits", &[text(1, ""), inner(2, "", <crate::resource::Quantity as Texts>::TEXTS)]),
        inner(2, "requests", &[text(1, ""), inner(2, "", <crate::resource::Quantity as Texts>::TEXTS)]),
    ];
}

impl Texts for crate::core_v1::VolumeSource {
    const TEXTS: &'static [Field] = &[
        inner(1, "hostPath", <crate::core_v1::HostPathVolumeSource as Texts>::TEXTS),
        inner(2, "emptyDir", <crate::core_v1::EmptyDirVolumeSource as Texts>::TEXTS),
        inner(3, "gcePersistentDisk", <crate::core_v1::GcePersistentDiskVolumeSource as Texts>::TEXTS),
        inner(4, "awsElasticBlockStore", <crate::core_v1::AwsElasticBlockStoreVolumeSource as Texts>::TEXTS),
        inner(5, "gitRepo", <crate::core_v1::GitRepoVolumeSource as Texts>::TEXTS),
        inner(6, "secret", <crate::core_v1::SecretVolumeSource as Texts>::TEXTS),
        inner(7, "nfs", <crate::core_v1::NfsVolumeSource as Texts>::TEXTS),
        inner(8, "iscsi", <crate::core_v1::IscsiVolumeSource as Texts>::TEXTS),
        inner(9, "glusterfs", <crate::core_v1::GlusterfsVolumeSource as Texts>::TEXTS),
        inner(10, "persistentVolumeClaim", <crate::core_v1::PersistentVolumeClaimVolumeSource as Texts>::TEXTS),
        inner(11, "rbd", <crate::core_v1::RbdVolumeSource as Texts>::TEXTS),
        inner(12, "flexVolume", <crate::core_v1::FlexVolumeSource as Texts>::TEXTS),
        inner(13, "cinder", <crate::core_v1::CinderVolumeSource as Texts>::TEXTS),
        inner(14, "cephfs", <crate::core_v1::CephFsVolumeSource as Texts>::TEXTS),
        inner(15, "flocker", <crate::core_v1::FlockerVolumeSource as Texts>::TEXTS),
        inner(16, "downwardAPI", <crate::core_v1::DownwardApiVolumeSource as Texts>::TEXTS),
        inner(17, "fc", <crate::core_v1::FcVolumeSource as Texts>::TEXTS),
        inner(18, "azureFile", <crate::core_v1::AzureFileVolumeSource as Texts>::TEXTS),
        inner(19, "configMap", <crate::core_v1::ConfigMapVolumeSource as Texts>::TEXTS),
        inner(20, "vsphereVolume", <crate::core_v1::VsphereVirtualDiskVolumeSource as Texts>::TEXTS),
        inner(21, "quobyte", <crate::core_v1::QuobyteVolumeSource as Texts>::TEXTS),
        inner(22, "azureDisk", <crate::core_v1::AzureDiskVolumeSource as Texts>::TEXTS),
        inner(23, "photonPersistentDisk", <crate::core_v1::PhotonPersistentDiskVolumeSource as Texts>::TEXTS),
        inner(24, "portworxVolume", <crate::core_v1::PortworxVolumeSource as Texts>::TEXTS),
        inner(25, "scaleIO", <crate::core_v1::ScaleIoVolumeSource as Texts>::TEXTS),
        inner(26, "projected", <crate::core_v1::ProjectedVolumeSource as Texts>::TEXTS),
        inner(27, "storageos", <crate::core_v1::StorageOsVolumeSource as Texts>::TEXTS),
        inner(28, "csi", <crate::core_v1::CsiVolumeSource as Texts>::TEXTS),
        inner(29, "ephemeral", <crate::core_v1::EphemeralVolumeSource as Texts>::TEXTS),
        inner(30, "image", <crate::core_v1::ImageVolumeSource as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::VolumeStatus {
    const TEXTS: &'static [Field] = &[
        inner(1, "image", <crate::core_v1::ImageVolumeStatus as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::VsphereVirtualDiskVolumeSource {
    const TEXTS: &'static [Field] = &[
        text(1, "volumePath"),
        text(2, "fsType"),
        text(3, "storagePolicyName"),
        text(4, "storagePolicyID"),
    ];
}

impl Texts for crate::core_v1::WeightedPodAffinityTerm {
    const TEXTS: &'static [Field] = &[
        inner(2, "podAffinityTerm", <crate::core_v1::PodAffinityTerm as Texts>::TEXTS),
    ];
}

impl Texts for crate::core_v1::WindowsSecurityContextOptions {
    const TEXTS: &'static [Field] = &[
        text(1, "gmsaCredentialSpecName"),
        text(2, "gmsaCredentialSpec"),
        text(3, "runAsUserName"),
    ];
}

impl Texts for crate::core_v1::WorkloadReference {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "podGroup"),
        text(3, "podGroupReplicaKey"),
    ];
}

impl Texts for crate::resource::Quantity {
    const TEXTS: &'static [Field] = &[
        text(1, "string"),
    ];
}

impl Texts for crate::meta_v1::FieldsV1 {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::meta_v1::LabelSelector {
    const TEXTS: &'static [Field] = &[
        inner(1, "matchLabels", &[text(1, ""), text(2, "")]),
        inner(2, "matchExpressions", <crate::meta_v1::LabelSelectorRequirement as Texts>::TEXTS),
    ];
}

impl Texts for crate::meta_v1::LabelSelectorRequirement {
    const TEXTS: &'static [Field] = &[
        text(1, "key"),
        text(2, "operator"),
        text(3, "values"),
    ];
}

impl Texts for crate::meta_v1::ManagedFieldsEntry {
    const TEXTS: &'static [Field] = &[
        text(1, "manager"),
        text(2, "operation"),
        text(3, "apiVersion"),
        text(6, "fieldsType"),
        text(8, "subresource"),
    ];
}

impl Texts for crate::meta_v1::ObjectMeta {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "generateName"),
        text(3, "namespace"),
        text(4, "selfLink"),
        text(5, "uid"),
        text(6, "resourceVersion"),
        inner(11, "labels", &[text(1, ""), text(2, "")]),
        inner(12, "annotations", &[text(1, ""), text(2, "")]),
        inner(13, "ownerReferences", <crate::meta_v1::OwnerReference as Texts>::TEXTS),
        text(14, "finalizers"),
        inner(17, "managedFields", <crate::meta_v1::ManagedFieldsEntry as Texts>::TEXTS),
    ];
}

impl Texts for crate::meta_v1::OwnerReference {
    const TEXTS: &'static [Field] = &[
        text(1, "kind"),
        text(3, "name"),
        text(4, "uid"),
        text(5, "apiVersion"),
    ];
}

impl Texts for crate::meta_v1::Time {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::intstr::IntOrString {
    const TEXTS: &'static [Field] = &[
        text(3, "strVal"),
    ];
}

impl Texts for crate::diagnostics::GetStatusRequest {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::diagnostics::GetStatusResponse {
    const TEXTS: &'static [Field] = &[
        text(1, "version"),
        text(2, "schema_version"),
        text(4, "waiting_for"),
        inner(5, "sources", <crate::diagnostics::Source as Texts>::TEXTS),
        text(10, "node_name"),
    ];
}

impl Texts for crate::diagnostics::Source {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "kind"),
        text(5, "last_error"),
    ];
}

impl Texts for crate::diagnostics::Watch {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::Container {
    const TEXTS: &'static [Field] = &[
        text(1, "id"),
        text(2, "pod_sandbox_id"),
        inner(3, "metadata", <crate::cri::ContainerMetadata as Texts>::TEXTS),
        inner(4, "image", <crate::cri::ImageSpec as Texts>::TEXTS),
        text(5, "image_ref"),
        inner(8, "labels", &[text(1, ""), text(2, "")]),
        inner(9, "annotations", &[text(1, ""), text(2, "")]),
        text(10, "image_id"),
    ];
}

impl Texts for crate::cri::ContainerConfig {
    const TEXTS: &'static [Field] = &[
        inner(1, "metadata", <crate::cri::ContainerMetadata as Texts>::TEXTS),
        inner(2, "image", <crate::cri::ImageSpec as Texts>::TEXTS),
        text(3, "command"),
        text(4, "args"),
        inner(7, "mounts", <crate::cri::Mount as Texts>::TEXTS),
        inner(9, "labels", &[text(1, ""), text(2, "")]),
        inner(10, "annotations", &[text(1, ""), text(2, "")]),
        text(11, "log_path"),
        inner(15, "linux", <crate::cri::LinuxContainerConfig as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::ContainerEventResponse {
    const TEXTS: &'static [Field] = &[
        text(1, "container_id"),
    ];
}

impl Texts for crate::cri::ContainerMetadata {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
    ];
}

impl Texts for crate::cri::ContainerResources {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::ContainerStatus {
    const TEXTS: &'static [Field] = &[
        text(1, "id"),
        inner(2, "metadata", <crate::cri::ContainerMetadata as Texts>::TEXTS),
        inner(8, "image", <crate::cri::ImageSpec as Texts>::TEXTS),
        text(9, "image_ref"),
        text(10, "reason"),
        text(11, "message"),
        inner(12, "labels", &[text(1, ""), text(2, "")]),
        inner(13, "annotations", &[text(1, ""), text(2, "")]),
        inner(14, "mounts", <crate::cri::Mount as Texts>::TEXTS),
        text(15, "log_path"),
        text(17, "image_id"),
    ];
}

impl Texts for crate::cri::ContainerStatusRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "container_id"),
    ];
}

impl Texts for crate::cri::ContainerStatusResponse {
    const TEXTS: &'static [Field] = &[
        inner(1, "status", <crate::cri::ContainerStatus as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::ContainerUser {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::CreateContainerRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "pod_sandbox_id"),
        inner(2, "config", <crate::cri::ContainerConfig as Texts>::TEXTS),
        inner(3, "sandbox_config", <crate::cri::PodSandboxConfig as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::CreateContainerResponse {
    const TEXTS: &'static [Field] = &[
        text(1, "container_id"),
    ];
}

impl Texts for crate::cri::GetEventsRequest {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::ImageSpec {
    const TEXTS: &'static [Field] = &[
        text(1, "image"),
        text(18, "user_specified_image"),
    ];
}

impl Texts for crate::cri::LinuxContainerConfig {
    const TEXTS: &'static [Field] = &[
        inner(2, "security_context", <crate::cri::LinuxContainerSecurityContext as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::LinuxContainerResources {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::LinuxContainerSecurityContext {
    const TEXTS: &'static [Field] = &[
        inner(3, "namespace_options", <crate::cri::NamespaceOption as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::LinuxContainerUser {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::LinuxPodSandboxConfig {
    const TEXTS: &'static [Field] = &[
        text(1, "cgroup_parent"),
        inner(2, "security_context", <crate::cri::LinuxSandboxSecurityContext as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::LinuxPodSandboxStatus {
    const TEXTS: &'static [Field] = &[
        inner(1, "namespaces", <crate::cri::Namespace as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::LinuxSandboxSecurityContext {
    const TEXTS: &'static [Field] = &[
        inner(1, "namespace_options", <crate::cri::NamespaceOption as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::ListContainersRequest {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::ListContainersResponse {
    const TEXTS: &'static [Field] = &[
        inner(1, "containers", <crate::cri::Container as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::ListPodSandboxRequest {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::ListPodSandboxResponse {
    const TEXTS: &'static [Field] = &[
        inner(1, "items", <crate::cri::PodSandbox as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::Mount {
    const TEXTS: &'static [Field] = &[
        text(1, "container_path"),
        text(2, "host_path"),
    ];
}

impl Texts for crate::cri::Namespace {
    const TEXTS: &'static [Field] = &[
        inner(2, "options", <crate::cri::NamespaceOption as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::NamespaceOption {
    const TEXTS: &'static [Field] = &[
        text(4, "target_id"),
    ];
}

impl Texts for crate::cri::PodIp {
    const TEXTS: &'static [Field] = &[
        text(1, "ip"),
    ];
}

impl Texts for crate::cri::PodSandbox {
    const TEXTS: &'static [Field] = &[
        text(1, "id"),
        inner(2, "metadata", <crate::cri::PodSandboxMetadata as Texts>::TEXTS),
        inner(5, "labels", &[text(1, ""), text(2, "")]),
        inner(6, "annotations", &[text(1, ""), text(2, "")]),
        text(7, "runtime_handler"),
    ];
}

impl Texts for crate::cri::PodSandboxConfig {
    const TEXTS: &'static [Field] = &[
        inner(1, "metadata", <crate::cri::PodSandboxMetadata as Texts>::TEXTS),
        text(2, "hostname"),
        text(3, "log_directory"),
        inner(6, "labels", &[text(1, ""), text(2, "")]),
        inner(7, "annotations", &[text(1, ""), text(2, "")]),
        inner(8, "linux", <crate::cri::LinuxPodSandboxConfig as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::PodSandboxMetadata {
    const TEXTS: &'static [Field] = &[
        text(1, "name"),
        text(2, "uid"),
        text(3, "namespace"),
    ];
}

impl Texts for crate::cri::PodSandboxNetworkStatus {
    const TEXTS: &'static [Field] = &[
        text(1, "ip"),
        inner(2, "additional_ips", <crate::cri::PodIp as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::PodSandboxStatus {
    const TEXTS: &'static [Field] = &[
        text(1, "id"),
        inner(2, "metadata", <crate::cri::PodSandboxMetadata as Texts>::TEXTS),
        inner(5, "network", <crate::cri::PodSandboxNetworkStatus as Texts>::TEXTS),
        inner(6, "linux", <crate::cri::LinuxPodSandboxStatus as Texts>::TEXTS),
        inner(7, "labels", &[text(1, ""), text(2, "")]),
        inner(8, "annotations", &[text(1, ""), text(2, "")]),
        text(9, "runtime_handler"),
    ];
}

impl Texts for crate::cri::PodSandboxStatusRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "pod_sandbox_id"),
    ];
}

impl Texts for crate::cri::PodSandboxStatusResponse {
    const TEXTS: &'static [Field] = &[
        inner(1, "status", <crate::cri::PodSandboxStatus as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::RemoveContainerRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "container_id"),
    ];
}

impl Texts for crate::cri::RemoveContainerResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::RemovePodSandboxRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "pod_sandbox_id"),
    ];
}

impl Texts for crate::cri::RemovePodSandboxResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::RunPodSandboxRequest {
    const TEXTS: &'static [Field] = &[
        inner(1, "config", <crate::cri::PodSandboxConfig as Texts>::TEXTS),
        text(2, "runtime_handler"),
    ];
}

impl Texts for crate::cri::RunPodSandboxResponse {
    const TEXTS: &'static [Field] = &[
        text(1, "pod_sandbox_id"),
    ];
}

impl Texts for crate::cri::RuntimeCondition {
    const TEXTS: &'static [Field] = &[
        text(1, "type"),
        text(3, "reason"),
        text(4, "message"),
    ];
}

impl Texts for crate::cri::RuntimeStatus {
    const TEXTS: &'static [Field] = &[
        inner(1, "conditions", <crate::cri::RuntimeCondition as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::StartContainerRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "container_id"),
    ];
}

impl Texts for crate::cri::StartContainerResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::StatusRequest {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::StatusResponse {
    const TEXTS: &'static [Field] = &[
        inner(1, "status", <crate::cri::RuntimeStatus as Texts>::TEXTS),
    ];
}

impl Texts for crate::cri::StopContainerRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "container_id"),
    ];
}

impl Texts for crate::cri::StopContainerResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::StopPodSandboxRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "pod_sandbox_id"),
    ];
}

impl Texts for crate::cri::StopPodSandboxResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::cri::VersionRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "version"),
    ];
}

impl Texts for crate::cri::VersionResponse {
    const TEXTS: &'static [Field] = &[
        text(1, "version"),
        text(2, "runtime_name"),
        text(3, "runtime_version"),
        text(4, "runtime_api_version"),
    ];
}

impl Texts for crate::v1alpha1::GetPodRequest {
    const TEXTS: &'static [Field] = &[
        text(1, "podUID"),
    ];
}

impl Texts for crate::v1alpha1::GetPodResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::v1alpha1::ListPodsRequest {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::v1alpha1::ListPodsResponse {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::v1alpha1::WatchPodsEvent {
    const TEXTS: &'static [Field] = &[];
}

impl Texts for crate::v1alpha1::WatchPodsRequest {
    const TEXTS: &'static [Field] = &[];
}

const fn text(number: u32, name: &'static str) -> Field {
    Field { number, name, holds: Holds::Text }
}

const fn inner(number: u32, name: &'static str, fields: &'static [Field]) -> Field {
    Field { number, name, holds: Holds::Message(fields) }
}

//! Generated from `protos` by the test `regenerate`; not edited by hand.

use crate::schema::{Message, Opaque, Row, Slot};

/// The Kubernetes release that the table is of.
pub const SCHEMA_VERSION: &str = "v1.37.2";

impl Message {
    /// The message `Container`.
    pub const CONTAINER: Self = Self(15);
    /// The message `ObjectMeta`.
    pub const OBJECT_META: Self = Self(74);
    /// The message `Pod`.
    pub const POD: Self = Self(80);
    /// The message `PodSpec`.
    pub const POD_SPEC: Self = Self(97);
    /// The message `PodStatus`.
    pub const POD_STATUS: Self = Self(98);
    /// The message `Time`.
    pub const TIME: Self = Self(126);
}

pub(crate) static MESSAGES: [Row; 144] = [
    row(0, 0, 4, None), // AWSElasticBlockStoreVolumeSource
    row(33, 4, 3, None), // Affinity
    row(42, 7, 2, None), // AppArmorProfile
    row(58, 9, 6, None), // AzureDiskVolumeSource
    row(80, 15, 3, None), // AzureFileVolumeSource
    row(102, 18, 5, None), // CSIVolumeSource
    row(118, 23, 2, None), // Capabilities
    row(131, 25, 6, None), // CephFSVolumeSource
    row(150, 31, 4, None), // CinderVolumeSource
    row(169, 35, 2, None), // ClaimSource
    row(181, 37, 6, None), // ClusterTrustBundleProjection
    row(210, 43, 2, None), // ConfigMapEnvSource
    row(229, 45, 3, None), // ConfigMapKeySelector
    row(250, 48, 4, None), // ConfigMapProjection
    row(270, 52, 5, None), // ConfigMapVolumeSource
    row(292, 57, 25, None), // Container
    row(302, 82, 3, None), // ContainerExtendedResourceRequest
    row(335, 85, 5, None), // ContainerPort
    row(349, 90, 2, None), // ContainerResizePolicy
    row(371, 92, 2, None), // ContainerRestartRule
    row(392, 94, 2, None), // ContainerRestartRuleOnExitCodes
    row(424, 96, 3, None), // ContainerState
    row(439, 99, 1, None), // ContainerStateRunning
    row(461, 100, 7, None), // ContainerStateTerminated
    row(486, 107, 2, None), // ContainerStateWaiting
    row(508, 109, 15, None), // ContainerStatus
    row(524, 124, 1, None), // ContainerUser
    row(538, 125, 1, None), // DownwardAPIProjection
    row(560, 126, 5, None), // DownwardAPIVolumeFile
    row(582, 131, 3, None), // DownwardAPIVolumeSource
    row(606, 134, 3, None), // EmptyDirVolumeSource
    row(627, 137, 3, None), // EnvFromSource
    row(641, 140, 3, None), // EnvVar
    row(648, 143, 5, None), // EnvVarSource
    row(661, 148, 2, None), // EphemeralContainer
    row(680, 150, 25, None), // EphemeralContainerCommon
    row(705, 175, 1, None), // EphemeralVolumeSource
    row(727, 176, 2, None), // EvictionResponder
    row(745, 178, 1, None), // ExecAction
    row(756, 179, 5, None), // FCVolumeSource
    row(771, 184, 1, Some(Opaque::FieldsV1)), // FieldsV1
    row(780, 185, 4, None), // FileKeySelector
    row(796, 189, 5, None), // FlexVolumeSource
    row(813, 194, 2, None), // FlockerVolumeSource
    row(833, 196, 4, None), // GCEPersistentDiskVolumeSource
    row(863, 200, 3, None), // GRPCAction
    row(874, 203, 3, None), // GitRepoVolumeSource
    row(894, 206, 3, None), // GlusterfsVolumeSource
    row(916, 209, 6, None), // HTTPGetAction
    row(930, 215, 2, None), // HTTPHeader
    row(941, 217, 2, None), // HostAlias
    row(951, 219, 1, None), // HostIP
    row(958, 220, 2, None), // HostPathVolumeSource
    row(979, 222, 12, None), // ISCSIVolumeSource
    row(997, 234, 2, None), // ImageVolumeSource
    row(1015, 236, 1, None), // ImageVolumeStatus
    row(1033, 237, 3, Some(Opaque::IntOrString)), // IntOrString
    row(1045, 240, 4, None), // KeyToPath
    row(1055, 244, 2, None), // LabelSelector
    row(1069, 246, 3, None), // LabelSelectorRequirement
    row(1094, 249, 3, None), // Lifecycle
    row(1104, 252, 4, None), // LifecycleHandler
    row(1121, 256, 3, None), // LinuxContainerUser
    row(1140, 259, 1, None), // LocalObjectReference
    row(1161, 260, 8, None), // ManagedFieldsEntry
    row(1180, 268, 3, None), // NFSVolumeSource
    row(1196, 271, 2, None), // NodeAffinity
    row(1209, 273, 2, None), // NodeAllocatableMappedResources
    row(1240, 275, 3, None), // NodeAllocatableOverheadResources
    row(1273, 278, 5, None), // NodeAllocatableResourceClaimStatus
    row(1308, 283, 1, None), // NodeSelector
    row(1321, 284, 3, None), // NodeSelectorRequirement
    row(1345, 287, 2, None), // NodeSelectorTerm
    row(1362, 289, 2, None), // ObjectFieldSelector
    row(1382, 291, 17, None), // ObjectMeta
    row(1393, 308, 7, None), // OwnerReference
    row(1408, 315, 9, None), // PersistentVolumeClaimSpec
    row(1434, 324, 2, None), // PersistentVolumeClaimTemplate
    row(1464, 326, 2, None), // PersistentVolumeClaimVolumeSource
    row(1498, 328, 2, None), // PhotonPersistentDiskVolumeSource
    row(1531, 330, 3, None), // Pod
    row(1535, 333, 2, None), // PodAffinity
    row(1547, 335, 6, None), // PodAffinityTerm
    row(1563, 341, 2, None), // PodAntiAffinity
    row(1579, 343, 8, None), // PodCertificateProjection
    row(1604, 351, 7, None), // PodCondition
    row(1617, 358, 3, None), // PodDNSConfig
    row(1630, 361, 2, None), // PodDNSConfigOption
    row(1649, 363, 2, None), // PodExtendedResourceClaimStatus
    row(1680, 365, 1, None), // PodIP
    row(1686, 366, 1, None), // PodOS
    row(1692, 367, 1, None), // PodReadinessGate
    row(1709, 368, 4, None), // PodResourceClaim
    row(1726, 372, 2, None), // PodResourceClaimStatus
    row(1749, 374, 1, None), // PodSchedulingGate
    row(1767, 375, 1, None), // PodSchedulingGroup
    row(1786, 376, 13, None), // PodSecurityContext
    row(1805, 389, 44, None), // PodSpec
    row(1813, 433, 22, None), // PodStatus
    row(1823, 455, 3, None), // PodVolumeHealth
    row(1839, 458, 3, None), // PortworxVolumeSource
    row(1860, 461, 2, None), // PreferredSchedulingTerm
    row(1884, 463, 7, None), // Probe
    row(1890, 470, 4, None), // ProbeHandler
    row(1903, 474, 3, None), // ProjectedVolumeSource
    row(1925, 477, 1, Some(Opaque::Quantity)), // Quantity
    row(1934, 478, 6, None), // QuobyteVolumeSource
    row(1954, 484, 8, None), // RBDVolumeSource
    row(1974, 492, 2, None), // ResourceClaim
    row(1988, 494, 3, None), // ResourceFieldSelector
    row(2010, 497, 6, None), // ResourceHealth
    row(2025, 503, 3, None), // ResourceRequirements
    row(2046, 506, 2, None), // ResourceStatus
    row(2061, 508, 4, None), // SELinuxOptions
    row(2076, 512, 10, None), // ScaleIOVolumeSource
    row(2096, 522, 2, None), // SeccompProfile
    row(2111, 524, 2, None), // SecretEnvSource
    row(2127, 526, 3, None), // SecretKeySelector
    row(2145, 529, 4, None), // SecretProjection
    row(2162, 533, 5, None), // SecretVolumeSource
    row(2181, 538, 12, None), // SecurityContext
    row(2197, 550, 4, None), // ServiceAccountTokenProjection
    row(2227, 554, 1, None), // SleepAction
    row(2239, 555, 5, None), // StorageOSVolumeSource
    row(2261, 560, 2, None), // Sysctl
    row(2268, 562, 2, None), // TCPSocketAction
    row(2284, 564, 2, Some(Opaque::Time)), // Time
    row(2289, 566, 5, None), // Toleration
    row(2300, 571, 8, None), // TopologySpreadConstraint
    row(2325, 579, 3, None), // TypedLocalObjectReference
    row(2351, 582, 4, None), // TypedObjectReference
    row(2372, 586, 2, None), // Volume
    row(2379, 588, 2, None), // VolumeDevice
    row(2392, 590, 3, None), // VolumeHealthCondition
    row(2414, 593, 8, None), // VolumeMount
    row(2426, 601, 5, None), // VolumeMountStatus
    row(2444, 606, 6, None), // VolumeProjection
    row(2461, 612, 2, None), // VolumeResourceRequirements
    row(2488, 614, 30, None), // VolumeSource
    row(2501, 644, 1, None), // VolumeStatus
    row(2514, 645, 4, None), // VsphereVirtualDiskVolumeSource
    row(2545, 649, 2, None), // WeightedPodAffinityTerm
    row(2569, 651, 4, None), // WindowsSecurityContextOptions
    row(2599, 655, 3, None), // WorkloadReference
];

pub(crate) static SLOTS: [Slot; 658] = [
    // AWSElasticBlockStoreVolumeSource
    slot(7102, Slot::STRING, 0), // volumeID
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    slot(5001, Slot::INT32, Slot::OMITEMPTY), // partition
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    // Affinity
    slot(4753, 66, Slot::POINTER | Slot::OMITEMPTY), // nodeAffinity
    slot(5111, 81, Slot::POINTER | Slot::OMITEMPTY), // podAffinity
    slot(5139, 83, Slot::POINTER | Slot::OMITEMPTY), // podAntiAffinity
    // AppArmorProfile
    slot(6952, Slot::STRING, 0), // type
    slot(4457, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // localhostProfile
    // AzureDiskVolumeSource
    slot(3372, Slot::STRING, 0), // diskName
    slot(3381, Slot::STRING, 0), // diskURI
    slot(2908, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // cachingMode
    slot(3808, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // fsType
    slot(5489, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // readOnly
    slot(4324, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // kind
    // AzureFileVolumeSource
    slot(6173, Slot::STRING, 0), // secretName
    slot(6315, Slot::STRING, 0), // shareName
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    // CSIVolumeSource
    slot(3429, Slot::STRING, 0), // driver
    slot(5489, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // readOnly
    slot(3808, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // fsType
    slot(7012, Slot::STRING, Slot::MAP | Slot::OMITEMPTY), // volumeAttributes
    slot(4831, 63, Slot::POINTER | Slot::OMITEMPTY), // nodePublishSecretRef
    // Capabilities
    slot(2658, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // add
    slot(3436, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // drop
    // CephFSVolumeSource
    slot(4651, Slot::STRING, Slot::REPEATED), // monitors
    slot(5011, Slot::STRING, Slot::OMITEMPTY), // path
    slot(6961, Slot::STRING, Slot::OMITEMPTY), // user
    slot(6149, Slot::STRING, Slot::OMITEMPTY), // secretFile
    slot(6184, 63, Slot::POINTER | Slot::OMITEMPTY), // secretRef
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    // CinderVolumeSource
    slot(7102, Slot::STRING, 0), // volumeID
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    slot(6184, 63, Slot::POINTER | Slot::OMITEMPTY), // secretRef
    // ClaimSource
    slot(5733, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY | Slot::TOMBSTONE), // resourceClaimName
    slot(5773, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY | Slot::TOMBSTONE), // resourceClaimTemplateName
    // ClusterTrustBundleProjection
    slot(4687, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // name
    slot(6354, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // signerName
    slot(4329, 58, Slot::POINTER | Slot::OMITEMPTY), // labelSelector
    slot(5011, Slot::STRING, 0), // path
    slot(4956, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // optional
    slot(6961, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // user
    // ConfigMapEnvSource
    slot(4436, 63, Slot::HOP), // localObjectReference
    slot(4956, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // optional
    // ConfigMapKeySelector
    slot(4436, 63, Slot::HOP), // localObjectReference
    slot(4296, Slot::STRING, 0), // key
    slot(4956, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // optional
    // ConfigMapProjection
    slot(4436, 63, Slot::HOP), // localObjectReference
    slot(4290, 57, Slot::REPEATED | Slot::OMITEMPTY), // items
    Slot::NONE,
    slot(4956, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // optional
    // ConfigMapVolumeSource
    slot(4436, 63, Slot::HOP), // localObjectReference
    slot(4290, 57, Slot::REPEATED | Slot::OMITEMPTY), // items
    slot(3282, Slot::INT32, Slot::POINTER | Slot::OMITEMPTY), // defaultMode
    slot(4956, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // optional
    slot(3294, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // defaultUser
    // Container
    slot(4687, Slot::STRING, 0), // name
    slot(4128, Slot::STRING, Slot::OMITEMPTY), // image
    slot(3038, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // command
    slot(2788, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // args
    slot(7269, Slot::STRING, Slot::OMITEMPTY), // workingDir
    slot(5242, 17, Slot::REPEATED | Slot::OMITEMPTY), // ports
    slot(3486, 32, Slot::REPEATED | Slot::OMITEMPTY), // env
    slot(5871, 111, Slot::OMITEMPTY), // resources
    slot(7122, 134, Slot::REPEATED | Slot::OMITEMPTY), // volumeMounts
    slot(4422, 102, Slot::POINTER | Slot::OMITEMPTY), // livenessProbe
    slot(5536, 102, Slot::POINTER | Slot::OMITEMPTY), // readinessProbe
    slot(4399, 60, Slot::POINTER | Slot::OMITEMPTY), // lifecycle
    slot(6812, Slot::STRING, Slot::OMITEMPTY), // terminationMessagePath
    slot(4142, Slot::STRING, Slot::OMITEMPTY), // imagePullPolicy
    slot(6194, 120, Slot::POINTER | Slot::OMITEMPTY), // securityContext
    slot(6466, Slot::BOOL, Slot::OMITEMPTY), // stdin
    slot(6472, Slot::BOOL, Slot::OMITEMPTY), // stdinOnce
    slot(6948, Slot::BOOL, Slot::OMITEMPTY), // tty
    slot(3490, 31, Slot::REPEATED | Slot::OMITEMPTY), // envFrom
    slot(6835, Slot::STRING, Slot::OMITEMPTY), // terminationMessagePolicy
    slot(7075, 132, Slot::REPEATED | Slot::OMITEMPTY), // volumeDevices
    slot(6440, 102, Slot::POINTER | Slot::OMITEMPTY), // startupProbe
    slot(5711, 18, Slot::REPEATED | Slot::OMITEMPTY), // resizePolicy
    slot(5894, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // restartPolicy
    slot(5908, 19, Slot::REPEATED | Slot::OMITEMPTY), // restartPolicyRules
    // ContainerExtendedResourceRequest
    slot(3122, Slot::STRING, 0), // containerName
    slot(5842, Slot::STRING, 0), // resourceName
    slot(5636, Slot::STRING, 0), // requestName
    // ContainerPort
    slot(4687, Slot::STRING, Slot::OMITEMPTY), // name
    slot(4041, Slot::INT32, Slot::OMITEMPTY), // hostPort
    slot(3136, Slot::INT32, 0), // containerPort
    slot(5439, Slot::STRING, Slot::OMITEMPTY), // protocol
    slot(3989, Slot::STRING, Slot::OMITEMPTY), // hostIP
    // ContainerResizePolicy
    slot(5842, Slot::STRING, 0), // resourceName
    slot(5894, Slot::STRING, 0), // restartPolicy
    // ContainerRestartRule
    slot(2629, Slot::STRING, Slot::OMITEMPTY), // action
    slot(3613, 20, Slot::POINTER | Slot::OMITEMPTY), // exitCodes
    // ContainerRestartRuleOnExitCodes
    slot(4947, Slot::STRING, Slot::OMITEMPTY), // operator
    slot(6998, Slot::INT32, Slot::REPEATED | Slot::OMITEMPTY), // values
    // ContainerState
    slot(7221, 24, Slot::POINTER | Slot::OMITEMPTY), // waiting
    slot(5989, 22, Slot::POINTER | Slot::OMITEMPTY), // running
    slot(6771, 23, Slot::POINTER | Slot::OMITEMPTY), // terminated
    // ContainerStateRunning
    slot(6430, 126, Slot::OMITEMPTY), // startedAt
    // ContainerStateTerminated
    slot(3604, Slot::INT32, 0), // exitCode
    slot(6347, Slot::INT32, Slot::OMITEMPTY), // signal
    slot(5557, Slot::STRING, Slot::OMITEMPTY), // reason
    slot(4600, Slot::STRING, Slot::OMITEMPTY), // message
    slot(6430, 126, Slot::OMITEMPTY), // startedAt
    slot(3750, 126, Slot::OMITEMPTY), // finishedAt
    slot(3110, Slot::STRING, Slot::OMITEMPTY), // containerID
    // ContainerStateWaiting
    slot(5557, Slot::STRING, Slot::OMITEMPTY), // reason
    slot(4600, Slot::STRING, Slot::OMITEMPTY), // message
    // ContainerStatus
    slot(4687, Slot::STRING, 0), // name
    slot(6453, 21, Slot::OMITEMPTY), // state
    slot(4364, 21, Slot::OMITEMPTY), // lastState
    slot(5551, Slot::BOOL, 0), // ready
    slot(5881, Slot::INT32, 0), // restartCount
    slot(4128, Slot::STRING, 0), // image
    slot(4134, Slot::STRING, 0), // imageID
    slot(3110, Slot::STRING, Slot::OMITEMPTY), // containerID
    slot(6422, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // started
    slot(2671, 105, Slot::MAP | Slot::OMITEMPTY), // allocatedResources
    slot(5871, 111, Slot::POINTER | Slot::OMITEMPTY), // resources
    slot(7122, 135, Slot::REPEATED | Slot::OMITEMPTY), // volumeMounts
    slot(6961, 26, Slot::POINTER | Slot::OMITEMPTY), // user
    slot(2690, 112, Slot::REPEATED | Slot::OMITEMPTY), // allocatedResourcesStatus
    slot(6482, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // stopSignal
    // ContainerUser
    slot(4416, 62, Slot::POINTER | Slot::OMITEMPTY), // linux
    // DownwardAPIProjection
    slot(4290, 28, Slot::REPEATED | Slot::OMITEMPTY), // items
    // DownwardAPIVolumeFile
    slot(5011, Slot::STRING, 0), // path
    slot(3699, 73, Slot::POINTER | Slot::OMITEMPTY), // fieldRef
    slot(5814, 109, Slot::POINTER | Slot::OMITEMPTY), // resourceFieldRef
    slot(4646, Slot::INT32, Slot::POINTER | Slot::OMITEMPTY), // mode
    slot(6961, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // user
    // DownwardAPIVolumeSource
    slot(4290, 28, Slot::REPEATED | Slot::OMITEMPTY), // items
    slot(3282, Slot::INT32, Slot::POINTER | Slot::OMITEMPTY), // defaultMode
    slot(3294, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // defaultUser
    // EmptyDirVolumeSource
    slot(4593, Slot::STRING, Slot::OMITEMPTY), // medium
    slot(6365, 105, Slot::POINTER | Slot::OMITEMPTY), // sizeLimit
    slot(4646, Slot::INT32, Slot::POINTER | Slot::OMITEMPTY), // mode
    // EnvFromSource
    slot(5357, Slot::STRING, Slot::OMITEMPTY), // prefix
    slot(3097, 11, Slot::POINTER | Slot::OMITEMPTY), // configMapRef
    slot(6184, 116, Slot::POINTER | Slot::OMITEMPTY), // secretRef
    // EnvVar
    slot(4687, Slot::STRING, 0), // name
    slot(6982, Slot::STRING, Slot::OMITEMPTY), // value
    slot(6988, 33, Slot::POINTER | Slot::OMITEMPTY), // valueFrom
    // EnvVarSource
    slot(3699, 73, Slot::POINTER | Slot::OMITEMPTY), // fieldRef
    slot(5814, 109, Slot::POINTER | Slot::OMITEMPTY), // resourceFieldRef
    slot(3081, 12, Slot::POINTER | Slot::OMITEMPTY), // configMapKeyRef
    slot(6160, 117, Slot::POINTER | Slot::OMITEMPTY), // secretKeyRef
    slot(3728, 41, Slot::POINTER | Slot::OMITEMPTY), // fileKeyRef
    // EphemeralContainer
    slot(3508, 35, Slot::HOP), // ephemeralContainerCommon
    slot(6710, Slot::STRING, Slot::OMITEMPTY), // targetContainerName
    // EphemeralContainerCommon
    slot(4687, Slot::STRING, 0), // name
    slot(4128, Slot::STRING, Slot::OMITEMPTY), // image
    slot(3038, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // command
    slot(2788, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // args
    slot(7269, Slot::STRING, Slot::OMITEMPTY), // workingDir
    slot(5242, 17, Slot::REPEATED | Slot::OMITEMPTY), // ports
    slot(3486, 32, Slot::REPEATED | Slot::OMITEMPTY), // env
    slot(5871, 111, Slot::OMITEMPTY), // resources
    slot(7122, 134, Slot::REPEATED | Slot::OMITEMPTY), // volumeMounts
    slot(4422, 102, Slot::POINTER | Slot::OMITEMPTY), // livenessProbe
    slot(5536, 102, Slot::POINTER | Slot::OMITEMPTY), // readinessProbe
    slot(4399, 60, Slot::POINTER | Slot::OMITEMPTY), // lifecycle
    slot(6812, Slot::STRING, Slot::OMITEMPTY), // terminationMessagePath
    slot(4142, Slot::STRING, Slot::OMITEMPTY), // imagePullPolicy
    slot(6194, 120, Slot::POINTER | Slot::OMITEMPTY), // securityContext
    slot(6466, Slot::BOOL, Slot::OMITEMPTY), // stdin
    slot(6472, Slot::BOOL, Slot::OMITEMPTY), // stdinOnce
    slot(6948, Slot::BOOL, Slot::OMITEMPTY), // tty
    slot(3490, 31, Slot::REPEATED | Slot::OMITEMPTY), // envFrom
    slot(6835, Slot::STRING, Slot::OMITEMPTY), // terminationMessagePolicy
    slot(7075, 132, Slot::REPEATED | Slot::OMITEMPTY), // volumeDevices
    slot(6440, 102, Slot::POINTER | Slot::OMITEMPTY), // startupProbe
    slot(5711, 18, Slot::REPEATED | Slot::OMITEMPTY), // resizePolicy
    slot(5894, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // restartPolicy
    slot(5908, 19, Slot::REPEATED | Slot::OMITEMPTY), // restartPolicyRules
    // EphemeralVolumeSource
    slot(7055, 77, Slot::POINTER | Slot::OMITEMPTY), // volumeClaimTemplate
    // EvictionResponder
    slot(4687, Slot::STRING, 0), // name
    slot(5364, Slot::INT32, Slot::POINTER), // priority
    // ExecAction
    slot(3038, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // command
    // FCVolumeSource
    slot(6743, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // targetWWNs
    slot(4474, Slot::INT32, Slot::POINTER | Slot::OMITEMPTY), // lun
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    slot(7292, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // wwids
    // FieldsV1
    slot(1970, Slot::BYTES, 0), // Raw
    // FileKeySelector
    slot(7135, Slot::STRING, 0), // volumeName
    slot(5011, Slot::STRING, 0), // path
    slot(4296, Slot::STRING, 0), // key
    slot(4956, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // optional
    // FlexVolumeSource
    slot(3429, Slot::STRING, 0), // driver
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    slot(6184, 63, Slot::POINTER | Slot::OMITEMPTY), // secretRef
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    slot(4965, Slot::STRING, Slot::MAP | Slot::OMITEMPTY), // options
    // FlockerVolumeSource
    slot(3258, Slot::STRING, Slot::OMITEMPTY), // datasetName
    slot(3270, Slot::STRING, Slot::OMITEMPTY), // datasetUUID
    // GCEPersistentDiskVolumeSource
    slot(5021, Slot::STRING, 0), // pdName
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    slot(5001, Slot::INT32, Slot::OMITEMPTY), // partition
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    // GRPCAction
    slot(5229, Slot::INT32, 0), // port
    slot(6235, Slot::STRING, Slot::POINTER), // service
    slot(4646, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // mode
    // GitRepoVolumeSource
    slot(5601, Slot::STRING, 0), // repository
    slot(5927, Slot::STRING, Slot::OMITEMPTY), // revision
    slot(3362, Slot::STRING, Slot::OMITEMPTY), // directory
    // GlusterfsVolumeSource
    slot(3476, Slot::STRING, 0), // endpoints
    slot(5011, Slot::STRING, 0), // path
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    // HTTPGetAction
    slot(5011, Slot::STRING, Slot::OMITEMPTY), // path
    slot(5229, 56, 0), // port
    slot(3972, Slot::STRING, Slot::OMITEMPTY), // host
    slot(6068, Slot::STRING, Slot::OMITEMPTY), // scheme
    slot(4116, 49, Slot::REPEATED | Slot::OMITEMPTY), // httpHeaders
    slot(5439, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // protocol
    // HTTPHeader
    slot(4687, Slot::STRING, 0), // name
    slot(6982, Slot::STRING, 0), // value
    // HostAlias
    slot(4262, Slot::STRING, 0), // ip
    slot(4098, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // hostnames
    // HostIP
    slot(4262, Slot::STRING, 0), // ip
    // HostPathVolumeSource
    slot(5011, Slot::STRING, 0), // path
    slot(6952, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // type
    // ISCSIVolumeSource
    slot(6730, Slot::STRING, 0), // targetPortal
    slot(4265, Slot::STRING, 0), // iqn
    slot(4474, Slot::INT32, 0), // lun
    slot(4275, Slot::STRING, Slot::OMITEMPTY), // iscsiInterface
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    slot(5234, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // portals
    slot(2961, Slot::BOOL, Slot::OMITEMPTY), // chapAuthDiscovery
    Slot::NONE,
    slot(6184, 63, Slot::POINTER | Slot::OMITEMPTY), // secretRef
    slot(2979, Slot::BOOL, Slot::OMITEMPTY), // chapAuthSession
    slot(4241, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // initiatorName
    // ImageVolumeSource
    slot(5582, Slot::STRING, Slot::OMITEMPTY), // reference
    slot(5448, Slot::STRING, Slot::OMITEMPTY), // pullPolicy
    // ImageVolumeStatus
    slot(4175, Slot::STRING, Slot::OMITEMPTY), // imageRef
    // IntOrString
    slot(6952, Slot::INT64, 0), // type
    slot(4255, Slot::INT32, 0), // intVal
    slot(6578, Slot::STRING, 0), // strVal
    // KeyToPath
    slot(4296, Slot::STRING, 0), // key
    slot(5011, Slot::STRING, 0), // path
    slot(4646, Slot::INT32, Slot::POINTER | Slot::OMITEMPTY), // mode
    slot(6961, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // user
    // LabelSelector
    slot(4552, Slot::STRING, Slot::MAP | Slot::OMITEMPTY), // matchLabels
    slot(4508, 59, Slot::REPEATED | Slot::OMITEMPTY), // matchExpressions
    // LabelSelectorRequirement
    slot(4296, Slot::STRING, 0), // key
    slot(4947, Slot::STRING, 0), // operator
    slot(6998, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // values
    // Lifecycle
    slot(5263, 61, Slot::POINTER | Slot::OMITEMPTY), // postStart
    slot(5273, 61, Slot::POINTER | Slot::OMITEMPTY), // preStop
    slot(6482, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // stopSignal
    // LifecycleHandler
    slot(3599, 38, Slot::POINTER | Slot::OMITEMPTY), // exec
    slot(4108, 48, Slot::POINTER | Slot::OMITEMPTY), // httpGet
    slot(6754, 125, Slot::POINTER | Slot::OMITEMPTY), // tcpSocket
    slot(6375, 122, Slot::POINTER | Slot::OMITEMPTY), // sleep
    // LinuxContainerUser
    slot(6957, Slot::INT64, 0), // uid
    slot(3865, Slot::INT64, 0), // gid
    slot(6651, Slot::INT64, Slot::REPEATED | Slot::OMITEMPTY), // supplementalGroups
    // LocalObjectReference
    slot(4687, Slot::STRING, Slot::OMITEMPTY), // name
    // ManagedFieldsEntry
    slot(4492, Slot::STRING, Slot::OMITEMPTY), // manager
    slot(4937, Slot::STRING, Slot::OMITEMPTY), // operation
    slot(2761, Slot::STRING, Slot::OMITEMPTY), // apiVersion
    slot(6860, 126, Slot::POINTER | Slot::OMITEMPTY), // time
    Slot::NONE,
    slot(3708, Slot::STRING, Slot::OMITEMPTY), // fieldsType
    slot(3719, 40, Slot::POINTER | Slot::OMITEMPTY), // fieldsV1
    slot(6622, Slot::STRING, Slot::OMITEMPTY), // subresource
    // NFSVolumeSource
    slot(6228, Slot::STRING, 0), // server
    slot(5011, Slot::STRING, 0), // path
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    // NodeAffinity
    slot(5657, 70, Slot::POINTER | Slot::OMITEMPTY), // requiredDuringSchedulingIgnoredDuringExecution
    slot(5309, 101, Slot::REPEATED | Slot::OMITEMPTY), // preferredDuringSchedulingIgnoredDuringExecution
    // NodeAllocatableMappedResources
    slot(4687, Slot::STRING, 0), // name
    slot(5468, 105, Slot::POINTER), // quantity
    // NodeAllocatableOverheadResources
    slot(4687, Slot::STRING, 0), // name
    slot(5041, 105, Slot::POINTER | Slot::OMITEMPTY), // perPod
    slot(5028, 105, Slot::POINTER | Slot::OMITEMPTY), // perContainer
    // NodeAllocatableResourceClaimStatus
    slot(5733, Slot::STRING, 0), // resourceClaimName
    slot(3168, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // containers
    slot(5871, 105, Slot::MAP | Slot::TOMBSTONE), // resources
    slot(4500, 67, Slot::REPEATED | Slot::OMITEMPTY), // mapping
    slot(4976, 68, Slot::REPEATED | Slot::OMITEMPTY), // overhead
    // NodeSelector
    slot(4865, 72, Slot::REPEATED), // nodeSelectorTerms
    // NodeSelectorRequirement
    slot(4296, Slot::STRING, 0), // key
    slot(4947, Slot::STRING, 0), // operator
    slot(6998, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // values
    // NodeSelectorTerm
    slot(4508, 71, Slot::REPEATED | Slot::OMITEMPTY), // matchExpressions
    slot(4525, 71, Slot::REPEATED | Slot::OMITEMPTY), // matchFields
    // ObjectFieldSelector
    slot(2761, Slot::STRING, Slot::OMITEMPTY), // apiVersion
    slot(3689, Slot::STRING, 0), // fieldPath
    // ObjectMeta
    slot(4687, Slot::STRING, Slot::OMITEMPTY), // name
    slot(3841, Slot::STRING, Slot::OMITEMPTY), // generateName
    slot(4704, Slot::STRING, Slot::OMITEMPTY), // namespace
    slot(6219, Slot::STRING, Slot::OMITEMPTY), // selfLink
    slot(6957, Slot::STRING, Slot::OMITEMPTY), // uid
    slot(5855, Slot::STRING, Slot::OMITEMPTY), // resourceVersion
    slot(3854, Slot::INT64, Slot::OMITEMPTY), // generation
    slot(3190, 126, Slot::OMITEMPTY | Slot::OMITZERO), // creationTimestamp
    slot(3333, 126, Slot::POINTER | Slot::OMITEMPTY), // deletionTimestamp
    slot(3306, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // deletionGracePeriodSeconds
    slot(4343, Slot::STRING, Slot::MAP | Slot::OMITEMPTY), // labels
    slot(2740, Slot::STRING, Slot::MAP | Slot::OMITEMPTY), // annotations
    slot(4985, 75, Slot::REPEATED | Slot::OMITEMPTY), // ownerReferences
    slot(3739, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // finalizers
    Slot::NONE,
    Slot::NONE,
    slot(4478, 64, Slot::REPEATED | Slot::OMITEMPTY), // managedFields
    // OwnerReference
    slot(4324, Slot::STRING, 0), // kind
    Slot::NONE,
    slot(4687, Slot::STRING, 0), // name
    slot(6957, Slot::STRING, 0), // uid
    slot(2761, Slot::STRING, 0), // apiVersion
    slot(3179, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // controller
    slot(2889, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // blockOwnerDeletion
    // PersistentVolumeClaimSpec
    slot(2617, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // accessModes
    slot(5871, 137, Slot::OMITEMPTY), // resources
    slot(7135, Slot::STRING, Slot::OMITEMPTY), // volumeName
    slot(6210, 58, Slot::POINTER | Slot::OMITEMPTY), // selector
    slot(6493, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // storageClassName
    slot(7111, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // volumeMode
    slot(3233, 129, Slot::POINTER | Slot::OMITEMPTY), // dataSource
    slot(3244, 130, Slot::POINTER | Slot::OMITEMPTY), // dataSourceRef
    slot(7029, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // volumeAttributesClassName
    // PersistentVolumeClaimTemplate
    slot(4608, 74, Slot::OMITEMPTY), // metadata
    slot(6396, 76, 0), // spec
    // PersistentVolumeClaimVolumeSource
    slot(3002, Slot::STRING, 0), // claimName
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    // PhotonPersistentDiskVolumeSource
    slot(5016, Slot::STRING, 0), // pdID
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    // Pod
    slot(4608, 74, Slot::OMITEMPTY), // metadata
    slot(6396, 97, Slot::OMITEMPTY), // spec
    slot(6459, 98, Slot::OMITEMPTY), // status
    // PodAffinity
    slot(5657, 82, Slot::REPEATED | Slot::OMITEMPTY), // requiredDuringSchedulingIgnoredDuringExecution
    slot(5309, 141, Slot::REPEATED | Slot::OMITEMPTY), // preferredDuringSchedulingIgnoredDuringExecution
    // PodAffinityTerm
    slot(4329, 58, Slot::POINTER | Slot::OMITEMPTY), // labelSelector
    slot(4732, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // namespaces
    slot(6910, Slot::STRING, 0), // topologyKey
    slot(4714, 58, Slot::POINTER | Slot::OMITEMPTY), // namespaceSelector
    slot(4537, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // matchLabelKeys
    slot(4628, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // mismatchLabelKeys
    // PodAntiAffinity
    slot(5657, 82, Slot::REPEATED | Slot::OMITEMPTY), // requiredDuringSchedulingIgnoredDuringExecution
    slot(5309, 141, Slot::REPEATED | Slot::OMITEMPTY), // preferredDuringSchedulingIgnoredDuringExecution
    // PodCertificateProjection
    slot(6354, Slot::STRING, Slot::OMITEMPTY), // signerName
    slot(4308, Slot::STRING, Slot::OMITEMPTY), // keyType
    slot(4564, Slot::INT32, Slot::POINTER | Slot::OMITEMPTY), // maxExpirationSeconds
    slot(3208, Slot::STRING, Slot::OMITEMPTY), // credentialBundlePath
    slot(4300, Slot::STRING, Slot::OMITEMPTY), // keyPath
    slot(2940, Slot::STRING, Slot::OMITEMPTY), // certificateChainPath
    slot(6966, Slot::STRING, Slot::MAP | Slot::OMITEMPTY), // userAnnotations
    slot(6961, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // user
    // PodCondition
    slot(6952, Slot::STRING, 0), // type
    slot(6459, Slot::STRING, 0), // status
    slot(4350, 126, Slot::OMITEMPTY), // lastProbeTime
    slot(4374, 126, Slot::OMITEMPTY), // lastTransitionTime
    slot(5557, Slot::STRING, Slot::OMITEMPTY), // reason
    slot(4600, Slot::STRING, Slot::OMITEMPTY), // message
    slot(4918, Slot::INT64, Slot::OMITEMPTY), // observedGeneration
    // PodDNSConfig
    slot(4692, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // nameservers
    slot(6110, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // searches
    slot(4965, 87, Slot::REPEATED | Slot::OMITEMPTY), // options
    // PodDNSConfigOption
    slot(4687, Slot::STRING, Slot::OMITEMPTY), // name
    slot(6982, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // value
    // PodExtendedResourceClaimStatus
    slot(5620, 16, Slot::REPEATED), // requestMappings
    slot(5733, Slot::STRING, 0), // resourceClaimName
    // PodIP
    slot(4262, Slot::STRING, 0), // ip
    // PodOS
    slot(4687, Slot::STRING, 0), // name
    // PodReadinessGate
    slot(3046, Slot::STRING, 0), // conditionType
    // PodResourceClaim
    slot(4687, Slot::STRING, 0), // name
    slot(6381, 9, Slot::OMITEMPTY | Slot::TOMBSTONE), // source
    slot(5733, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // resourceClaimName
    slot(5773, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // resourceClaimTemplateName
    // PodResourceClaimStatus
    slot(4687, Slot::STRING, 0), // name
    slot(5733, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // resourceClaimName
    // PodSchedulingGate
    slot(4687, Slot::STRING, 0), // name
    // PodSchedulingGroup
    slot(5179, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // podGroupName
    // PodSecurityContext
    slot(6095, 113, Slot::POINTER | Slot::OMITEMPTY), // seLinuxOptions
    slot(5965, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // runAsUser
    slot(5952, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // runAsNonRoot
    slot(6651, Slot::INT64, Slot::REPEATED | Slot::OMITEMPTY), // supplementalGroups
    slot(3780, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // fsGroup
    slot(5941, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // runAsGroup
    slot(6695, 124, Slot::REPEATED | Slot::OMITEMPTY), // sysctls
    slot(7254, 142, Slot::POINTER | Slot::OMITEMPTY), // windowsOptions
    slot(3788, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // fsGroupChangePolicy
    slot(6119, 115, Slot::POINTER | Slot::OMITEMPTY), // seccompProfile
    slot(2772, 2, Slot::POINTER | Slot::OMITEMPTY), // appArmorProfile
    slot(6670, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // supplementalGroupsPolicy
    slot(6075, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // seLinuxChangePolicy
    // PodSpec
    slot(7199, 131, Slot::REPEATED | Slot::OMITEMPTY), // volumes
    slot(3168, 15, Slot::REPEATED), // containers
    slot(5894, Slot::STRING, Slot::OMITEMPTY), // restartPolicy
    slot(6782, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // terminationGracePeriodSeconds
    slot(2636, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // activeDeadlineSeconds
    slot(3407, Slot::STRING, Slot::OMITEMPTY), // dnsPolicy
    slot(4852, Slot::STRING, Slot::MAP | Slot::OMITEMPTY), // nodeSelector
    slot(6258, Slot::STRING, Slot::OMITEMPTY), // serviceAccountName
    slot(6243, Slot::STRING, Slot::OMITEMPTY), // serviceAccount
    slot(4822, Slot::STRING, Slot::OMITEMPTY), // nodeName
    slot(4012, Slot::BOOL, Slot::OMITEMPTY), // hostNetwork
    slot(4024, Slot::BOOL, Slot::OMITEMPTY), // hostPID
    slot(3996, Slot::BOOL, Slot::OMITEMPTY), // hostIPC
    slot(6194, 96, Slot::POINTER | Slot::OMITEMPTY), // securityContext
    slot(4158, 63, Slot::REPEATED | Slot::OMITEMPTY), // imagePullSecrets
    slot(4072, Slot::STRING, Slot::OMITEMPTY), // hostname
    slot(6612, Slot::STRING, Slot::OMITEMPTY), // subdomain
    slot(2662, 1, Slot::POINTER | Slot::OMITEMPTY), // affinity
    slot(6022, Slot::STRING, Slot::OMITEMPTY), // schedulerName
    slot(4206, 15, Slot::REPEATED | Slot::OMITEMPTY), // initContainers
    slot(2802, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // automountServiceAccountToken
    slot(6898, 127, Slot::REPEATED | Slot::OMITEMPTY), // tolerations
    slot(3977, 50, Slot::REPEATED | Slot::OMITEMPTY), // hostAliases
    slot(5373, Slot::STRING, Slot::OMITEMPTY), // priorityClassName
    slot(5364, Slot::INT32, Slot::POINTER | Slot::OMITEMPTY), // priority
    slot(3397, 86, Slot::POINTER | Slot::OMITEMPTY), // dnsConfig
    slot(6325, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // shareProcessNamespace
    slot(5521, 91, Slot::REPEATED | Slot::OMITEMPTY), // readinessGates
    slot(5997, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // runtimeClassName
    slot(3457, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // enableServiceLinks
    slot(5281, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // preemptionPolicy
    slot(4976, 105, Slot::MAP | Slot::OMITEMPTY), // overhead
    slot(6922, 128, Slot::REPEATED | Slot::OMITEMPTY), // topologySpreadConstraints
    slot(3560, 34, Slot::REPEATED | Slot::OMITEMPTY), // ephemeralContainers
    slot(6297, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // setHostnameAsFQDN
    slot(4973, 90, Slot::POINTER | Slot::OMITEMPTY), // os
    slot(4062, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // hostUsers
    slot(6036, 94, Slot::REPEATED | Slot::OMITEMPTY), // schedulingGates
    slot(5799, 92, Slot::REPEATED | Slot::OMITEMPTY), // resourceClaims
    slot(5871, 111, Slot::POINTER | Slot::OMITEMPTY), // resources
    slot(4081, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // hostnameOverride
    slot(7280, 143, Slot::POINTER | Slot::OMITEMPTY | Slot::TOMBSTONE), // workloadRef
    slot(6052, 95, Slot::POINTER | Slot::OMITEMPTY), // schedulingGroup
    slot(3580, 37, Slot::REPEATED | Slot::OMITEMPTY), // evictionResponders
    // PodStatus
    slot(5084, Slot::STRING, Slot::OMITEMPTY), // phase
    slot(3060, 85, Slot::REPEATED | Slot::OMITEMPTY), // conditions
    slot(4600, Slot::STRING, Slot::OMITEMPTY), // message
    slot(5557, Slot::STRING, Slot::OMITEMPTY), // reason
    slot(3989, Slot::STRING, Slot::OMITEMPTY), // hostIP
    slot(5211, Slot::STRING, Slot::OMITEMPTY), // podIP
    slot(6412, 126, Slot::POINTER | Slot::OMITEMPTY), // startTime
    slot(3150, 25, Slot::REPEATED | Slot::OMITEMPTY), // containerStatuses
    slot(5459, Slot::STRING, Slot::OMITEMPTY), // qosClass
    slot(4184, 25, Slot::REPEATED | Slot::OMITEMPTY), // initContainerStatuses
    slot(4900, Slot::STRING, Slot::OMITEMPTY), // nominatedNodeName
    slot(5217, 89, Slot::REPEATED | Slot::OMITEMPTY), // podIPs
    slot(3533, 25, Slot::REPEATED | Slot::OMITEMPTY), // ephemeralContainerStatuses
    slot(5704, Slot::STRING, Slot::OMITEMPTY), // resize
    slot(5751, 93, Slot::REPEATED | Slot::OMITEMPTY), // resourceClaimStatuses
    slot(4004, 51, Slot::REPEATED | Slot::OMITEMPTY), // hostIPs
    slot(4918, Slot::INT64, Slot::OMITEMPTY), // observedGeneration
    slot(3641, 88, Slot::POINTER | Slot::OMITEMPTY), // extendedResourceClaimStatus
    slot(2671, 105, Slot::MAP | Slot::OMITEMPTY), // allocatedResources
    slot(5871, 111, Slot::POINTER | Slot::OMITEMPTY), // resources
    slot(4785, 69, Slot::REPEATED | Slot::OMITEMPTY), // nodeAllocatableResourceClaimStatuses
    slot(7089, 99, Slot::REPEATED | Slot::OMITEMPTY), // volumeHealth
    // PodVolumeHealth
    slot(4687, Slot::STRING, 0), // name
    slot(3955, 133, Slot::REPEATED | Slot::OMITEMPTY), // healthConditions
    slot(4374, 126, Slot::OMITEMPTY), // lastTransitionTime
    // PortworxVolumeSource
    slot(7102, Slot::STRING, 0), // volumeID
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    // PreferredSchedulingTerm
    slot(7229, Slot::INT32, 0), // weight
    slot(5298, 72, 0), // preference
    // Probe
    slot(3940, 103, Slot::HOP), // handler
    slot(4221, Slot::INT32, Slot::OMITEMPTY), // initialDelaySeconds
    slot(6865, Slot::INT32, Slot::OMITEMPTY), // timeoutSeconds
    slot(5048, Slot::INT32, Slot::OMITEMPTY), // periodSeconds
    slot(6634, Slot::INT32, Slot::OMITEMPTY), // successThreshold
    slot(3669, Slot::INT32, Slot::OMITEMPTY), // failureThreshold
    slot(6782, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // terminationGracePeriodSeconds
    // ProbeHandler
    slot(3599, 38, Slot::POINTER | Slot::OMITEMPTY), // exec
    slot(4108, 48, Slot::POINTER | Slot::OMITEMPTY), // httpGet
    slot(6754, 125, Slot::POINTER | Slot::OMITEMPTY), // tcpSocket
    slot(3935, 45, Slot::POINTER | Slot::OMITEMPTY), // grpc
    // ProjectedVolumeSource
    slot(6388, 136, Slot::REPEATED), // sources
    slot(3282, Slot::INT32, Slot::POINTER | Slot::OMITEMPTY), // defaultMode
    slot(3294, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // defaultUser
    // Quantity
    slot(6585, Slot::STRING, 0), // string
    // QuobyteVolumeSource
    slot(5592, Slot::STRING, 0), // registry
    slot(7005, Slot::STRING, 0), // volume
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    slot(6961, Slot::STRING, Slot::OMITEMPTY), // user
    slot(3929, Slot::STRING, Slot::OMITEMPTY), // group
    slot(6764, Slot::STRING, Slot::OMITEMPTY), // tenant
    // RBDVolumeSource
    slot(4651, Slot::STRING, Slot::REPEATED), // monitors
    slot(4128, Slot::STRING, 0), // image
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    slot(5224, Slot::STRING, Slot::OMITEMPTY), // pool
    slot(6961, Slot::STRING, Slot::OMITEMPTY), // user
    slot(4316, Slot::STRING, Slot::OMITEMPTY), // keyring
    slot(6184, 63, Slot::POINTER | Slot::OMITEMPTY), // secretRef
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    // ResourceClaim
    slot(4687, Slot::STRING, 0), // name
    slot(5612, Slot::STRING, Slot::OMITEMPTY), // request
    // ResourceFieldSelector
    slot(3122, Slot::STRING, Slot::OMITEMPTY), // containerName
    slot(5724, Slot::STRING, 0), // resource
    slot(3389, 105, Slot::OMITEMPTY), // divisor
    // ResourceHealth
    slot(5831, Slot::STRING, 0), // resourceID
    slot(3948, Slot::STRING, Slot::OMITEMPTY), // health
    Slot::NONE,
    Slot::NONE,
    Slot::NONE,
    slot(4600, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // message
    // ResourceRequirements
    slot(4409, 105, Slot::MAP | Slot::OMITEMPTY), // limits
    slot(5648, 105, Slot::MAP | Slot::OMITEMPTY), // requests
    slot(3012, 108, Slot::REPEATED | Slot::OMITEMPTY), // claims
    // ResourceStatus
    slot(4687, Slot::STRING, 0), // name
    slot(5871, 110, Slot::REPEATED | Slot::OMITEMPTY), // resources
    // SELinuxOptions
    slot(6961, Slot::STRING, Slot::OMITEMPTY), // user
    slot(5936, Slot::STRING, Slot::OMITEMPTY), // role
    slot(6952, Slot::STRING, Slot::OMITEMPTY), // type
    slot(4393, Slot::STRING, Slot::OMITEMPTY), // level
    // ScaleIOVolumeSource
    slot(3815, Slot::STRING, 0), // gateway
    slot(6703, Slot::STRING, 0), // system
    slot(6184, 63, Slot::POINTER), // secretRef
    slot(6401, Slot::BOOL, Slot::OMITEMPTY), // sslEnabled
    slot(5422, Slot::STRING, Slot::OMITEMPTY), // protectionDomain
    slot(6556, Slot::STRING, Slot::OMITEMPTY), // storagePool
    slot(6510, Slot::STRING, Slot::OMITEMPTY), // storageMode
    slot(7135, Slot::STRING, Slot::OMITEMPTY), // volumeName
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    // SeccompProfile
    slot(6952, Slot::STRING, 0), // type
    slot(4457, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // localhostProfile
    // SecretEnvSource
    slot(4436, 63, Slot::HOP), // localObjectReference
    slot(4956, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // optional
    // SecretKeySelector
    slot(4436, 63, Slot::HOP), // localObjectReference
    slot(4296, Slot::STRING, 0), // key
    slot(4956, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // optional
    // SecretProjection
    slot(4436, 63, Slot::HOP), // localObjectReference
    slot(4290, 57, Slot::REPEATED | Slot::OMITEMPTY), // items
    Slot::NONE,
    slot(4956, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // optional
    // SecretVolumeSource
    slot(6173, Slot::STRING, Slot::OMITEMPTY), // secretName
    slot(4290, 57, Slot::REPEATED | Slot::OMITEMPTY), // items
    slot(3282, Slot::INT32, Slot::POINTER | Slot::OMITEMPTY), // defaultMode
    slot(4956, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // optional
    slot(3294, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // defaultUser
    // SecurityContext
    slot(2920, 6, Slot::POINTER | Slot::OMITEMPTY), // capabilities
    slot(5391, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // privileged
    slot(6095, 113, Slot::POINTER | Slot::OMITEMPTY), // seLinuxOptions
    slot(5965, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // runAsUser
    slot(5952, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // runAsNonRoot
    slot(5498, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // readOnlyRootFilesystem
    slot(2715, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // allowPrivilegeEscalation
    slot(5941, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // runAsGroup
    slot(5402, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // procMount
    slot(7254, 142, Slot::POINTER | Slot::OMITEMPTY), // windowsOptions
    slot(6119, 115, Slot::POINTER | Slot::OMITEMPTY), // seccompProfile
    slot(2772, 2, Slot::POINTER | Slot::OMITEMPTY), // appArmorProfile
    // ServiceAccountTokenProjection
    slot(2793, Slot::STRING, Slot::OMITEMPTY), // audience
    slot(3623, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // expirationSeconds
    slot(5011, Slot::STRING, 0), // path
    slot(6961, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // user
    // SleepAction
    slot(6134, Slot::INT64, 0), // seconds
    // StorageOSVolumeSource
    slot(7135, Slot::STRING, Slot::OMITEMPTY), // volumeName
    slot(7146, Slot::STRING, Slot::OMITEMPTY), // volumeNamespace
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    slot(6184, 63, Slot::POINTER | Slot::OMITEMPTY), // secretRef
    // Sysctl
    slot(4687, Slot::STRING, 0), // name
    slot(6982, Slot::STRING, 0), // value
    // TCPSocketAction
    slot(5229, 56, 0), // port
    slot(3972, Slot::STRING, Slot::OMITEMPTY), // host
    // Time
    slot(6134, Slot::INT64, 0), // seconds
    slot(4743, Slot::INT32, 0), // nanos
    // Toleration
    slot(4296, Slot::STRING, Slot::OMITEMPTY), // key
    slot(4947, Slot::STRING, Slot::OMITEMPTY), // operator
    slot(6982, Slot::STRING, Slot::OMITEMPTY), // value
    slot(3441, Slot::STRING, Slot::OMITEMPTY), // effect
    slot(6880, Slot::INT64, Slot::POINTER | Slot::OMITEMPTY), // tolerationSeconds
    // TopologySpreadConstraint
    slot(4585, Slot::INT32, 0), // maxSkew
    slot(6910, Slot::STRING, 0), // topologyKey
    slot(7236, Slot::STRING, 0), // whenUnsatisfiable
    slot(4329, 58, Slot::POINTER | Slot::OMITEMPTY), // labelSelector
    slot(4617, Slot::INT32, Slot::POINTER | Slot::OMITEMPTY), // minDomains
    slot(4766, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // nodeAffinityPolicy
    slot(4883, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // nodeTaintsPolicy
    slot(4537, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // matchLabelKeys
    // TypedLocalObjectReference
    slot(2752, Slot::STRING, Slot::POINTER), // apiGroup
    slot(4324, Slot::STRING, 0), // kind
    slot(4687, Slot::STRING, 0), // name
    // TypedObjectReference
    slot(2752, Slot::STRING, Slot::POINTER), // apiGroup
    slot(4324, Slot::STRING, 0), // kind
    slot(4687, Slot::STRING, 0), // name
    slot(4704, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // namespace
    // Volume
    slot(4687, Slot::STRING, 0), // name
    slot(7173, 138, Slot::HOP), // volumeSource
    // VolumeDevice
    slot(4687, Slot::STRING, 0), // name
    slot(3351, Slot::STRING, 0), // devicePath
    // VolumeHealthCondition
    slot(6459, Slot::STRING, 0), // status
    slot(5557, Slot::STRING, 0), // reason
    slot(4600, Slot::STRING, Slot::OMITEMPTY), // message
    // VolumeMount
    slot(4687, Slot::STRING, 0), // name
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    slot(4660, Slot::STRING, 0), // mountPath
    slot(6592, Slot::STRING, Slot::OMITEMPTY), // subPath
    slot(4670, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // mountPropagation
    slot(6600, Slot::STRING, Slot::OMITEMPTY), // subPathExpr
    slot(5564, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // recursiveReadOnly
    slot(2872, Slot::STRING, Slot::REPEATED | Slot::OMITEMPTY), // bindMountOptions
    // VolumeMountStatus
    slot(4687, Slot::STRING, 0), // name
    slot(4660, Slot::STRING, 0), // mountPath
    slot(5489, Slot::BOOL, Slot::OMITEMPTY), // readOnly
    slot(5564, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // recursiveReadOnly
    slot(7186, 139, Slot::POINTER | Slot::OMITEMPTY), // volumeStatus
    // VolumeProjection
    slot(6142, 118, Slot::POINTER | Slot::OMITEMPTY), // secret
    slot(3417, 27, Slot::POINTER | Slot::OMITEMPTY), // downwardAPI
    slot(3071, 13, Slot::POINTER | Slot::OMITEMPTY), // configMap
    slot(6277, 121, Slot::POINTER | Slot::OMITEMPTY), // serviceAccountToken
    slot(3019, 10, Slot::POINTER | Slot::OMITEMPTY), // clusterTrustBundle
    slot(5155, 84, Slot::POINTER | Slot::OMITEMPTY), // podCertificate
    // VolumeResourceRequirements
    slot(4409, 105, Slot::MAP | Slot::OMITEMPTY), // limits
    slot(5648, 105, Slot::MAP | Slot::OMITEMPTY), // requests
    // VolumeSource
    slot(4032, 52, Slot::POINTER | Slot::OMITEMPTY), // hostPath
    slot(3448, 30, Slot::POINTER | Slot::OMITEMPTY), // emptyDir
    slot(3823, 44, Slot::POINTER | Slot::OMITEMPTY), // gcePersistentDisk
    slot(2831, 0, Slot::POINTER | Slot::OMITEMPTY), // awsElasticBlockStore
    slot(3869, 46, Slot::POINTER | Slot::OMITEMPTY), // gitRepo
    slot(6142, 119, Slot::POINTER | Slot::OMITEMPTY), // secret
    slot(4749, 65, Slot::POINTER | Slot::OMITEMPTY), // nfs
    slot(4269, 53, Slot::POINTER | Slot::OMITEMPTY), // iscsi
    slot(3877, 47, Slot::POINTER | Slot::OMITEMPTY), // glusterfs
    slot(5062, 78, Slot::POINTER | Slot::OMITEMPTY), // persistentVolumeClaim
    slot(5485, 107, Slot::POINTER | Slot::OMITEMPTY), // rbd
    slot(3761, 42, Slot::POINTER | Slot::OMITEMPTY), // flexVolume
    slot(2995, 8, Slot::POINTER | Slot::OMITEMPTY), // cinder
    slot(2933, 7, Slot::POINTER | Slot::OMITEMPTY), // cephfs
    slot(3772, 43, Slot::POINTER | Slot::OMITEMPTY), // flocker
    slot(3417, 29, Slot::POINTER | Slot::OMITEMPTY), // downwardAPI
    slot(3686, 39, Slot::POINTER | Slot::OMITEMPTY), // fc
    slot(2862, 4, Slot::POINTER | Slot::OMITEMPTY), // azureFile
    slot(3071, 14, Slot::POINTER | Slot::OMITEMPTY), // configMap
    slot(7207, 140, Slot::POINTER | Slot::OMITEMPTY), // vsphereVolume
    slot(5477, 106, Slot::POINTER | Slot::OMITEMPTY), // quobyte
    slot(2852, 3, Slot::POINTER | Slot::OMITEMPTY), // azureDisk
    slot(5090, 79, Slot::POINTER | Slot::OMITEMPTY), // photonPersistentDisk
    slot(5248, 100, Slot::POINTER | Slot::OMITEMPTY), // portworxVolume
    slot(6014, 114, Slot::POINTER | Slot::OMITEMPTY), // scaleIO
    slot(5412, 104, Slot::POINTER | Slot::OMITEMPTY), // projected
    slot(6568, 123, Slot::POINTER | Slot::OMITEMPTY), // storageos
    slot(3229, 5, Slot::POINTER | Slot::OMITEMPTY), // csi
    slot(3498, 36, Slot::POINTER | Slot::OMITEMPTY), // ephemeral
    slot(4128, 54, Slot::POINTER | Slot::OMITEMPTY), // image
    // VolumeStatus
    slot(4128, 55, Slot::POINTER | Slot::OMITEMPTY), // image
    // VsphereVirtualDiskVolumeSource
    slot(7162, Slot::STRING, 0), // volumePath
    slot(3808, Slot::STRING, Slot::OMITEMPTY), // fsType
    slot(6538, Slot::STRING, Slot::OMITEMPTY), // storagePolicyName
    slot(6522, Slot::STRING, Slot::OMITEMPTY), // storagePolicyID
    // WeightedPodAffinityTerm
    slot(7229, Slot::INT32, 0), // weight
    slot(5123, 82, 0), // podAffinityTerm
    // WindowsSecurityContextOptions
    slot(3906, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // gmsaCredentialSpecName
    slot(3887, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // gmsaCredentialSpec
    slot(5975, Slot::STRING, Slot::POINTER | Slot::OMITEMPTY), // runAsUserName
    slot(4050, Slot::BOOL, Slot::POINTER | Slot::OMITEMPTY), // hostProcess
    // WorkloadReference
    slot(4687, Slot::STRING, Slot::TOMBSTONE), // name
    slot(5170, Slot::STRING, Slot::TOMBSTONE), // podGroup
    slot(5192, Slot::STRING, Slot::OMITEMPTY | Slot::TOMBSTONE), // podGroupReplicaKey
];

/// Each name after its length.
pub(crate) static NAMES: &str = concat!(
    "\x20", "AWSElasticBlockStoreVolumeSource",
    "\x08", "Affinity",
    "\x0f", "AppArmorProfile",
    "\x15", "AzureDiskVolumeSource",
    "\x15", "AzureFileVolumeSource",
    "\x0f", "CSIVolumeSource",
    "\x0c", "Capabilities",
    "\x12", "CephFSVolumeSource",
    "\x12", "CinderVolumeSource",
    "\x0b", "ClaimSource",
    "\x1c", "ClusterTrustBundleProjection",
    "\x12", "ConfigMapEnvSource",
    "\x14", "ConfigMapKeySelector",
    "\x13", "ConfigMapProjection",
    "\x15", "ConfigMapVolumeSource",
    "\x09", "Container",
    "\x20", "ContainerExtendedResourceRequest",
    "\x0d", "ContainerPort",
    "\x15", "ContainerResizePolicy",
    "\x14", "ContainerRestartRule",
    "\x1f", "ContainerRestartRuleOnExitCodes",
    "\x0e", "ContainerState",
    "\x15", "ContainerStateRunning",
    "\x18", "ContainerStateTerminated",
    "\x15", "ContainerStateWaiting",
    "\x0f", "ContainerStatus",
    "\x0d", "ContainerUser",
    "\x15", "DownwardAPIProjection",
    "\x15", "DownwardAPIVolumeFile",
    "\x17", "DownwardAPIVolumeSource",
    "\x14", "EmptyDirVolumeSource",
    "\x0d", "EnvFromSource",
    "\x06", "EnvVar",
    "\x0c", "EnvVarSource",
    "\x12", "EphemeralContainer",
    "\x18", "EphemeralContainerCommon",
    "\x15", "EphemeralVolumeSource",
    "\x11", "EvictionResponder",
    "\x0a", "ExecAction",
    "\x0e", "FCVolumeSource",
    "\x08", "FieldsV1",
    "\x0f", "FileKeySelector",
    "\x10", "FlexVolumeSource",
    "\x13", "FlockerVolumeSource",
    "\x1d", "GCEPersistentDiskVolumeSource",
    "\x0a", "GRPCAction",
    "\x13", "GitRepoVolumeSource",
    "\x15", "GlusterfsVolumeSource",
    "\x0d", "HTTPGetAction",
    "\x0a", "HTTPHeader",
    "\x09", "HostAlias",
    "\x06", "HostIP",
    "\x14", "HostPathVolumeSource",
    "\x11", "ISCSIVolumeSource",
    "\x11", "ImageVolumeSource",
    "\x11", "ImageVolumeStatus",
    "\x0b", "IntOrString",
    "\x09", "KeyToPath",
    "\x0d", "LabelSelector",
    "\x18", "LabelSelectorRequirement",
    "\x09", "Lifecycle",
    "\x10", "LifecycleHandler",
    "\x12", "LinuxContainerUser",
    "\x14", "LocalObjectReference",
    "\x12", "ManagedFieldsEntry",
    "\x0f", "NFSVolumeSource",
    "\x0c", "NodeAffinity",
    "\x1e", "NodeAllocatableMappedResources",
    "\x20", "NodeAllocatableOverheadResources",
    "\x22", "NodeAllocatableResourceClaimStatus",
    "\x0c", "NodeSelector",
    "\x17", "NodeSelectorRequirement",
    "\x10", "NodeSelectorTerm",
    "\x13", "ObjectFieldSelector",
    "\x0a", "ObjectMeta",
    "\x0e", "OwnerReference",
    "\x19", "PersistentVolumeClaimSpec",
    "\x1d", "PersistentVolumeClaimTemplate",
    "\x21", "PersistentVolumeClaimVolumeSource",
    "\x20", "PhotonPersistentDiskVolumeSource",
    "\x03", "Pod",
    "\x0b", "PodAffinity",
    "\x0f", "PodAffinityTerm",
    "\x0f", "PodAntiAffinity",
    "\x18", "PodCertificateProjection",
    "\x0c", "PodCondition",
    "\x0c", "PodDNSConfig",
    "\x12", "PodDNSConfigOption",
    "\x1e", "PodExtendedResourceClaimStatus",
    "\x05", "PodIP",
    "\x05", "PodOS",
    "\x10", "PodReadinessGate",
    "\x10", "PodResourceClaim",
    "\x16", "PodResourceClaimStatus",
    "\x11", "PodSchedulingGate",
    "\x12", "PodSchedulingGroup",
    "\x12", "PodSecurityContext",
    "\x07", "PodSpec",
    "\x09", "PodStatus",
    "\x0f", "PodVolumeHealth",
    "\x14", "PortworxVolumeSource",
    "\x17", "PreferredSchedulingTerm",
    "\x05", "Probe",
    "\x0c", "ProbeHandler",
    "\x15", "ProjectedVolumeSource",
    "\x08", "Quantity",
    "\x13", "QuobyteVolumeSource",
    "\x0f", "RBDVolumeSource",
    "\x03", "Raw",
    "\x0d", "ResourceClaim",
    "\x15", "ResourceFieldSelector",
    "\x0e", "ResourceHealth",
    "\x14", "ResourceRequirements",
    "\x0e", "ResourceStatus",
    "\x0e", "SELinuxOptions",
    "\x13", "ScaleIOVolumeSource",
    "\x0e", "SeccompProfile",
    "\x0f", "SecretEnvSource",
    "\x11", "SecretKeySelector",
    "\x10", "SecretProjection",
    "\x12", "SecretVolumeSource",
    "\x0f", "SecurityContext",
    "\x1d", "ServiceAccountTokenProjection",
    "\x0b", "SleepAction",
    "\x15", "StorageOSVolumeSource",
    "\x06", "Sysctl",
    "\x0f", "TCPSocketAction",
    "\x04", "Time",
    "\x0a", "Toleration",
    "\x18", "TopologySpreadConstraint",
    "\x19", "TypedLocalObjectReference",
    "\x14", "TypedObjectReference",
    "\x06", "Volume",
    "\x0c", "VolumeDevice",
    "\x15", "VolumeHealthCondition",
    "\x0b", "VolumeMount",
    "\x11", "VolumeMountStatus",
    "\x10", "VolumeProjection",
    "\x1a", "VolumeResourceRequirements",
    "\x0c", "VolumeSource",
    "\x0c", "VolumeStatus",
    "\x1e", "VsphereVirtualDiskVolumeSource",
    "\x17", "WeightedPodAffinityTerm",
    "\x1d", "WindowsSecurityContextOptions",
    "\x11", "WorkloadReference",
    "\x0b", "accessModes",
    "\x06", "action",
    "\x15", "activeDeadlineSeconds",
    "\x03", "add",
    "\x08", "affinity",
    "\x12", "allocatedResources",
    "\x18", "allocatedResourcesStatus",
    "\x18", "allowPrivilegeEscalation",
    "\x0b", "annotations",
    "\x08", "apiGroup",
    "\x0a", "apiVersion",
    "\x0f", "appArmorProfile",
    "\x04", "args",
    "\x08", "audience",
    "\x1c", "automountServiceAccountToken",
    "\x14", "awsElasticBlockStore",
    "\x09", "azureDisk",
    "\x09", "azureFile",
    "\x10", "bindMountOptions",
    "\x12", "blockOwnerDeletion",
    "\x0b", "cachingMode",
    "\x0c", "capabilities",
    "\x06", "cephfs",
    "\x14", "certificateChainPath",
    "\x11", "chapAuthDiscovery",
    "\x0f", "chapAuthSession",
    "\x06", "cinder",
    "\x09", "claimName",
    "\x06", "claims",
    "\x12", "clusterTrustBundle",
    "\x07", "command",
    "\x0d", "conditionType",
    "\x0a", "conditions",
    "\x09", "configMap",
    "\x0f", "configMapKeyRef",
    "\x0c", "configMapRef",
    "\x0b", "containerID",
    "\x0d", "containerName",
    "\x0d", "containerPort",
    "\x11", "containerStatuses",
    "\x0a", "containers",
    "\x0a", "controller",
    "\x11", "creationTimestamp",
    "\x14", "credentialBundlePath",
    "\x03", "csi",
    "\x0a", "dataSource",
    "\x0d", "dataSourceRef",
    "\x0b", "datasetName",
    "\x0b", "datasetUUID",
    "\x0b", "defaultMode",
    "\x0b", "defaultUser",
    "\x1a", "deletionGracePeriodSeconds",
    "\x11", "deletionTimestamp",
    "\x0a", "devicePath",
    "\x09", "directory",
    "\x08", "diskName",
    "\x07", "diskURI",
    "\x07", "divisor",
    "\x09", "dnsConfig",
    "\x09", "dnsPolicy",
    "\x0b", "downwardAPI",
    "\x06", "driver",
    "\x04", "drop",
    "\x06", "effect",
    "\x08", "emptyDir",
    "\x12", "enableServiceLinks",
    "\x09", "endpoints",
    "\x03", "env",
    "\x07", "envFrom",
    "\x09", "ephemeral",
    "\x18", "ephemeralContainerCommon",
    "\x1a", "ephemeralContainerStatuses",
    "\x13", "ephemeralContainers",
    "\x12", "evictionResponders",
    "\x04", "exec",
    "\x08", "exitCode",
    "\x09", "exitCodes",
    "\x11", "expirationSeconds",
    "\x1b", "extendedResourceClaimStatus",
    "\x10", "failureThreshold",
    "\x02", "fc",
    "\x09", "fieldPath",
    "\x08", "fieldRef",
    "\x0a", "fieldsType",
    "\x08", "fieldsV1",
    "\x0a", "fileKeyRef",
    "\x0a", "finalizers",
    "\x0a", "finishedAt",
    "\x0a", "flexVolume",
    "\x07", "flocker",
    "\x07", "fsGroup",
    "\x13", "fsGroupChangePolicy",
    "\x06", "fsType",
    "\x07", "gateway",
    "\x11", "gcePersistentDisk",
    "\x0c", "generateName",
    "\x0a", "generation",
    "\x03", "gid",
    "\x07", "gitRepo",
    "\x09", "glusterfs",
    "\x12", "gmsaCredentialSpec",
    "\x16", "gmsaCredentialSpecName",
    "\x05", "group",
    "\x04", "grpc",
    "\x07", "handler",
    "\x06", "health",
    "\x10", "healthConditions",
    "\x04", "host",
    "\x0b", "hostAliases",
    "\x06", "hostIP",
    "\x07", "hostIPC",
    "\x07", "hostIPs",
    "\x0b", "hostNetwork",
    "\x07", "hostPID",
    "\x08", "hostPath",
    "\x08", "hostPort",
    "\x0b", "hostProcess",
    "\x09", "hostUsers",
    "\x08", "hostname",
    "\x10", "hostnameOverride",
    "\x09", "hostnames",
    "\x07", "httpGet",
    "\x0b", "httpHeaders",
    "\x05", "image",
    "\x07", "imageID",
    "\x0f", "imagePullPolicy",
    "\x10", "imagePullSecrets",
    "\x08", "imageRef",
    "\x15", "initContainerStatuses",
    "\x0e", "initContainers",
    "\x13", "initialDelaySeconds",
    "\x0d", "initiatorName",
    "\x06", "intVal",
    "\x02", "ip",
    "\x03", "iqn",
    "\x05", "iscsi",
    "\x0e", "iscsiInterface",
    "\x05", "items",
    "\x03", "key",
    "\x07", "keyPath",
    "\x07", "keyType",
    "\x07", "keyring",
    "\x04", "kind",
    "\x0d", "labelSelector",
    "\x06", "labels",
    "\x0d", "lastProbeTime",
    "\x09", "lastState",
    "\x12", "lastTransitionTime",
    "\x05", "level",
    "\x09", "lifecycle",
    "\x06", "limits",
    "\x05", "linux",
    "\x0d", "livenessProbe",
    "\x14", "localObjectReference",
    "\x10", "localhostProfile",
    "\x03", "lun",
    "\x0d", "managedFields",
    "\x07", "manager",
    "\x07", "mapping",
    "\x10", "matchExpressions",
    "\x0b", "matchFields",
    "\x0e", "matchLabelKeys",
    "\x0b", "matchLabels",
    "\x14", "maxExpirationSeconds",
    "\x07", "maxSkew",
    "\x06", "medium",
    "\x07", "message",
    "\x08", "metadata",
    "\x0a", "minDomains",
    "\x11", "mismatchLabelKeys",
    "\x04", "mode",
    "\x08", "monitors",
    "\x09", "mountPath",
    "\x10", "mountPropagation",
    "\x04", "name",
    "\x0b", "nameservers",
    "\x09", "namespace",
    "\x11", "namespaceSelector",
    "\x0a", "namespaces",
    "\x05", "nanos",
    "\x03", "nfs",
    "\x0c", "nodeAffinity",
    "\x12", "nodeAffinityPolicy",
    "\x24", "nodeAllocatableResourceClaimStatuses",
    "\x08", "nodeName",
    "\x14", "nodePublishSecretRef",
    "\x0c", "nodeSelector",
    "\x11", "nodeSelectorTerms",
    "\x10", "nodeTaintsPolicy",
    "\x11", "nominatedNodeName",
    "\x12", "observedGeneration",
    "\x09", "operation",
    "\x08", "operator",
    "\x08", "optional",
    "\x07", "options",
    "\x02", "os",
    "\x08", "overhead",
    "\x0f", "ownerReferences",
    "\x09", "partition",
    "\x04", "path",
    "\x04", "pdID",
    "\x06", "pdName",
    "\x0c", "perContainer",
    "\x06", "perPod",
    "\x0d", "periodSeconds",
    "\x15", "persistentVolumeClaim",
    "\x05", "phase",
    "\x14", "photonPersistentDisk",
    "\x0b", "podAffinity",
    "\x0f", "podAffinityTerm",
    "\x0f", "podAntiAffinity",
    "\x0e", "podCertificate",
    "\x08", "podGroup",
    "\x0c", "podGroupName",
    "\x12", "podGroupReplicaKey",
    "\x05", "podIP",
    "\x06", "podIPs",
    "\x04", "pool",
    "\x04", "port",
    "\x07", "portals",
    "\x05", "ports",
    "\x0e", "portworxVolume",
    "\x09", "postStart",
    "\x07", "preStop",
    "\x10", "preemptionPolicy",
    "\x0a", "preference",
    "\x2f", "preferredDuringSchedulingIgnoredDuringExecution",
    "\x06", "prefix",
    "\x08", "priority",
    "\x11", "priorityClassName",
    "\x0a", "privileged",
    "\x09", "procMount",
    "\x09", "projected",
    "\x10", "protectionDomain",
    "\x08", "protocol",
    "\x0a", "pullPolicy",
    "\x08", "qosClass",
    "\x08", "quantity",
    "\x07", "quobyte",
    "\x03", "rbd",
    "\x08", "readOnly",
    "\x16", "readOnlyRootFilesystem",
    "\x0e", "readinessGates",
    "\x0e", "readinessProbe",
    "\x05", "ready",
    "\x06", "reason",
    "\x11", "recursiveReadOnly",
    "\x09", "reference",
    "\x08", "registry",
    "\x0a", "repository",
    "\x07", "request",
    "\x0f", "requestMappings",
    "\x0b", "requestName",
    "\x08", "requests",
    "\x2e", "requiredDuringSchedulingIgnoredDuringExecution",
    "\x06", "resize",
    "\x0c", "resizePolicy",
    "\x08", "resource",
    "\x11", "resourceClaimName",
    "\x15", "resourceClaimStatuses",
    "\x19", "resourceClaimTemplateName",
    "\x0e", "resourceClaims",
    "\x10", "resourceFieldRef",
    "\x0a", "resourceID",
    "\x0c", "resourceName",
    "\x0f", "resourceVersion",
    "\x09", "resources",
    "\x0c", "restartCount",
    "\x0d", "restartPolicy",
    "\x12", "restartPolicyRules",
    "\x08", "revision",
    "\x04", "role",
    "\x0a", "runAsGroup",
    "\x0c", "runAsNonRoot",
    "\x09", "runAsUser",
    "\x0d", "runAsUserName",
    "\x07", "running",
    "\x10", "runtimeClassName",
    "\x07", "scaleIO",
    "\x0d", "schedulerName",
    "\x0f", "schedulingGates",
    "\x0f", "schedulingGroup",
    "\x06", "scheme",
    "\x13", "seLinuxChangePolicy",
    "\x0e", "seLinuxOptions",
    "\x08", "searches",
    "\x0e", "seccompProfile",
    "\x07", "seconds",
    "\x06", "secret",
    "\x0a", "secretFile",
    "\x0c", "secretKeyRef",
    "\x0a", "secretName",
    "\x09", "secretRef",
    "\x0f", "securityContext",
    "\x08", "selector",
    "\x08", "selfLink",
    "\x06", "server",
    "\x07", "service",
    "\x0e", "serviceAccount",
    "\x12", "serviceAccountName",
    "\x13", "serviceAccountToken",
    "\x11", "setHostnameAsFQDN",
    "\x09", "shareName",
    "\x15", "shareProcessNamespace",
    "\x06", "signal",
    "\x0a", "signerName",
    "\x09", "sizeLimit",
    "\x05", "sleep",
    "\x06", "source",
    "\x07", "sources",
    "\x04", "spec",
    "\x0a", "sslEnabled",
    "\x09", "startTime",
    "\x07", "started",
    "\x09", "startedAt",
    "\x0c", "startupProbe",
    "\x05", "state",
    "\x06", "status",
    "\x05", "stdin",
    "\x09", "stdinOnce",
    "\x0a", "stopSignal",
    "\x10", "storageClassName",
    "\x0b", "storageMode",
    "\x0f", "storagePolicyID",
    "\x11", "storagePolicyName",
    "\x0b", "storagePool",
    "\x09", "storageos",
    "\x06", "strVal",
    "\x06", "string",
    "\x07", "subPath",
    "\x0b", "subPathExpr",
    "\x09", "subdomain",
    "\x0b", "subresource",
    "\x10", "successThreshold",
    "\x12", "supplementalGroups",
    "\x18", "supplementalGroupsPolicy",
    "\x07", "sysctls",
    "\x06", "system",
    "\x13", "targetContainerName",
    "\x0c", "targetPortal",
    "\x0a", "targetWWNs",
    "\x09", "tcpSocket",
    "\x06", "tenant",
    "\x0a", "terminated",
    "\x1d", "terminationGracePeriodSeconds",
    "\x16", "terminationMessagePath",
    "\x18", "terminationMessagePolicy",
    "\x04", "time",
    "\x0e", "timeoutSeconds",
    "\x11", "tolerationSeconds",
    "\x0b", "tolerations",
    "\x0b", "topologyKey",
    "\x19", "topologySpreadConstraints",
    "\x03", "tty",
    "\x04", "type",
    "\x03", "uid",
    "\x04", "user",
    "\x0f", "userAnnotations",
    "\x05", "value",
    "\x09", "valueFrom",
    "\x06", "values",
    "\x06", "volume",
    "\x10", "volumeAttributes",
    "\x19", "volumeAttributesClassName",
    "\x13", "volumeClaimTemplate",
    "\x0d", "volumeDevices",
    "\x0c", "volumeHealth",
    "\x08", "volumeID",
    "\x0a", "volumeMode",
    "\x0c", "volumeMounts",
    "\x0a", "volumeName",
    "\x0f", "volumeNamespace",
    "\x0a", "volumePath",
    "\x0c", "volumeSource",
    "\x0c", "volumeStatus",
    "\x07", "volumes",
    "\x0d", "vsphereVolume",
    "\x07", "waiting",
    "\x06", "weight",
    "\x11", "whenUnsatisfiable",
    "\x0e", "windowsOptions",
    "\x0a", "workingDir",
    "\x0b", "workloadRef",
    "\x05", "wwids",
);

const fn row(name: u16, first: u16, slots: u8, opaque: Option<Opaque>) -> Row {
    Row { name, first, slots, opaque }
}

const fn slot(name: u16, kind: u8, flags: u8) -> Slot {
    Slot { name, kind, flags }
}

//! Pods made over CRI, in the way of a kubelet.

use std::collections::BTreeMap;
use std::time::Duration;

use podsapi_client::{Channel, ClientError, Code, Status};
use podsapi_proto::cri;
use prost::Message;

/// A pod that a test makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedPod {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Its UID.
    pub uid: String,
    /// How many sandboxes it had before.
    pub attempt: u32,
    /// Whether it uses the node's network.
    pub host_network: bool,
    /// The runtime's handler: empty, or "dual" for an IPv4 and an IPv6 address.
    pub handler: String,
    /// What the kubelet notes on the sandbox.
    pub annotations: BTreeMap<String, String>,
    /// The node's folder for the logs of its containers; empty for none.
    pub log_directory: String,
}

impl PlannedPod {
    /// Returns a pod of the namespace "default" with an IPv4 address and the UID `uid-NAME`.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            namespace: "default".to_owned(),
            uid: format!("uid-{name}"),
            attempt: 0,
            host_network: false,
            handler: String::new(),
            annotations: BTreeMap::new(),
            log_directory: String::new(),
        }
    }

    fn labels(&self) -> BTreeMap<String, String> {
        let labels = [
            ("io.kubernetes.pod.name", self.name.as_str()),
            ("io.kubernetes.pod.namespace", &self.namespace),
            ("io.kubernetes.pod.uid", &self.uid),
        ];
        BTreeMap::from(labels.map(|(name, value)| (name.to_owned(), value.to_owned())))
    }

    fn namespaces(&self) -> cri::NamespaceOption {
        let network = if self.host_network {
            cri::NamespaceMode::Node
        } else {
            cri::NamespaceMode::Pod
        };
        cri::NamespaceOption {
            network: network.into(),
            pid: cri::NamespaceMode::Container.into(),
            ..cri::NamespaceOption::default()
        }
    }

    fn config(&self, cgroup_parent: &str) -> cri::PodSandboxConfig {
        cri::PodSandboxConfig {
            metadata: Some(cri::PodSandboxMetadata {
                name: self.name.clone(),
                uid: self.uid.clone(),
                namespace: self.namespace.clone(),
                attempt: self.attempt,
            }),
            log_directory: self.log_directory.clone(),
            labels: self.labels(),
            annotations: self.annotations.clone(),
            linux: Some(cri::LinuxPodSandboxConfig {
                cgroup_parent: format!("{cgroup_parent}/pod{}", self.uid),
                security_context: Some(cri::LinuxSandboxSecurityContext {
                    namespace_options: Some(self.namespaces()),
                }),
            }),
            ..cri::PodSandboxConfig::default()
        }
    }
}

/// A container that a test makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedContainer {
    /// Its name in the pod.
    pub name: String,
    /// What it runs.
    pub command: Vec<String>,
    /// How many containers of the name the pod had before.
    pub attempt: u32,
    /// The most memory that it may use, in bytes; 0 for no limit.
    pub memory_bytes: i64,
    /// The node's file for its termination message.
    pub termination_file: Option<String>,
    /// Whether its log is its message where it fails without another.
    pub falls_back_to_log: bool,
}

impl PlannedContainer {
    /// Returns a container that runs a line of shell.
    pub fn new(name: &str, line: &str) -> Self {
        Self {
            name: name.to_owned(),
            command: ["sh", "-c", line].map(str::to_owned).to_vec(),
            attempt: 0,
            memory_bytes: 0,
            termination_file: None,
            falls_back_to_log: false,
        }
    }

    /// Has it wait before its line until something is written into this file of the node, which is
    /// empty then: one that has ended before its start is answered may have no exit code in
    /// containerd 1, however long it sleeps on a machine that is busy.
    #[must_use]
    pub fn held(name: &str, line: &str, file: &std::path::Path) -> Self {
        let path = "/dev/termination-log";
        let line = format!("until [ -s {path} ]; do sleep 0.05; done; : >{path}; {line}");
        Self {
            termination_file: Some(file.display().to_string()),
            ..Self::new(name, &line)
        }
    }

    fn config(&self, pod: &PlannedPod) -> cri::ContainerConfig {
        let mut labels = pod.labels();
        labels.insert("io.kubernetes.container.name".to_owned(), self.name.clone());
        let path = "/dev/termination-log";
        let policy = if self.falls_back_to_log {
            "FallbackToLogsOnError"
        } else {
            "File"
        };
        let log_path = if pod.log_directory.is_empty() {
            String::new()
        } else {
            format!("{}_{}.log", self.name, self.attempt)
        };
        let mounts = self.termination_file.iter().map(|file| cri::Mount {
            container_path: path.to_owned(),
            host_path: file.clone(),
            readonly: false,
        });
        cri::ContainerConfig {
            metadata: Some(cri::ContainerMetadata {
                name: self.name.clone(),
                attempt: self.attempt,
            }),
            image: Some(cri::ImageSpec {
                image: "localhost/busybox:local".to_owned(),
                ..cri::ImageSpec::default()
            }),
            command: self.command.clone(),
            labels,
            annotations: BTreeMap::from([
                (
                    "io.kubernetes.container.restartCount".to_owned(),
                    self.attempt.to_string(),
                ),
                (
                    "io.kubernetes.container.terminationMessagePath".to_owned(),
                    path.to_owned(),
                ),
                (
                    "io.kubernetes.container.terminationMessagePolicy".to_owned(),
                    policy.to_owned(),
                ),
            ]),
            log_path,
            mounts: mounts.collect(),
            linux: Some(cri::LinuxContainerConfig {
                resources: Some(cri::LinuxContainerResources {
                    memory_limit_in_bytes: self.memory_bytes,
                    ..cri::LinuxContainerResources::default()
                }),
                security_context: Some(cri::LinuxContainerSecurityContext {
                    namespace_options: Some(pod.namespaces()),
                }),
            }),
            ..cri::ContainerConfig::default()
        }
    }
}

/// A connection to a runtime that makes and ends pods, and says what there is.
#[derive(Clone, Debug)]
pub struct Runtime {
    channel: Channel,
    cgroup_parent: String,
}

impl Runtime {
    pub(super) fn new(channel: Channel, cgroup_parent: String) -> Self {
        Self {
            channel,
            cgroup_parent,
        }
    }

    /// Makes and starts a sandbox; returns its ID.
    ///
    /// # Errors
    ///
    /// What the runtime says; as all calls here.
    pub async fn run(&self, pod: &PlannedPod) -> Result<String, ClientError> {
        let request = cri::RunPodSandboxRequest {
            config: Some(pod.config(&self.cgroup_parent)),
            runtime_handler: pod.handler.clone(),
        };
        let response: cri::RunPodSandboxResponse = self.call("RunPodSandbox", &request).await?;
        Ok(response.pod_sandbox_id)
    }

    /// Makes a container in a sandbox; returns its ID.
    ///
    /// # Errors
    ///
    /// What the runtime says.
    pub async fn create(
        &self,
        sandbox: &str,
        pod: &PlannedPod,
        container: &PlannedContainer,
    ) -> Result<String, ClientError> {
        let request = cri::CreateContainerRequest {
            pod_sandbox_id: sandbox.to_owned(),
            config: Some(container.config(pod)),
            sandbox_config: Some(pod.config(&self.cgroup_parent)),
        };
        let response: cri::CreateContainerResponse = self.call("CreateContainer", &request).await?;
        Ok(response.container_id)
    }

    /// Starts a container.
    ///
    /// # Errors
    ///
    /// What the runtime says.
    pub async fn start(&self, id: &str) -> Result<(), ClientError> {
        let container_id = id.to_owned();
        let request = cri::StartContainerRequest { container_id };
        let _empty: cri::StartContainerResponse = self.call("StartContainer", &request).await?;
        Ok(())
    }

    /// Makes and starts a container; returns its ID.
    ///
    /// # Errors
    ///
    /// What the runtime says.
    pub async fn launch(
        &self,
        sandbox: &str,
        pod: &PlannedPod,
        container: &PlannedContainer,
    ) -> Result<String, ClientError> {
        let id = self.create(sandbox, pod, container).await?;
        self.start(&id).await?;
        Ok(id)
    }

    /// Kills a container.
    ///
    /// # Errors
    ///
    /// What the runtime says.
    pub async fn stop(&self, id: &str) -> Result<(), ClientError> {
        let request = cri::StopContainerRequest {
            container_id: id.to_owned(),
            timeout: 0,
        };
        let _empty: cri::StopContainerResponse = self.call("StopContainer", &request).await?;
        Ok(())
    }

    /// Removes a container.
    ///
    /// # Errors
    ///
    /// What the runtime says.
    pub async fn remove(&self, id: &str) -> Result<(), ClientError> {
        let container_id = id.to_owned();
        let request = cri::RemoveContainerRequest { container_id };
        let _empty: cri::RemoveContainerResponse = self.call("RemoveContainer", &request).await?;
        Ok(())
    }

    /// Stops a sandbox with its containers.
    ///
    /// # Errors
    ///
    /// What the runtime says.
    pub async fn stop_sandbox(&self, id: &str) -> Result<(), ClientError> {
        let pod_sandbox_id = id.to_owned();
        let request = cri::StopPodSandboxRequest { pod_sandbox_id };
        let _empty: cri::StopPodSandboxResponse = self.call("StopPodSandbox", &request).await?;
        Ok(())
    }

    /// Removes a sandbox with its containers.
    ///
    /// # Errors
    ///
    /// What the runtime says.
    pub async fn remove_sandbox(&self, id: &str) -> Result<(), ClientError> {
        let pod_sandbox_id = id.to_owned();
        let request = cri::RemovePodSandboxRequest { pod_sandbox_id };
        let _empty: cri::RemovePodSandboxResponse = self.call("RemovePodSandbox", &request).await?;
        Ok(())
    }

    /// Returns the runtime's name and version.
    ///
    /// # Errors
    ///
    /// What the runtime says.
    pub async fn version(&self) -> Result<cri::VersionResponse, ClientError> {
        self.call("Version", &cri::VersionRequest::default()).await
    }

    /// Returns every sandbox with its status, one after another.
    ///
    /// # Errors
    ///
    /// What the runtime says, also when a sandbox went between list and status.
    pub async fn sandboxes(
        &self,
    ) -> Result<Vec<(cri::PodSandbox, cri::PodSandboxStatus)>, ClientError> {
        let request = cri::ListPodSandboxRequest::default();
        let list: cri::ListPodSandboxResponse = self.call("ListPodSandbox", &request).await?;
        let mut found = Vec::new();
        for item in list.items {
            let pod_sandbox_id = item.id.clone();
            let request = cri::PodSandboxStatusRequest { pod_sandbox_id };
            let status: cri::PodSandboxStatusResponse =
                self.call("PodSandboxStatus", &request).await?;
            found.push((item, status.status.unwrap_or_default()));
        }
        Ok(found)
    }

    /// Returns every container with its status, one after another.
    ///
    /// # Errors
    ///
    /// What the runtime says, also when a container went between list and status.
    pub async fn containers(
        &self,
    ) -> Result<Vec<(cri::Container, cri::ContainerStatus)>, ClientError> {
        let request = cri::ListContainersRequest::default();
        let list: cri::ListContainersResponse = self.call("ListContainers", &request).await?;
        let mut found = Vec::new();
        for item in list.containers {
            let container_id = item.id.clone();
            let request = cri::ContainerStatusRequest { container_id };
            let status: cri::ContainerStatusResponse =
                self.call("ContainerStatus", &request).await?;
            found.push((item, status.status.unwrap_or_default()));
        }
        Ok(found)
    }

    async fn call<A: Message + Default>(
        &self,
        method: &str,
        request: &impl Message,
    ) -> Result<A, ClientError> {
        let path = format!("/runtime.v1.RuntimeService/{method}");
        let message = request.encode_to_vec();
        let deadline = Some(Duration::from_secs(180));
        let answer = self.channel.unary(&path, &message, deadline).await?;
        A::decode(answer).map_err(|error| Status::new(Code::Internal, error.to_string()).into())
    }
}

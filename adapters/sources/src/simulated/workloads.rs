//! What runs on a simulated node: the few kinds of workload that its pods are copies of.

/// One workload; its pods differ in name, identity and state only.
#[derive(Debug)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) namespace: &'static str,
    pub(crate) owner: Owner,
    pub(crate) init: Option<Image>,
    pub(crate) containers: &'static [Image],
    pub(crate) host_network: bool,
    /// The claim its data is on, if it has data to keep.
    pub(crate) claim: Option<&'static str>,
}

/// What creates a workload's pods, which decides their names and their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    DaemonSet,
    Job,
    ReplicaSet,
    StatefulSet,
}

impl Owner {
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::DaemonSet => "DaemonSet",
            Self::Job => "Job",
            Self::ReplicaSet => "ReplicaSet",
            Self::StatefulSet => "StatefulSet",
        }
    }

    pub(crate) fn api_version(self) -> &'static str {
        match self {
            Self::Job => "batch/v1",
            Self::DaemonSet | Self::ReplicaSet | Self::StatefulSet => "apps/v1",
        }
    }

    /// Whether its pods run to an end; the others are restarted for ever.
    pub(crate) fn runs_to_an_end(self) -> bool {
        match self {
            Self::Job => true,
            Self::DaemonSet | Self::ReplicaSet | Self::StatefulSet => false,
        }
    }
}

/// One container of a workload.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) container: &'static str,
    pub(crate) image: &'static str,
    pub(crate) args: &'static [&'static str],
    pub(crate) env: &'static [(&'static str, &'static str)],
    /// The port it listens on and is probed at, with the path of the probes.
    pub(crate) serves: Option<(i64, &'static str)>,
    pub(crate) cpu: &'static str,
    pub(crate) memory: &'static str,
}

/// All workloads, those that a small node runs first.
pub(crate) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "storefront",
        namespace: "shop",
        owner: Owner::ReplicaSet,
        init: Some(Image {
            container: "migrate",
            image: "registry.example/shop/storefront:4.18.2",
            args: &["migrate", "--wait=60s"],
            env: &[],
            serves: None,
            cpu: "50m",
            memory: "64Mi",
        }),
        containers: &[
            Image {
                container: "storefront",
                image: "registry.example/shop/storefront:4.18.2",
                args: &["serve", "--listen=:8080"],
                env: &[
                    ("DATABASE_HOST", "orders-db.shop.svc"),
                    ("DATABASE_POOL_SIZE", "20"),
                    ("FEATURE_FLAGS", "checkout-v2,search-suggestions"),
                    ("LOG_LEVEL", "info"),
                ],
                serves: Some((8080, "/healthz")),
                cpu: "250m",
                memory: "256Mi",
            },
            Image {
                container: "mesh-proxy",
                image: "registry.example/mesh/proxy:1.29.4",
                args: &["sidecar", "--concurrency=2"],
                env: &[("MESH_ID", "east"), ("OUTBOUND_MODE", "registry-only")],
                serves: Some((15_021, "/healthz/ready")),
                cpu: "100m",
                memory: "128Mi",
            },
        ],
        host_network: false,
        claim: None,
    },
    Workload {
        name: "node-agent",
        namespace: "monitoring",
        owner: Owner::DaemonSet,
        init: None,
        containers: &[
            Image {
                container: "exporter",
                image: "registry.example/monitoring/node-exporter:v1.9.1",
                args: &["--path.procfs=/host/proc", "--path.sysfs=/host/sys"],
                env: &[],
                serves: Some((9100, "/metrics")),
                cpu: "50m",
                memory: "48Mi",
            },
            Image {
                container: "log-shipper",
                image: "registry.example/monitoring/log-shipper:3.2.0",
                args: &["--config=/etc/config/shipper.yaml"],
                env: &[("BATCH_BYTES", "1048576"), ("BATCH_WAIT", "2s")],
                serves: None,
                cpu: "100m",
                memory: "128Mi",
            },
        ],
        host_network: true,
        claim: None,
    },
    Workload {
        name: "orders-db",
        namespace: "shop",
        owner: Owner::StatefulSet,
        init: Some(Image {
            container: "prepare-data",
            image: "registry.example/database/tools:16.4",
            args: &["prepare", "/var/lib/data"],
            env: &[],
            serves: None,
            cpu: "50m",
            memory: "32Mi",
        }),
        containers: &[
            Image {
                container: "database",
                image: "registry.example/database/server:16.4",
                args: &["-c", "shared_buffers=512MB", "-c", "max_connections=200"],
                env: &[("DATA_DIRECTORY", "/var/lib/data"), ("TZ", "UTC")],
                serves: Some((5432, "/ready")),
                cpu: "500m",
                memory: "1Gi",
            },
            Image {
                container: "metrics",
                image: "registry.example/database/exporter:0.15.0",
                args: &["--web.listen-address=:9187"],
                env: &[("SCRAPE_TIMEOUT", "10s")],
                serves: Some((9187, "/")),
                cpu: "20m",
                memory: "32Mi",
            },
        ],
        host_network: false,
        claim: Some("data"),
    },
    Workload {
        name: "nightly-report",
        namespace: "batch",
        owner: Owner::Job,
        init: None,
        containers: &[
            Image {
                container: "report",
                image: "registry.example/batch/report@sha256:\
                        2d4b8d8d0d3d53b8f2a4ab7b7c9a6f0b1e5c4f1f8a9b7c6d5e4f3a2b1c0d9e8f",
                args: &["--day=yesterday", "--format=parquet"],
                env: &[("PARALLELISM", "4"), ("RETRY_LIMIT", "3")],
                serves: None,
                cpu: "1",
                memory: "512Mi",
            },
            Image {
                container: "upload",
                image: "registry.example/batch/upload:2.0.7",
                args: &["--from=/var/lib/data", "--to=reports"],
                env: &[("BUCKET_REGION", "north")],
                serves: None,
                cpu: "50m",
                memory: "64Mi",
            },
        ],
        host_network: false,
        claim: None,
    },
    Workload {
        name: "web",
        namespace: "default",
        owner: Owner::ReplicaSet,
        init: None,
        containers: &[
            Image {
                container: "nginx",
                image: "docker.io/library/nginx:1.29",
                args: &[],
                env: &[("NGINX_WORKER_CONNECTIONS", "1024")],
                serves: Some((80, "/")),
                cpu: "100m",
                memory: "64Mi",
            },
            Image {
                container: "content-sync",
                image: "registry.example/web/content-sync:0.9",
                args: &["--interval=30s"],
                env: &[("CONTENT_BRANCH", "main")],
                serves: None,
                cpu: "10m",
                memory: "32Mi",
            },
        ],
        host_network: false,
        claim: None,
    },
    Workload {
        name: "dns",
        namespace: "kube-system",
        owner: Owner::ReplicaSet,
        init: None,
        containers: &[
            Image {
                container: "dns",
                image: "registry.example/cluster/dns:v1.12.4",
                args: &["-conf", "/etc/config/zones"],
                env: &[],
                serves: Some((8181, "/ready")),
                cpu: "100m",
                memory: "70Mi",
            },
            Image {
                container: "cache",
                image: "registry.example/cluster/dns-cache:v1.26.5",
                args: &["--upstream=127.0.0.1:53"],
                env: &[("CACHE_ENTRIES", "10000")],
                serves: None,
                cpu: "25m",
                memory: "32Mi",
            },
            Image {
                container: "metrics",
                image: "registry.example/cluster/dns-metrics:v0.8.0",
                args: &[],
                env: &[],
                serves: Some((9153, "/metrics")),
                cpu: "10m",
                memory: "24Mi",
            },
        ],
        host_network: false,
        claim: None,
    },
];

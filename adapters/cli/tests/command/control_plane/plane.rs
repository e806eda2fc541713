//! A kube-apiserver with its etcd, in a folder of its own.

use std::fs::{self, File};
use std::net::{TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Weak};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;
use tokio::sync::Mutex;

use super::api::{Api, Question, plainly};
use super::credentials::Credentials;
use crate::process::now;

/// A running control plane without a scheduler or controllers; it ends with the value.
pub(crate) struct Plane {
    pub(crate) api: Api,
    pub(crate) port: u16,
    server: Option<Part>,
    credentials: Credentials,
    etcd_port: u16,
    peer_port: u16,
    programs: PathBuf,
    etcd: Option<Part>,
    _ports: [Port; 3],
    // Last: what runs in it ends first.
    folder: TempDir,
}

/// Another server over the same etcd.
pub(super) struct Second {
    pub(super) api: Api,
    _server: Part,
    _port: Port,
}

impl Plane {
    /// Starts one; prints why where that cannot be done.
    pub(crate) async fn start() -> Option<Self> {
        let programs = match programs() {
            Ok(programs) => programs,
            Err(reason) => {
                println!("skipped: {reason}");
                return None;
            }
        };
        let folder = tempfile::tempdir().unwrap();
        let credentials = Credentials::make(folder.path());
        fs::write(folder.path().join("audit.yaml"), AUDIT).unwrap();
        let ports = [(); 3].map(|()| Port::free());
        let [etcd_port, peer_port, port] = ports.each_ref().map(|port| port.number);
        let mut plane = Self {
            api: Api::new(port, &folder.path().join("ca.crt")),
            port,
            server: None,
            credentials,
            etcd_port,
            peer_port,
            programs,
            etcd: None,
            _ports: ports,
            folder,
        };
        plane.start_etcd().await;
        plane.start_server().await;
        let version = plane.api.done(Question::get("/version")).await;
        let etcd = plainly(etcd_port, Question::get("/version")).await.unwrap();
        println!(
            "kube-apiserver {}, etcd {}",
            member(&version, "gitVersion"),
            member(&etcd.1, "etcdserver")
        );
        Some(plane)
    }

    /// Returns the one that tests at the same time share, as long as they leave it alone.
    pub(super) async fn shared() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<Plane>> = Mutex::const_new(Weak::new());
        let mut shared = SHARED.lock().await;
        if let Some(plane) = shared.upgrade() {
            return Some(plane);
        }
        let plane = Arc::new(Self::start().await?);
        *shared = Arc::downgrade(&plane);
        Some(plane)
    }

    /// Kills the server; etcd keeps what it knew.
    pub(crate) fn kill_server(&mut self) {
        self.server = None;
    }

    /// Starts the server where it was, and waits until it is ready.
    pub(crate) async fn start_server(&mut self) {
        let folder = self.folder.path();
        let start = || server(&self.programs, folder, self.etcd_port, self.port);
        self.server = Some(started(start, &self.api, folder).await);
    }

    /// Stops the server where it is: its connections stay open, and nobody answers.
    pub(super) fn pause_server(&self) {
        self.signal_server(Signal::SIGSTOP);
    }

    /// Lets the server go on.
    pub(super) fn resume_server(&self) {
        self.signal_server(Signal::SIGCONT);
    }

    fn signal_server(&self, signal: Signal) {
        let server = self.server.as_ref().expect("the server runs");
        server.signal(signal);
    }

    /// Kills etcd and starts it again; it keeps what it knew.
    pub(super) async fn restart_etcd(&mut self) {
        self.etcd = None;
        self.start_etcd().await;
    }

    /// Waits until the server is ready.
    pub(super) async fn is_ready(&self) {
        ready(&self.api, self.folder.path()).await;
    }

    /// Kills all, and starts a control plane that knows nothing where it was.
    pub(super) async fn forget_all(&mut self) {
        self.server = None;
        self.etcd = None;
        fs::remove_dir_all(self.folder.path().join("etcd")).unwrap();
        self.start_etcd().await;
        self.start_server().await;
    }

    async fn start_etcd(&mut self) {
        let folder = self.folder.path();
        let part = etcd(&self.programs, folder, self.etcd_port, self.peer_port);
        self.etcd = Some(part);
        until("etcd answers", folder, async || {
            let health = plainly(self.etcd_port, Question::get("/health")).await;
            health.is_ok_and(|(status, _)| status == 200)
        })
        .await;
    }

    /// Lets so many revisions pass, with changes that are none of Kubernetes.
    pub(super) async fn pass_revisions(&self, count: u64) {
        for _ in 0..count {
            // Key and value are an "a" in base64.
            self.tell_etcd("/v3/kv/put", r#"{"key":"YQ==","value":"YQ=="}"#)
                .await;
        }
    }

    /// Starts a second server over the same etcd.
    pub(super) async fn second(&self) -> Second {
        let folder = self.folder.path();
        let port = Port::free();
        let api = Api::new(port.number, &folder.join("ca.crt"));
        let start = || server(&self.programs, folder, self.etcd_port, port.number);
        let part = started(start, &api, folder).await;
        Second {
            api,
            _server: part,
            _port: port,
        }
    }

    /// Makes etcd forget all revisions before this one.
    pub(super) async fn compact(&self, revision: u64) {
        let text = format!(r#"{{"revision":"{revision}","physical":true}}"#);
        self.tell_etcd("/v3/kv/compaction", &text).await;
    }

    async fn tell_etcd(&self, path: &str, text: &str) {
        let question = Question {
            method: "POST",
            body: ("application/json", text),
            ..Question::get(path)
        };
        let (status, body) = plainly(self.etcd_port, question).await.unwrap();
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    }

    /// Writes the kubeconfig of a node that reaches the server through this port.
    pub(crate) fn kubeconfig(&self, node: &str, port: u16) -> PathBuf {
        let server = format!("https://127.0.0.1:{port}");
        self.credentials.of_node(node, &server)
    }

    /// Writes a kubeconfig with a token.
    pub(super) fn kubeconfig_with_token(&self, name: &str, token: &str) -> PathBuf {
        let server = format!("https://127.0.0.1:{}", self.port);
        self.credentials.of_token(name, token, &server)
    }

    /// Returns what a node has asked of the servers: the verb and the address of each request.
    pub(super) fn asked(&self, node: &str) -> Vec<(String, String)> {
        let user = format!("\"username\":\"system:node:{node}\"");
        let mut asked = Vec::new();
        for file in fs::read_dir(self.folder.path()).unwrap() {
            let file = file.unwrap();
            if !file.file_name().to_string_lossy().starts_with("audit-") {
                continue;
            }
            let text = fs::read_to_string(file.path()).unwrap();
            for line in text.lines().filter(|line| line.contains(&user)) {
                let line = line.as_bytes();
                asked.push((member(line, "verb"), member(line, "requestURI")));
            }
        }
        asked
    }
}

/// Returns the folder of the programs, which are built first where they have not been.
fn programs() -> Result<PathBuf, String> {
    if std::env::var_os("PODSAPI_REAL_APISERVER").is_none_or(|value| value != "1") {
        return Err("set PODSAPI_REAL_APISERVER=1 to run a kube-apiserver".to_owned());
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/interop/apiserver/build");
    let built = Command::new(script).output();
    let built = built.map_err(|error| error.to_string())?;
    let folder = String::from_utf8_lossy(&built.stdout).trim().to_owned();
    if folder.is_empty() {
        return Err(String::from_utf8_lossy(&built.stderr).trim().to_owned());
    }
    Ok(PathBuf::from(folder))
}

/// A process that is killed with the value, and also when the test itself is killed.
struct Part {
    shell: Child,
}

impl Part {
    fn start(program: &Path, arguments: &[String], log: &Path) -> Self {
        let log = File::options().create(true).append(true).open(log).unwrap();
        let mut shell = Command::new("sh");
        // The end of input is the end of whoever holds the other end of the pipe.
        let line = r#""$0" "$@" </dev/null & read -r end; kill -KILL $!; wait"#;
        shell.args(["-c", line]).arg(program).args(arguments);
        shell.stdin(Stdio::piped()).stdout(log.try_clone().unwrap());
        let shell = shell.stderr(log).spawn().unwrap();
        Self { shell }
    }

    /// Sends a signal to the process itself.
    fn signal(&self, signal: Signal) {
        for child in self.children() {
            kill(Pid::from_raw(child), signal).unwrap();
        }
    }

    /// Whether the process itself has ended: its shell has not, nor asked how.
    fn has_ended(&self) -> bool {
        self.children().into_iter().all(|child| {
            let stat = fs::read_to_string(format!("/proc/{child}/stat"));
            stat.is_ok_and(|stat| stat.contains(") Z "))
        })
    }

    fn children(&self) -> Vec<i32> {
        let shell = self.shell.id();
        let children = format!("/proc/{shell}/task/{shell}/children");
        let children = fs::read_to_string(children).unwrap();
        let children = children.split_whitespace();
        children.map(|child| child.parse().unwrap()).collect()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ended = self.shell.wait();
    }
}

fn etcd(programs: &Path, folder: &Path, port: u16, peer: u16) -> Part {
    let address = |port| format!("http://127.0.0.1:{port}");
    let arguments = [
        format!("--data-dir={}", folder.join("etcd").display()),
        format!("--listen-client-urls={}", address(port)),
        format!("--advertise-client-urls={}", address(port)),
        format!("--listen-peer-urls={}", address(peer)),
        format!("--initial-advertise-peer-urls={}", address(peer)),
        format!("--initial-cluster=default={}", address(peer)),
        "--log-level=warn".to_owned(),
        // What it holds is worth no more than the test.
        "--unsafe-no-fsync".to_owned(),
    ];
    let log = folder.join("etcd.log");
    Part::start(&programs.join("etcd"), &arguments, &log)
}

fn server(programs: &Path, folder: &Path, etcd: u16, port: u16) -> Part {
    let file = |name: &str| folder.join(name).display().to_string();
    let arguments = [
        format!("--etcd-servers=http://127.0.0.1:{etcd}"),
        // The tests compact by themselves.
        "--etcd-compaction-interval=0".to_owned(),
        "--bind-address=127.0.0.1".to_owned(),
        "--advertise-address=127.0.0.1".to_owned(),
        "--endpoint-reconciler-type=none".to_owned(),
        format!("--secure-port={port}"),
        format!("--cert-dir={}", file("unused")),
        format!("--tls-cert-file={}", file("server.crt")),
        format!("--tls-private-key-file={}", file("server.key")),
        format!("--client-ca-file={}", file("ca.crt")),
        format!("--token-auth-file={}", file("tokens.csv")),
        "--anonymous-auth=false".to_owned(),
        "--authorization-mode=Node,RBAC".to_owned(),
        // There is no controller that would make the accounts.
        "--disable-admission-plugins=ServiceAccount".to_owned(),
        "--service-account-issuer=https://podsapi.invalid".to_owned(),
        format!("--service-account-key-file={}", file("accounts.pub")),
        format!(
            "--service-account-signing-key-file={}",
            file("accounts.key")
        ),
        "--service-cluster-ip-range=192.0.2.0/24".to_owned(),
        format!("--audit-policy-file={}", file("audit.yaml")),
        format!("--audit-log-path={}", file(&format!("audit-{port}.log"))),
        "--profiling=false".to_owned(),
    ];
    let log = folder.join(format!("server-{port}.log"));
    Part::start(&programs.join("kube-apiserver"), &arguments, &log)
}

async fn ready(api: &Api, folder: &Path) {
    until("the API server is ready", folder, async || {
        is_ready(api).await
    })
    .await;
}

async fn is_ready(api: &Api) -> bool {
    let answer = api.ask(Question::get("/readyz")).await;
    answer.is_ok_and(|(status, _)| status == 200)
}

/// Starts an API server and waits until it is ready. One whose first steps take half a minute, as on a
/// busy machine, ends by itself: the next one finds what that one has done.
async fn started(start: impl Fn() -> Part, api: &Api, folder: &Path) -> Part {
    for _ in 0..3 {
        let part = start();
        // Until the shell has begun it there is none that could have ended.
        until("the API server runs", folder, async || {
            !part.children().is_empty()
        })
        .await;
        let over = async || part.has_ended() || is_ready(api).await;
        until("the API server is ready", folder, over).await;
        if !part.has_ended() {
            return part;
        }
        println!("the API server ended before it was ready");
    }
    panic!("the API server ends each time:\n{}", logs(folder));
}

/// Asks again and again, since a process does not tell when it has started.
async fn until(what: &str, folder: &Path, ask: impl AsyncFn() -> bool) {
    let started = now();
    while !ask().await {
        if started.elapsed() > START {
            panic!("it takes too long until {what}:\n{}", logs(folder));
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// Returns how each log in the folder ends.
fn logs(folder: &Path) -> String {
    let mut told = String::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|end| end == "log") {
            let text = fs::read_to_string(&path).unwrap();
            let lines: Vec<_> = text.lines().rev().take(20).collect();
            told += &format!("{}:\n", path.display());
            for line in lines.into_iter().rev() {
                told += &format!("{line}\n");
            }
        }
    }
    told
}

/// A port for a server that may come later, or be away for a while.
struct Port {
    number: u16,
    /// Of the same number, so that no other test takes it meanwhile.
    _taken: UdpSocket,
}

impl Port {
    /// Returns one that nobody has, of those that no connection is given as its own.
    fn free() -> Self {
        let mut ports = (0..1_000).filter_map(|_| {
            let number = fastrand::u16(20_000..32_000);
            let _taken = UdpSocket::bind(("127.0.0.1", number)).ok()?;
            TcpListener::bind(("127.0.0.1", number)).ok()?;
            Some(Self { number, _taken })
        });
        ports.next().expect("few ports are in use")
    }
}

/// Returns a text of a JSON object.
fn member(text: &[u8], name: &str) -> String {
    let value = podsapi_proto::json::parse_json(text).unwrap();
    let found = value.get(name).and_then(|found| found.as_str());
    found
        .unwrap_or_else(|| panic!("no {name}: {value:?}"))
        .to_owned()
}

/// Longer than a server takes to start on a busy machine.
const START: std::time::Duration = std::time::Duration::from_secs(300);

/// Each request about pods, once.
const AUDIT: &str = "apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [ResponseStarted, ResponseComplete, Panic]
rules:
- {level: Metadata, resources: [{group: '', resources: [pods]}]}
- level: None
";

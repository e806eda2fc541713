//! `list` and `get`: pods as they are now.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use podsapi_client::{Client, ClientOptions, Code, Event, EventKind, Mirror, MirroredPod, Status};
use podsapi_proto::v1alpha1::ListPodsResponse;
use podsapi_tokio::TokioRuntime;
use prost::Message;

use crate::args::{Format, GetArgs, ReadArgs};
use crate::failure::Failure;
use crate::output::{self, Layout};
use crate::say;

/// Prints all pods, or those of one namespace.
///
/// A pod that cannot be read is left out with a word on standard error, so that it does not hide
/// the others; as protobuf all are written as they came.
pub(crate) async fn list(args: &ReadArgs, out: &mut impl Write) -> Result<(), Failure> {
    let path = args.socket.path();
    let raw = fetch(&path).await?;
    if args.output == Format::Protobuf && args.namespace.is_none() {
        out.write_all(&ListPodsResponse { pods: raw }.encode_to_vec())?;
        return Ok(out.flush()?);
    }
    let mut pods = readable(&raw);
    if let Some(namespace) = &args.namespace {
        pods.retain(|pod| pod.namespace() == namespace);
    }
    if pods.is_empty() && matches!(args.output, Format::Table | Format::Wide) {
        match &args.namespace {
            Some(namespace) => say(format_args!("no pods in namespace {namespace}")),
            None => say(format_args!("no pods")),
        }
    }
    let now = TokioRuntime::wall_seconds();
    out.write_all(&output::list(&pods, args.output, args.layout(), now)?)?;
    Ok(out.flush()?)
}

/// Prints one pod.
pub(crate) async fn get(args: &GetArgs, out: &mut impl Write) -> Result<(), Failure> {
    let path = args.read.socket.path();
    let pod = match (&args.read.namespace, args.pod.split_once('/')) {
        (None, None) => {
            let client = connect(&path).await?;
            let pod = client.get(&args.pod).await;
            MirroredPod::parse(&pod.map_err(|error| Failure::of_call(&path, error))?)?
        }
        (Some(namespace), None) => named(&path, namespace, &args.pod).await?,
        (None, Some((namespace, name))) => named(&path, namespace, name).await?,
        (Some(given), Some((namespace, name))) if given == namespace => {
            named(&path, namespace, name).await?
        }
        (Some(given), Some((namespace, _))) => {
            let text =
                format!("--namespace {given} contradicts the namespace {namespace} of the pod");
            return Err(Failure::Usage(text));
        }
    };
    let layout = Layout {
        namespaces: false,
        ..args.read.layout()
    };
    let now = TokioRuntime::wall_seconds();
    out.write_all(&output::one(&pod, args.read.output, layout, now)?)?;
    Ok(out.flush()?)
}

/// A list takes milliseconds; a server that needs this long hangs.
const DEADLINE: Duration = Duration::from_secs(60);

async fn connect(path: &Path) -> Result<Client, Failure> {
    let options = ClientOptions {
        deadline: Some(DEADLINE),
        ..ClientOptions::default()
    };
    Ok(Client::connect(path, options).await?)
}

async fn fetch(path: &Path) -> Result<Vec<Bytes>, Failure> {
    let client = connect(path).await?;
    client
        .list()
        .await
        .map_err(|error| Failure::of_call(path, error))
}

fn readable(raw: &[Bytes]) -> Vec<MirroredPod> {
    let parsed = raw.iter().map(|pod| MirroredPod::parse(pod));
    let readable = parsed.filter_map(|pod| {
        pod.inspect_err(|error| say(format_args!("left out: {error}")))
            .ok()
    });
    readable.collect()
}

/// Finds a pod by name as every consumer should: the newest that has not ended.
async fn named(path: &Path, namespace: &str, name: &str) -> Result<MirroredPod, Failure> {
    let mut mirror = Mirror::new();
    for pod in fetch(path).await? {
        let kind = EventKind::Added;
        if let Err(error) = mirror.handle_event(&Event { kind, pod }) {
            say(format_args!("left out: {error}"));
        }
    }
    let found = mirror
        .by_name(namespace, name)
        .map(|pod| MirroredPod::clone(pod));
    found.ok_or_else(|| {
        let text = format!("the server has no pod {namespace}/{name}");
        Failure::Refused(Status::new(Code::NotFound, text))
    })
}

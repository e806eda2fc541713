//! `list` and `get`: pods as they are now.

use std::io::Write;
use std::path::Path;

use bytes::Bytes;
use podsapi_client::{
    Client, ClientError, ClientOptions, Code, Event, EventKind, Fields, Mirror, MirroredPod, Status,
};
use podsapi_proto::v1alpha1::ListPodsResponse;
use podsapi_tokio::TokioRuntime;
use prost::Message;

use crate::args::{Format, GetArgs, ReadArgs};
use crate::failure::{DEADLINE, Failure, answered, in_time};
use crate::output::{self, Layout};
use crate::{say, selection};

/// Prints all pods, or those of one namespace.
///
/// A pod that cannot be read is left out with a word on standard error, so that it does not hide
/// the others; as protobuf all are written as they came.
pub(crate) async fn list(args: &ReadArgs, out: &mut impl Write) -> Result<(), Failure> {
    let path = args.socket.path();
    let client = connect(&path, selection::wanted(args)?).await?;
    let raw = answered(&path, client.list()).await?;
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
    out.write_all(&output::list(&pods, args.output, args.layout(), now))?;
    Ok(out.flush()?)
}

/// Prints one pod.
pub(crate) async fn get(args: &GetArgs, out: &mut impl Write) -> Result<(), Failure> {
    let path = args.read.socket.path();
    let name = name(args.read.namespace.as_deref(), &args.pod)?;
    let client = connect(&path, selection::wanted(&args.read)?).await?;
    let uid = match name {
        Some((namespace, name)) => named(&client, &path, namespace, name).await?,
        None => args.pod.clone(),
    };
    let pod = in_time(&path, client.get(&uid)).await?;
    let pod = pod.map_err(|error| match error {
        ClientError::Refused(status)
            if status.code() == Code::NotFound && name.is_none() && !looks_like_a_uid(&uid) =>
        {
            Failure::NoSuchUid(status)
        }
        ClientError::Refused(_) | ClientError::Transport(_) => Failure::of_call(&path, error),
    });
    let pod = MirroredPod::parse(&pod?)?;
    let layout = Layout {
        namespaces: false,
        ..args.read.layout()
    };
    let now = TokioRuntime::wall_seconds();
    out.write_all(&output::one(&pod, args.read.output, layout, now)?)?;
    Ok(out.flush()?)
}

/// Returns the namespace and name that are asked for, `None` when it is a UID.
fn name<'a>(
    namespace: Option<&'a str>,
    pod: &'a str,
) -> Result<Option<(&'a str, &'a str)>, Failure> {
    let usage = |text: String| Err(Failure::Usage(text));
    let name = match (namespace, pod.split_once('/')) {
        (None, None) => None,
        (Some(namespace), None) => Some((namespace, pod)),
        (Some(given), Some((namespace, _))) if given != namespace => {
            return usage(format!(
                "--namespace {given} contradicts the namespace {namespace} of the pod"
            ));
        }
        (_, Some(name)) => Some(name),
    };
    match name {
        None if !pod.is_empty() => Ok(name),
        Some((namespace, name))
            if !namespace.is_empty() && !name.is_empty() && !name.contains('/') =>
        {
            Ok(Some((namespace, name)))
        }
        None | Some(_) => usage(format!("expected a UID or NAMESPACE/NAME, found {pod:?}")),
    }
}

/// Says whether a text is a UID as the API server and the kubelet make them, and hardly a name.
fn looks_like_a_uid(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    digits == 32
        && text
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

async fn connect(path: &Path, fields: Fields) -> Result<Client, Failure> {
    let options = ClientOptions {
        deadline: Some(DEADLINE),
        fields,
        ..ClientOptions::default()
    };
    Ok(Client::connect(path, options).await?)
}

fn readable(raw: &[Bytes]) -> Vec<MirroredPod> {
    let parsed = raw.iter().map(|pod| MirroredPod::parse(pod));
    let readable = parsed.filter_map(|pod| {
        pod.inspect_err(|error| say(format_args!("left out: {error}")))
            .ok()
    });
    readable.collect()
}

/// Finds the UID of a pod by its name as every consumer should: the newest that has not ended.
async fn named(
    client: &Client,
    path: &Path,
    namespace: &str,
    name: &str,
) -> Result<String, Failure> {
    let mut mirror = Mirror::new();
    let client = client.with_fields(selection::rank());
    for pod in answered(path, client.list()).await? {
        let kind = EventKind::Added;
        if let Err(error) = mirror.handle_event(&Event { kind, pod }) {
            say(format_args!("left out: {error}"));
        }
    }
    let found = mirror
        .by_name(namespace, name)
        .map(|pod| pod.uid().to_owned());
    found.ok_or_else(|| {
        let text = format!("the server has no pod {namespace}/{name}");
        Failure::Refused(Status::new(Code::NotFound, text))
    })
}

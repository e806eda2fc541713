use std::sync::LazyLock;

use podsapi_core::EncodedPod;

use super::*;

static PODS: LazyLock<Vec<CorpusPod>> = LazyLock::new(|| corpus(500));

#[test]
fn five_hundred_pods_have_the_sizes_of_real_ones() {
    let pods = &*PODS;
    let bytes: usize = pods.iter().map(|pod| pod.pod.len()).sum();
    assert_eq!(pods.len(), 500);
    let sizes = || pods.iter().map(|pod| pod.pod.len());
    let (least, most) = (sizes().min(), sizes().max());
    assert!(
        least >= Some(7 << 10) && most <= Some(12 << 10),
        "{least:?} to {most:?}"
    );
    assert_eq!(bytes, 4_708_497);
}

#[test]
fn a_pod_and_its_change_can_be_served_under_one_uid() {
    let pods = &*PODS;
    for pod in pods {
        for bytes in [&pod.pod, &pod.changed] {
            let parsed = EncodedPod::parse(bytes.clone()).unwrap();
            assert_eq!(parsed.uid().as_str(), pod.uid);
        }
        assert_ne!(pod.pod, pod.changed);
        assert_eq!(pod.pod.len(), pod.changed.len());
    }
    assert!(pods.is_sorted_by(|one, next| one.uid < next.uid));
}

#[test]
fn a_file_gives_back_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("corpus");
    let pods = corpus(3);
    write(&path, &pods).unwrap();
    assert_eq!(read(&path).unwrap(), pods);
}

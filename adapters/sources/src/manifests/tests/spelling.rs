//! How files and folders are spelled, and what is told of it.

use super::*;

#[tokio::test(start_paused = true)]
async fn what_follows_the_first_document_is_remarked_upon() {
    let folder = tempfile::tempdir().unwrap();
    let two = manifest("web", "web:1") + "---\n" + &manifest("second", "web:1");
    fs::write(folder.path().join("two.yaml"), two).unwrap();
    let recorder = Recorder::new();
    let mut watch = Watch::new(Options::new(folder.path(), "node-a"));
    watch.arm_and_read(&recorder.sink, true).await.unwrap();
    let heard = recorder.heard();
    assert_eq!(heard.names(), ["default/web-node-a"]);
    let expected = "two.yaml: only its first document is read";
    assert!(heard.problem().contains(expected), "{}", heard.problem());
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_there_twice_is_remarked_upon_and_its_last_value_served() {
    let folder = tempfile::tempdir().unwrap();
    let text = manifest("web", "web:1") + "    image: web:2\n";
    fs::write(folder.path().join("twice.yaml"), text).unwrap();
    let recorder = Recorder::new();
    let mut watch = Watch::new(Options::new(folder.path(), "node-a"));
    watch.arm_and_read(&recorder.sink, true).await.unwrap();
    let heard = recorder.heard();
    assert_eq!(image(&heard, "default/web-node-a"), "web:2");
    let expected = "the last value of a key counts, as in a kubelet: line ";
    assert!(heard.problem().contains(expected), "{}", heard.problem());
}

#[tokio::test(start_paused = true)]
async fn a_number_that_is_too_long_is_told_as_the_file_spells_it() {
    let folder = tempfile::tempdir().unwrap();
    let text = manifest("web", "web:1") + "  priority: 99999999999999999999\n";
    fs::write(folder.path().join("web\u{1b}.yaml"), text).unwrap();
    let recorder = Recorder::new();
    let mut watch = Watch::new(Options::new(folder.path(), "node-a"));
    watch.arm_and_read(&recorder.sink, true).await.unwrap();
    let heard = recorder.heard();
    let expected = "found the number 99999999999999999999";
    assert!(heard.problem().contains(expected), "{}", heard.problem());
    assert!(
        heard.problem().contains(r"web\u{1b}.yaml"),
        "{}",
        heard.problem()
    );
}

#[test]
fn a_folder_has_one_path_however_it_is_spelled() {
    let folder = tempfile::tempdir().unwrap();
    let here = std::env::current_dir().unwrap();
    let directory = |text: &Path| Options::new(text, "n").directory;
    assert_eq!(directory(Path::new("manifests")), here.join("manifests"));
    for same in ["./manifests", "manifests/", "./manifests/.", ".//manifests"] {
        assert_eq!(directory(Path::new(same)), here.join("manifests"), "{same}");
    }
    let plain = folder.path().canonicalize().unwrap();
    fs::create_dir(plain.join("other")).unwrap();
    assert_eq!(directory(&plain.join("other/../m")), plain.join("m"));
    symlink(plain.join("other"), plain.join("link")).unwrap();
    assert_eq!(directory(&plain.join("link")), plain.join("link"));
    assert_eq!(directory(&plain.join("link/../m")), plain.join("m"));
}

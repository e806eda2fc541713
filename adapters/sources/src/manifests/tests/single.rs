//! One manifest in place of a folder.

use super::*;

fn start(folder: TempDir, name: &str) -> Running {
    let file = folder.path().join(name);
    Running::start_on(folder, &file, SELDOM)
}

async fn until_image(running: &mut Running, wanted: &str) {
    let wanted = |heard: &crate::recorder::Heard| {
        heard.names() == ["default/web-node-a"] && image(heard, "default/web-node-a") == wanted
    };
    running.recorder.until(wanted).await;
}

#[tokio::test]
async fn a_file_is_served_alone_and_followed_however_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("web"), manifest("web", "web:1")).unwrap();
    fs::write(folder.path().join("other"), manifest("other", "web:1")).unwrap();
    let mut running = start(folder, "web");
    until_image(&mut running, "web:1").await;
    running.write("web", &manifest("web", "web:2"));
    until_image(&mut running, "web:2").await;
    for version in ["web:3", "web:4"] {
        running.replace("web", &manifest("web", version));
        until_image(&mut running, version).await;
    }
    fs::remove_file(running.path("web")).unwrap();
    running.until_names(&[]).await;
    running.write("web", &manifest("web", "web:5"));
    until_image(&mut running, "web:5").await;
    // A folder may take its place.
    fs::remove_file(running.path("web")).unwrap();
    fs::create_dir(running.path("web")).unwrap();
    running.write("web/a", &manifest("a", "a:1"));
    running.until_names(&["default/a-node-a"]).await;
    assert_eq!(running.recorder.heard().problem(), "");
}

#[tokio::test]
async fn a_link_to_a_file_is_followed_to_where_it_leads() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let real = elsewhere.path().join("real");
    fs::write(&real, manifest("web", "web:1")).unwrap();
    symlink(&real, folder.path().join("web")).unwrap();
    let mut running = start(folder, "web");
    until_image(&mut running, "web:1").await;
    fs::write(elsewhere.path().join("new"), manifest("web", "web:2")).unwrap();
    fs::rename(elsewhere.path().join("new"), &real).unwrap();
    until_image(&mut running, "web:2").await;
    running.write("third", &manifest("web", "web:3"));
    symlink("third", running.path("next")).unwrap();
    fs::rename(running.path("next"), running.path("web")).unwrap();
    until_image(&mut running, "web:3").await;
}

#[tokio::test]
async fn what_is_neither_a_folder_nor_a_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    nix::unistd::mkfifo(&folder.path().join("web"), Mode::S_IRWXU).unwrap();
    let mut running = start(folder, "web");
    let expected = "web: cannot be listed: neither a folder nor a regular file";
    let told = |heard: &crate::recorder::Heard| heard.problem().contains(expected);
    running.recorder.until(told).await;
}

//! Real folders under a running source.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use nix::sys::stat::Mode;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::{Options, SETTLE, ShownUids, TICK, Watch, run};
use crate::recorder::{Recorder, at, decoded};

mod release;
mod single;
mod spelling;

/// A source on a folder of its own.
struct Running {
    folder: TempDir,
    recorder: Recorder,
    shown: ShownUids,
    task: JoinHandle<()>,
}

impl Running {
    /// Starts on a folder that `prepare` has filled, and waits for the first complete list.
    async fn start(prepare: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path());
        let directory = folder.path().to_path_buf();
        let mut running = Self::start_on(folder, &directory, SELDOM);
        running.recorder.until(|heard| heard.lists > 0).await;
        running
    }

    fn start_on(folder: TempDir, directory: &Path, rescan: Duration) -> Self {
        let mut options = Options::new(directory, "Node-A");
        options.rescan = rescan;
        Self::of(folder, options)
    }

    fn of(folder: TempDir, options: Options) -> Self {
        let recorder = Recorder::new();
        let shown = options.shown.clone();
        let sink = recorder.sink.clone();
        let task = tokio::spawn(async move {
            let Err(error) = run(options, sink).await;
            panic!("the source ended: {error}");
        });
        Self {
            folder,
            recorder,
            shown,
            task,
        }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Changes a file in one step, as careful editors do.
    fn replace(&self, name: &str, text: &str) {
        self.write(".new", text);
        fs::rename(self.path(".new"), self.path(name)).unwrap();
    }

    async fn until_names(&mut self, names: &[&str]) -> crate::recorder::Heard {
        self.recorder.until(|heard| heard.names() == names).await
    }
}

/// So long that what tests see is seen by events.
const SELDOM: Duration = Duration::from_secs(3600);

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn manifest(name: &str, image: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\nspec:\n  containers:\n  - name: main\n    image: {image}\n"
    )
}

fn image(heard: &crate::recorder::Heard, pod: &str) -> String {
    let pod = decoded(&heard.pods[pod]);
    at(&pod, "spec/containers/0/image")
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn the_first_list_has_every_visible_regular_file_in_one_step() {
    let running = Running::start(|folder| {
        fs::write(folder.join("b.yaml"), manifest("b", "b:1")).unwrap();
        fs::write(
            folder.join("a.json"),
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"kube-system"},
                "spec":{"containers":[{"name":"main","image":"a:1"}]}}"#,
        )
        .unwrap();
        fs::write(folder.join(".hidden.yaml"), manifest("hidden", "x:1")).unwrap();
        fs::create_dir(folder.join("folder.yaml")).unwrap();
        fs::write(folder.join("folder.yaml/c.yaml"), manifest("c", "c:1")).unwrap();
        nix::unistd::mkfifo(&folder.join("pipe.yaml"), Mode::S_IRWXU).unwrap();
    })
    .await;
    let heard = running.recorder.heard();
    assert_eq!(heard.names(), ["default/b-node-a", "kube-system/a-node-a"]);
    assert_eq!(heard.words, ["begin", "put", "put", "complete"]);
    assert_eq!(heard.problem(), "");
}

#[tokio::test]
async fn a_manifest_in_json_whose_text_is_not_utf8_is_served_and_named() {
    let json = |value: &[u8]| {
        [
            &br#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","annotations":{"x":""#[..],
            value,
            br#""}},"spec":{"containers":[{"name":"main","image":"a:1"}]}}"#,
        ]
        .concat()
    };
    let mut running = Running::start(|folder| {
        fs::write(folder.join("a.json"), json(b"\xff")).unwrap();
    })
    .await;
    let heard = running
        .recorder
        .until(|heard| heard.problem().contains("not all of its text is UTF-8"))
        .await;
    assert_eq!(heard.names(), ["default/a-node-a"]);
    assert!(heard.problem().contains("a.json"), "{}", heard.problem());
    // The character itself may be meant.
    fs::write(running.path("a.json"), json("\u{fffd}".as_bytes())).unwrap();
    running
        .recorder
        .until(|heard| heard.problem().is_empty())
        .await;
}

#[tokio::test]
async fn a_file_moved_in_changed_in_place_and_moved_out_is_followed() {
    let mut running = Running::start(|_| {}).await;
    let outside = tempfile::tempdir_in(running.folder.path().parent().unwrap()).unwrap();
    fs::write(outside.path().join("web"), manifest("web", "web:1")).unwrap();
    fs::rename(outside.path().join("web"), running.path("web.yaml")).unwrap();
    let heard = running.until_names(&["default/web-node-a"]).await;
    let first = heard.pods["default/web-node-a"].uid().clone();

    running.write("web.yaml", &manifest("web", "web:2"));
    let heard = running
        .recorder
        .until(|heard| image(heard, "default/web-node-a") == "web:2")
        .await;
    assert_ne!(*heard.pods["default/web-node-a"].uid(), first);

    fs::rename(running.path("web.yaml"), outside.path().join("web")).unwrap();
    running.until_names(&[]).await;
}

#[tokio::test]
async fn an_editor_that_saves_by_swap_file_and_backup_makes_one_change() {
    let mut running = Running::start(|folder| {
        fs::write(folder.join("web.yaml"), manifest("web", "web:1")).unwrap();
    })
    .await;
    running.write(".web.yaml.swp", "b0VIM 9.1");
    running.write("4913", "");
    fs::remove_file(running.path("4913")).unwrap();
    fs::rename(running.path("web.yaml"), running.path("web.yaml~")).unwrap();
    running.write("web.yaml", &manifest("web", "web:2"));
    fs::remove_file(running.path("web.yaml~")).unwrap();
    fs::remove_file(running.path(".web.yaml.swp")).unwrap();
    let heard = running
        .recorder
        .until(|heard| image(heard, "default/web-node-a") == "web:2")
        .await;
    assert_eq!(heard.names(), ["default/web-node-a"]);
}

#[tokio::test]
async fn a_config_map_volume_flips_all_its_files_in_one_step() {
    let mut running = Running::start(|folder| {
        fs::create_dir(folder.join("..2026_01")).unwrap();
        for name in ["a", "b"] {
            fs::write(folder.join("..2026_01").join(name), manifest(name, "old:1")).unwrap();
            symlink(
                format!("..data/{name}"),
                folder.join(format!("{name}.yaml")),
            )
            .unwrap();
        }
        symlink("..2026_01", folder.join("..data")).unwrap();
    })
    .await;
    let names = ["default/a-node-a", "default/b-node-a"];
    assert_eq!(running.recorder.heard().names(), names);

    fs::create_dir(running.path("..2026_02")).unwrap();
    for name in ["a", "b"] {
        fs::write(
            running.path("..2026_02").join(name),
            manifest(name, "new:1"),
        )
        .unwrap();
    }
    symlink("..2026_02", running.path("..data_tmp")).unwrap();
    fs::rename(running.path("..data_tmp"), running.path("..data")).unwrap();
    fs::remove_dir_all(running.path("..2026_01")).unwrap();
    let heard = running
        .recorder
        .until(|heard| names.iter().any(|name| image(heard, name) == "new:1"))
        .await;
    assert!(names.iter().all(|name| image(&heard, name) == "new:1"));
    assert_eq!(heard.lists, 2);
    assert_eq!(heard.problem(), "");
}

#[tokio::test]
async fn a_file_behind_a_link_that_leaves_the_folder_is_watched_where_it_is() {
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("real");
    fs::write(&target, manifest("web", "web:1")).unwrap();
    let mut running = Running::start(|folder| symlink(&target, folder.join("w")).unwrap()).await;
    fs::write(&target, manifest("web", "web:2")).unwrap();
    running
        .recorder
        .until(|heard| image(heard, "default/web-node-a") == "web:2")
        .await;
}

#[tokio::test]
async fn what_no_event_tells_is_seen_at_the_next_rescan() {
    let outside = tempfile::tempdir().unwrap();
    let (middle, ends) = (outside.path().join("middle"), outside.path().join("ends"));
    fs::create_dir(&middle).unwrap();
    fs::create_dir(&ends).unwrap();
    fs::write(ends.join("old"), manifest("web", "old:1")).unwrap();
    fs::write(ends.join("new"), manifest("web", "new:1")).unwrap();
    symlink(ends.join("old"), middle.join("link")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    symlink(middle.join("link"), folder.path().join("web.yaml")).unwrap();
    let directory = folder.path().to_path_buf();
    let mut running = Running::start_on(folder, &directory, Duration::from_millis(100));
    running.until_names(&["default/web-node-a"]).await;
    // The link in the middle is in none of the folders that are watched.
    symlink(ends.join("new"), middle.join("next")).unwrap();
    fs::rename(middle.join("next"), middle.join("link")).unwrap();
    running
        .recorder
        .until(|heard| image(heard, "default/web-node-a") == "new:1")
        .await;
}

#[tokio::test]
async fn a_broken_file_keeps_its_last_good_pod_and_is_reported_once_until_it_is_fixed() {
    let mut running = Running::start(|folder| {
        fs::write(folder.join("web.yaml"), manifest("web", "web:1")).unwrap();
    })
    .await;
    let half = "apiVersion: v1\nkind: Pod\nmetadata: {name: web\n";
    let typed = manifest("web", "web:1").replace("image: web:1", "image: 5");
    for broken in [
        "",
        half,
        &typed,
        "kind: Service\napiVersion: v1\n",
        "\u{0}\u{1}",
    ] {
        let before = running.recorder.heard().problem().to_owned();
        running.replace("web.yaml", broken);
        let heard = running
            .recorder
            .until(|heard| heard.problem() != before)
            .await;
        assert!(heard.problem().contains("web.yaml"), "{}", heard.problem());
        assert!(heard.problem().contains("last good pod stays served"));
        assert_eq!(image(&heard, "default/web-node-a"), "web:1");
        assert_eq!(heard.lists, 1);
    }
    // The same content again is not another problem.
    let told = running.recorder.heard().problems.len();
    running.replace("web.yaml", "\u{0}\u{1}");
    running.write("other.yaml", &manifest("other", "x:1"));
    let heard = running
        .until_names(&["default/other-node-a", "default/web-node-a"])
        .await;
    assert_eq!(heard.problems.len(), told);

    running.write("web.yaml", &manifest("web", "web:2"));
    let heard = running
        .recorder
        .until(|heard| heard.problems.last() == Some(&None))
        .await;
    assert_eq!(image(&heard, "default/web-node-a"), "web:2");
}

#[tokio::test]
async fn a_file_that_was_never_good_hides_no_other_and_is_reported() {
    let mut running = Running::start(|folder| {
        fs::write(folder.join("a.yaml"), "kind: [").unwrap();
        fs::write(folder.join("b.yaml"), manifest("b", "b:1")).unwrap();
        fs::write(folder.join("c.yaml"), b"kind: \xff\xfe").unwrap();
        symlink("d.yaml", folder.join("d.yaml")).unwrap();
        symlink("nothing", folder.join("e.yaml")).unwrap();
    })
    .await;
    let heard = running
        .recorder
        .until(|heard| !heard.problem().is_empty())
        .await;
    assert_eq!(heard.names(), ["default/b-node-a"]);
    for name in ["a.yaml", "c.yaml", "d.yaml", "e.yaml"] {
        assert!(
            heard.problem().contains(name),
            "{name}: {}",
            heard.problem()
        );
    }
}

#[tokio::test]
async fn of_two_files_with_one_name_the_last_in_order_counts_and_the_first_takes_over() {
    let mut running = Running::start(|folder| {
        fs::write(folder.join("b.yaml"), manifest("web", "second:1")).unwrap();
        fs::write(folder.join("a.yaml"), manifest("web", "first:1")).unwrap();
    })
    .await;
    let heard = running
        .recorder
        .until(|heard| !heard.problem().is_empty())
        .await;
    assert_eq!(image(&heard, "default/web-node-a"), "second:1");
    assert!(heard.problem().contains("a.yaml"), "{}", heard.problem());
    fs::remove_file(running.path("b.yaml")).unwrap();
    let heard = running
        .recorder
        .until(|heard| heard.problems.last() == Some(&None))
        .await;
    assert_eq!(image(&heard, "default/web-node-a"), "first:1");
}

#[tokio::test]
async fn a_missing_folder_is_an_empty_list_and_its_files_are_served_once_it_exists() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("later");
    let mut running = Running::start_on(folder, &directory, SELDOM);
    let heard = running
        .recorder
        .until(|heard| !heard.problem().is_empty())
        .await;
    assert_eq!(heard.words, ["begin", "complete"]);
    assert!(heard.problem().contains("does not exist"));

    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("web.yaml"), manifest("web", "web:1")).unwrap();
    let heard = running
        .recorder
        .until(|heard| heard.problems.last() == Some(&None))
        .await;
    assert_eq!(heard.names(), ["default/web-node-a"]);

    // Replaced under its name, as by a mount: what the watched folder was is not asked any more.
    let other = running.path("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("db.yaml"), manifest("db", "db:1")).unwrap();
    fs::rename(&directory, running.path("old")).unwrap();
    fs::rename(&other, &directory).unwrap();
    running.until_names(&["default/db-node-a"]).await;
    fs::remove_dir_all(&directory).unwrap();
    running.until_names(&[]).await;
}

#[tokio::test]
async fn a_file_over_ten_mebibytes_is_refused_and_one_of_ten_is_not() {
    let text = manifest("web", "web:1");
    let padding = |bytes: usize| format!("{text}#{}", "x".repeat(bytes - text.len() - 1));
    let mut running = Running::start(|folder| {
        fs::write(folder.join("large.yaml"), padding((10 << 20) + 1)).unwrap();
    })
    .await;
    let heard = running
        .recorder
        .until(|heard| !heard.problem().is_empty())
        .await;
    assert!(heard.problem().contains("10485760"), "{}", heard.problem());
    running.write("large.yaml", &padding(10 << 20));
    running.until_names(&["default/web-node-a"]).await;
}

#[tokio::test]
async fn what_may_not_be_read_is_reported_and_served_once_it_may() {
    if nix::unistd::geteuid().is_root() {
        println!("skipped: nothing is forbidden to the superuser");
        return;
    }
    let mut running = Running::start(|folder| {
        fs::write(folder.join("web.yaml"), manifest("web", "web:1")).unwrap();
        fs::set_permissions(folder.join("web.yaml"), fs::Permissions::from_mode(0o000)).unwrap();
    })
    .await;
    let heard = running
        .recorder
        .until(|heard| !heard.problem().is_empty())
        .await;
    assert!(heard.problem().contains("ermission"), "{}", heard.problem());
    fs::set_permissions(running.path("web.yaml"), fs::Permissions::from_mode(0o600)).unwrap();
    running.until_names(&["default/web-node-a"]).await;
}

#[tokio::test]
async fn a_folder_is_watched_itself_however_many_folders_its_links_lead_into() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("z");
    fs::create_dir(&directory).unwrap();
    for number in 10..80 {
        let target = folder.path().join(format!("a{number}"));
        fs::create_dir(&target).unwrap();
        fs::write(target.join("file"), manifest(&format!("p{number}"), "p:1")).unwrap();
        symlink(
            target.join("file"),
            directory.join(format!("p{number}.yaml")),
        )
        .unwrap();
    }
    let mut running = Running::start_on(folder, &directory, SELDOM);
    running.recorder.until(|heard| heard.pods.len() == 70).await;
    fs::write(directory.join("web.yaml"), manifest("web", "web:1")).unwrap();
    let heard = running
        .recorder
        .until(|heard| heard.pods.contains_key("default/web-node-a"))
        .await;
    let expected = "its links lead into more than 63 folders";
    assert!(heard.problem().contains(expected), "{}", heard.problem());
}

#[tokio::test]
async fn a_problem_is_told_in_a_line_however_long_the_key_that_it_quotes() {
    let key = "k".repeat(100_000);
    let running = Running::start(|folder| {
        let text = manifest("web", "web:1");
        let options = format!("{{? {key} : a, ? {key} : b}}");
        let volume = format!("  - {{name: v, flexVolume: {{driver: d/e, options: {options}}}}}");
        let text = format!("{text}  volumes:\n{volume}\n");
        fs::write(folder.join("web.yaml"), text).unwrap();
    })
    .await;
    let heard = running.recorder.heard();
    assert!(heard.problem().contains("the key \"kkkk"));
    assert!(heard.problem().chars().count() <= 1_001);
}

#[tokio::test]
async fn a_manifest_that_takes_long_to_read_keeps_nothing_else_waiting() {
    let numbers = "1,".repeat(100_000);
    let began = Instant::now();
    let starting = tokio::spawn(Running::start(move |folder| {
        let text = manifest("web", "web:1") + &format!("more: [{numbers}]\n");
        fs::write(folder.join("web.yaml"), text).unwrap();
    }));
    let before = busy();
    while !starting.is_finished() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // Not how long it waited for its turn, which is a matter of the machine.
    let (own, whole) = (busy() - before, began.elapsed());
    let running = starting.await.unwrap();
    assert_eq!(running.recorder.heard().names(), ["default/web-node-a"]);
    assert!(own < whole / 3, "{own:?} of {whole:?}");
}

/// How long this thread, which is all that a runtime of these tests has, was at work so far.
fn busy() -> Duration {
    let told = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = told.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}

#[tokio::test]
async fn a_path_that_is_no_folder_is_reported_and_completes_nothing_until_it_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("pipe");
    nix::unistd::mkfifo(&directory, Mode::S_IRWXU).unwrap();
    let mut running = Running::start_on(folder, &directory, SELDOM);
    let heard = running
        .recorder
        .until(|heard| !heard.problem().is_empty())
        .await;
    assert_eq!(heard.words, Vec::<&str>::new());
    assert!(
        heard.problem().contains("cannot be listed"),
        "{}",
        heard.problem()
    );
    fs::remove_file(&directory).unwrap();
    fs::create_dir(&directory).unwrap();
    running
        .recorder
        .until(|heard| heard.lists == 1 && heard.problem().is_empty())
        .await;
}

#[tokio::test]
async fn the_time_a_pod_was_first_seen_and_its_bytes_stay_while_it_does() {
    let mut running = Running::start(|folder| {
        fs::write(folder.join("web.yaml"), manifest("web", "web:1")).unwrap();
    })
    .await;
    let first = running.recorder.heard().pods["default/web-node-a"].clone();
    let spaced = manifest("web", "web:1").replace("kind: Pod\n", "kind: Pod # a comment\n\n");
    running.write("web.yaml", &spaced);
    running.write("other.yaml", &manifest("other", "x:1"));
    let heard = running
        .until_names(&["default/other-node-a", "default/web-node-a"])
        .await;
    assert_eq!(heard.pods["default/web-node-a"], first);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_emptied_before_it_is_written_is_no_problem_unless_it_stays_empty() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("web.yaml");
    fs::write(&file, manifest("web", "web:1")).unwrap();
    let recorder = Recorder::new();
    let mut watch = Watch::new(Options::new(folder.path(), "node-a"));
    watch.arm_and_read(&recorder.sink, true).await.unwrap();

    fs::write(&file, "").unwrap();
    assert!(watch.folders.changed(Instant::now() + TICK).await);
    let written = async {
        tokio::time::sleep(SETTLE / 2).await;
        fs::write(&file, manifest("web", "web:2")).unwrap();
    };
    let (read, ()) = tokio::join!(watch.arm_and_read(&recorder.sink, true), written);
    read.unwrap();
    let heard = recorder.heard();
    assert_eq!(image(&heard, "default/web-node-a"), "web:2");
    assert_eq!(heard.problems, []);

    fs::write(&file, "").unwrap();
    watch.arm_and_read(&recorder.sink, true).await.unwrap();
    let heard = recorder.heard();
    assert!(heard.problem().contains("is empty"), "{}", heard.problem());
    assert_eq!(image(&heard, "default/web-node-a"), "web:2");
}

#[tokio::test(start_paused = true)]
async fn what_was_wrong_is_not_over_when_the_folder_cannot_be_listed() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("manifests");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("s.yaml"), "kind: Secret\n").unwrap();
    let recorder = Recorder::new();
    let mut watch = Watch::new(Options::new(&folder, "node-a"));
    watch.arm_and_read(&recorder.sink, true).await.unwrap();
    assert!(recorder.heard().problem().contains("s.yaml"));

    fs::rename(&folder, parent.path().join("away")).unwrap();
    nix::unistd::mkfifo(&folder, Mode::S_IRWXU).unwrap();
    watch.arm_and_read(&recorder.sink, true).await.unwrap();
    let heard = recorder.heard();
    for part in ["cannot be listed", "s.yaml: expected apiVersion v1"] {
        assert!(heard.problem().contains(part), "{}", heard.problem());
    }
}

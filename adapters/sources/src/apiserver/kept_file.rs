//! The checkpoint as a file: read and replaced where nobody else can put something in the way.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, openat, renameat};
use nix::sys::stat::{FileStat, Mode};
use nix::unistd::{UnlinkatFlags, unlinkat};
use podsapi_folder::{Folder, Writer};

use crate::regular::{self, ReadError};

/// The name of a file in a folder that is known by its descriptor.
#[derive(Debug)]
pub(super) struct KeptFile {
    folder: Folder,
    name: OsString,
}

impl KeptFile {
    /// Finds the folder of `file`.
    ///
    /// # Errors
    ///
    /// When it is not there, or others may write it or a folder above it: they could have pods of
    /// theirs served.
    pub(super) fn find(file: &Path) -> io::Result<Self> {
        let Some(name) = file.file_name() else {
            let text = "expected the name of a file";
            return Err(io::Error::new(ErrorKind::IsADirectory, text));
        };
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            Some(_) | None => Path::new("."),
        };
        let folder = Folder::open(folder)?;
        if let Some(shared) = folder.shared() {
            let text = format!(
                "{shared}, so that others could have pods of theirs served; {}, or choose another \
                 folder",
                shared.advice()
            );
            return Err(io::Error::new(ErrorKind::PermissionDenied, text));
        }
        Ok(Self {
            folder,
            name: name.to_owned(),
        })
    }

    /// Reads the file whole, if nobody else may write it: they could have pods of theirs served.
    pub(super) fn read(&self, limit_bytes: u64) -> Result<Vec<u8>, ReadError> {
        let (file, stat) = self.open()?;
        match self.folder.writer_of_file(&stat) {
            None => regular::read_all(file, limit_bytes),
            Some(Writer::Owner(user)) => Err(ReadError::Foreign { user }),
            Some(Writer::Group(group)) => Err(ReadError::Shared { group: Some(group) }),
            Some(Writer::Everybody) => Err(ReadError::Shared { group: None }),
        }
    }

    /// Reads its first bytes, whoever else may write it.
    pub(super) fn read_start(&self, limit_bytes: u64) -> Result<Vec<u8>, ReadError> {
        let mut content = Vec::new();
        let (file, _stat) = self.open()?;
        file.take(limit_bytes).read_to_end(&mut content)?;
        Ok(content)
    }

    /// Opens it where it is a file of this user or root, and no link.
    fn open(&self) -> Result<(File, FileStat), ReadError> {
        let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let stat = self.folder.stat(&self.name).map_err(io::Error::from)?;
        // Looked at first, since to open a device can do something.
        regular::regular_mode(stat.st_mode)?;
        let file = openat(&self.folder, self.name.as_os_str(), flags, Mode::empty());
        let file = File::from(file.map_err(io::Error::from)?);
        let stat = nix::sys::stat::fstat(&file).map_err(io::Error::from)?;
        regular::regular_mode(stat.st_mode)?;
        match self.folder.trusts(stat.st_uid) {
            true => Ok((file, stat)),
            false => Err(ReadError::Foreign { user: stat.st_uid }),
        }
    }

    /// Writes a new file beside it, which then takes its place.
    ///
    /// # Errors
    ///
    /// What the system says; what was there before stays.
    pub(super) fn replace(&self, content: &[u8]) -> io::Result<()> {
        let mut beside = self.name.clone();
        beside.push(".new");
        let written = self.place(content, &beside);
        if written.is_err() {
            // What is left of it would only take room; there may be nothing.
            let _absent = unlinkat(&self.folder, beside.as_os_str(), UnlinkatFlags::NoRemoveDir);
        }
        written?;
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        File::from(openat(&self.folder, ".", flags, Mode::empty())?).sync_all()
    }

    fn place(&self, content: &[u8], beside: &OsStr) -> io::Result<()> {
        // One that an earlier run left behind.
        match unlinkat(&self.folder, beside, UnlinkatFlags::NoRemoveDir) {
            Ok(()) | Err(Errno::ENOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let flags =
            OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let mode = Mode::S_IRUSR | Mode::S_IWUSR;
        let mut out = File::from(openat(&self.folder, beside, flags, mode)?);
        out.write_all(content)?;
        out.sync_all()?;
        Ok(renameat(
            &self.folder,
            beside,
            &self.folder,
            self.name.as_os_str(),
        )?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_folder_that_others_may_write_holds_no_checkpoint() {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path().join("folder");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        let error = KeptFile::find(&folder.join("pods")).unwrap_err();
        let text = error.to_string();
        for part in [folder.to_str().unwrap(), "everybody", "`chmod go-w`"] {
            assert!(text.contains(part), "{text}");
        }
        fs::set_permissions(&folder, Permissions::from_mode(0o1777)).unwrap();
        KeptFile::find(&folder.join("pods")).unwrap();
    }

    #[test]
    fn a_link_is_neither_read_nor_written_through() {
        let room = tempfile::tempdir().unwrap();
        let victim = room.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        for name in ["pods", "pods.new"] {
            symlink(&victim, room.path().join(name)).unwrap();
        }
        let kept = KeptFile::find(&room.path().join("pods")).unwrap();
        let error = kept.read(100).unwrap_err();
        assert!(matches!(error, ReadError::NotRegular), "{error}");
        kept.replace(b"pods").unwrap();
        assert_eq!(kept.read(100).unwrap(), b"pods");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        assert_eq!(fs::read_dir(room.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_that_others_may_write_is_not_believed_until_it_is_replaced() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("pods");
        let kept = KeptFile::find(&path).unwrap();
        for mode in [0o666, 0o602, 0o1606] {
            fs::write(&path, "pods").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let text = kept.read(100).unwrap_err().to_string();
            assert!(
                text.contains("may be written by everybody") && text.contains("chmod go-w"),
                "{mode:o}: {text}"
            );
            assert_eq!(kept.read_start(2).unwrap(), b"po");
            kept.replace(b"new").unwrap();
            assert_eq!(kept.read(100).unwrap(), b"new", "{mode:o}");
        }
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        kept.read(100).unwrap();
    }

    #[test]
    fn a_file_of_another_user_is_not_believed() {
        if !nix::unistd::geteuid().is_root() {
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"));
            return println!("SKIPPED: only root can give a file to another user");
        }
        let room = tempfile::tempdir().unwrap();
        fs::set_permissions(room.path(), Permissions::from_mode(0o1777)).unwrap();
        let file = room.path().join("pods");
        fs::write(&file, "pods").unwrap();
        std::os::unix::fs::chown(&file, Some(54_321), None).unwrap();
        let error = KeptFile::find(&file).unwrap().read(100).unwrap_err();
        assert!(
            matches!(error, ReadError::Foreign { user: 54_321 }),
            "{error}"
        );
    }
}

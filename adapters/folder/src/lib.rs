//! Folders opened, made and locked without following what another user put in the way.
//!
//! ```text
//! path ─▶ Folder::open ─────────┐  one name after the other, each from the descriptor of the last
//!         Folder::open_or_make ─┴─▶ Folder ─▶ shared()   who else may change its entries
//!                                     ├─────▶ lock()     alone among the processes of this user
//!                                     └─────▶ private()  a room of 0700 to make things in
//! ```
//!
//! # What is trusted
//!
//! Root, the user of this process, and whoever the root folder belongs to: in a user namespace that
//! is how the machine's own root looks. A folder of anybody else, or one that a group or everybody
//! may write without the sticky bit, is *shared*: those who may write it can rename and replace
//! what is in it at any time. What is made is therefore made in a private folder, given its owner
//! and mode there, and renamed from descriptor to descriptor; a symbolic link is followed only
//! where nobody else can have put it.

#[cfg(not(unix))]
compile_error!("podsapi-folder is about owners and modes, so it builds only for UNIX-like systems");

#[cfg(unix)]
mod error;
#[cfg(unix)]
mod folder;
#[cfg(unix)]
mod identity;
#[cfg(unix)]
mod lock;
#[cfg(unix)]
mod private;
#[cfg(unix)]
mod trust;

#[cfg(unix)]
pub use error::FolderError;
#[cfg(unix)]
pub use folder::Folder;
#[cfg(unix)]
pub use identity::Identity;
#[cfg(unix)]
pub use lock::FolderLock;
#[cfg(unix)]
pub use private::PrivateFolder;
#[cfg(unix)]
pub use trust::{Shared, Writer};

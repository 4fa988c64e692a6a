//! Holds the open workspaces, and is the one place where a change reaches map and text.
//!
//! A [`Workspace`] owns its parts behind locks; one thread of its own, the indexer, is the only one that changes them.
//! Calls read. [`Host`] finds the workspace of a call, opens it on first use, and holds what all workspaces share: the
//! store, the thread pools, notices for the user.

mod artifacts;
mod attempts;
mod byte_reader;
mod clock;
mod close_project;
mod closing;
mod collect;
mod derive;
mod deriver;
mod digest;
mod evict;
mod export;
mod facts;
mod file_kind;
mod folder_name;
mod freshness;
mod imports;
mod indexer;
mod ingest;
mod installing;
mod joined;
mod lull;
mod map_lock;
mod mapping;
mod memory;
mod notices;
mod open_workspaces;
mod org;
mod package_cache;
mod package_workspaces;
mod packages;
mod path_names;
mod pending;
mod preparing;
mod private_file;
mod progress;
mod promote;
mod purge;
mod ranked;
mod registry;
mod report;
mod revision;
mod services;
mod slow;
mod slow_queue;
mod snapshot;
mod source_jars;
mod trust;
mod vectors;
mod work_queue;
mod workspace;

pub use close_project::ClosedProject;
pub use collect::{CollectError, Collected, RetentionLimits};
pub use digest::{Digest, DigestPart, DigestQuery, WorkspaceDigest};
pub use export::{ExportError, ExportOutcome};
pub use freshness::{Freshness, Stale};
pub use imports::{
    CurrentHash, ImportError, ImportOutcome, ImportRequest, ImportedIndex, IndexStatus, IndexedPlace,
    NamedSymbols, PlaceInFile, SkippedReason, symbols_named_at,
};
pub use joined::{JoinedMap, OutsideError, OutsideSource, PackagePlace};
pub use map_lock::ReaderWaits;
pub use memory::resident_bytes;
pub use org::local_names;
pub use package_workspaces::{PackageEffort, PackageError, direct_names};
pub use path_names::{CalledPath, NamedFolder, PathNames};
pub use pending::PendingFiles;
pub use progress::{Phase, Progress, Progressed};
pub use purge::ProjectData;
pub use ranked::{IngestProgress, NotReady, Ranked, SufficientFiles, doc_kind, ranked_number};
pub use registry::{Host, HostOptions, OpenError};
pub use report::Report;
pub use revision::WorkspaceRevision;
pub use trust::Trust;
pub use vectors::{Admits, InstalledModel, Models, ModelsError, Nearest, VectorState};
pub use workspace::Workspace;

pub use hob_workspace::package_source::{PackageCaches, maven_repository};

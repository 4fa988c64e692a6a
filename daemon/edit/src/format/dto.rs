//! Defines the disk form of each kind, apart from the types in the rest of the crate.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hob_base::{AbsPath, WsPath};
use serde::{Deserialize, Serialize};

use super::{Blob, DiskForm};
use crate::change::{Proposal, ProposedFile};
use crate::files::{Attrs, Extended};
use crate::pending::id::PendingId;
use crate::pending::outcome::{PendingOutcome, Settled};
use crate::pending::summary::{Owner, Pending, PendingKind, Queued, Summary};
use crate::record::{EditSubject, JournalEntry, JournalSide, Record, UndoRecord};

#[derive(Serialize, Deserialize)]
pub(crate) struct ChangeDto {
    path: String,
    moved_to: Option<String>,
    before: Option<Blob>,
    after: Option<Blob>,
}

impl ChangeDto {
    fn from_change(change: &ProposedFile) -> Self {
        Self {
            path: change.path.as_str().to_owned(),
            moved_to: change.moved_to.as_ref().map(|to| to.as_str().to_owned()),
            before: change.before.clone().map(Blob),
            after: change.after.clone().map(Blob),
        }
    }

    fn into_change(self) -> Option<ProposedFile> {
        Some(ProposedFile {
            path: parse_ws_path(&self.path)?,
            moved_to: self.moved_to.map(|to| parse_ws_path(&to).ok_or(())).transpose().ok()?,
            before: self.before.map(|blob| blob.0),
            after: self.after.map(|blob| blob.0),
        })
    }
}

fn parse_ws_path(text: &str) -> Option<WsPath> {
    WsPath::new(text).ok()
}

fn all_ws(texts: &[String]) -> Option<Vec<WsPath>> {
    texts.iter().map(|text| parse_ws_path(text)).collect()
}

fn path_texts(paths: &[WsPath]) -> Vec<String> {
    paths.iter().map(|path| path.as_str().to_owned()).collect()
}

/// Converts a time to milliseconds since 1970.
fn to_millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn from_millis(millis: u64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_millis(millis))
}

#[derive(Serialize, Deserialize)]
pub(crate) struct QueuedDto {
    serial: u64,
    id: String,
    client: String,
    root: String,
    is_set: bool,
    label: String,
    tool: String,
    made: u64,
    changes: Vec<ChangeDto>,
}

impl DiskForm for Queued {
    const KIND: u8 = b'P';
    type Dto = QueuedDto;

    fn to_dto(&self) -> QueuedDto {
        let Pending { summary, proposal } = &self.pending;
        QueuedDto {
            serial: self.serial,
            id: summary.id.to_string(),
            client: summary.owner.client.clone(),
            root: summary.owner.root.to_string(),
            is_set: summary.kind == PendingKind::ChangeSet,
            label: proposal.label.clone(),
            tool: proposal.tool.clone(),
            made: to_millis(summary.made),
            changes: proposal.changes.iter().map(ChangeDto::from_change).collect(),
        }
    }

    fn from_dto(dto: QueuedDto) -> Option<Self> {
        let changes = dto.changes.into_iter().map(ChangeDto::into_change).collect::<Option<Vec<_>>>()?;
        let proposal = Proposal { label: dto.label, tool: dto.tool, changes };
        let owner = Owner { client: dto.client, root: AbsPath::new(dto.root).ok()? };
        let kind = if dto.is_set { PendingKind::ChangeSet } else { PendingKind::Preview };
        let summary =
            Summary::summary_of(PendingId::parse(&dto.id)?, (owner, kind), &proposal, from_millis(dto.made)?);
        Some(Self { pending: Pending { summary, proposal }, serial: dto.serial })
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct SettledDto(Vec<(String, String, u8, u64)>);

impl DiskForm for Vec<Settled> {
    const KIND: u8 = b'S';
    type Dto = SettledDto;

    fn to_dto(&self) -> SettledDto {
        let row = |one: &Settled| {
            let outcome = match one.outcome {
                PendingOutcome::Applied => 0,
                PendingOutcome::Discarded => 1,
                PendingOutcome::Expired => 2,
            };
            (one.id.to_string(), one.label.clone(), outcome, to_millis(one.at))
        };
        SettledDto(self.iter().map(row).collect())
    }

    fn from_dto(dto: SettledDto) -> Option<Self> {
        let one = |(id, label, outcome, at): (String, String, u8, u64)| {
            let outcome = match outcome {
                0 => PendingOutcome::Applied,
                1 => PendingOutcome::Discarded,
                2 => PendingOutcome::Expired,
                _ => return None,
            };
            Some(Settled { id: PendingId::parse(&id)?, label, outcome, at: from_millis(at)? })
        };
        dto.0.into_iter().map(one).collect()
    }
}

/// Contents, mode with owner and group, and names and values of extended attributes.
#[derive(Serialize, Deserialize)]
pub(crate) struct SideDto(Blob, Option<(u32, u32, u32)>, #[serde(default)] Vec<(Blob, Blob)>);

impl SideDto {
    fn from_side(side: &JournalSide) -> Self {
        let attrs = side.attrs.as_ref();
        let extended = attrs.into_iter().flat_map(|attrs| attrs.extended.0.iter());
        let blob = |bytes: &Vec<u8>| Blob(bytes.as_slice().into());
        Self(
            Blob(Arc::clone(&side.bytes)),
            attrs.map(|attrs| (attrs.mode, attrs.uid, attrs.gid)),
            extended.map(|(name, value)| (blob(name), blob(value))).collect(),
        )
    }

    fn into_side(self) -> JournalSide {
        let Self(bytes, attrs, extended) = self;
        let extended = extended.into_iter().map(|(name, value)| (name.0.to_vec(), value.0.to_vec()));
        let extended = Extended(Arc::new(extended.collect()));
        let attrs = attrs.map(|(mode, uid, gid)| Attrs { mode, uid, gid, extended });
        JournalSide { bytes: bytes.0, attrs }
    }
}

/// Place, before, after, and whether the file is written over.
#[derive(Serialize, Deserialize)]
pub(crate) struct EntryDto(String, Option<SideDto>, Option<SideDto>, #[serde(default)] bool);

impl EntryDto {
    fn from_entry(entry: &JournalEntry) -> Self {
        let (old, new) =
            (entry.old.as_ref().map(SideDto::from_side), entry.new.as_ref().map(SideDto::from_side));
        Self(entry.at.as_str().to_owned(), old, new, entry.in_place)
    }

    fn into_entry(self) -> Option<JournalEntry> {
        let Self(at, old, new, in_place) = self;
        Some(JournalEntry {
            at: parse_ws_path(&at)?,
            old: old.map(SideDto::into_side),
            new: new.map(SideDto::into_side),
            in_place,
        })
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct SubjectDto {
    id: String,
    label: String,
    tool: String,
    at: u64,
}

impl SubjectDto {
    fn from_subject(subject: &EditSubject) -> Self {
        Self {
            id: subject.id.to_string(),
            label: subject.label.clone(),
            tool: subject.tool.clone(),
            at: to_millis(subject.at),
        }
    }

    fn into_subject(self) -> Option<EditSubject> {
        let Self { id, label, tool, at } = self;
        Some(EditSubject { id: PendingId::parse(&id)?, label, tool, at: from_millis(at)? })
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct RecordDto {
    root: String,
    subject: SubjectDto,
    undoes: bool,
    entries: Vec<EntryDto>,
    new_folders: Vec<String>,
    old_folders: Vec<String>,
}

impl DiskForm for Record {
    const KIND: u8 = b'J';
    type Dto = RecordDto;

    fn to_dto(&self) -> RecordDto {
        RecordDto {
            root: self.root.to_string(),
            subject: SubjectDto::from_subject(&self.subject),
            undoes: self.undoes,
            entries: self.entries.iter().map(EntryDto::from_entry).collect(),
            new_folders: path_texts(&self.new_folders),
            old_folders: path_texts(&self.old_folders),
        }
    }

    fn from_dto(dto: RecordDto) -> Option<Self> {
        Some(Self {
            root: AbsPath::new(dto.root).ok()?,
            subject: dto.subject.into_subject()?,
            undoes: dto.undoes,
            entries: dto.entries.into_iter().map(EntryDto::into_entry).collect::<Option<_>>()?,
            new_folders: all_ws(&dto.new_folders)?,
            old_folders: all_ws(&dto.old_folders)?,
        })
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct UndoRecordDto {
    subject: SubjectDto,
    files: Vec<String>,
    entries: Option<Vec<EntryDto>>,
    new_folders: Vec<String>,
}

impl DiskForm for UndoRecord {
    const KIND: u8 = b'U';
    type Dto = UndoRecordDto;

    fn to_dto(&self) -> UndoRecordDto {
        UndoRecordDto {
            subject: SubjectDto::from_subject(&self.subject),
            files: path_texts(&self.files),
            entries: self.entries.as_ref().map(|entries| entries.iter().map(EntryDto::from_entry).collect()),
            new_folders: path_texts(&self.new_folders),
        }
    }

    fn from_dto(dto: UndoRecordDto) -> Option<Self> {
        let entries = match dto.entries {
            Some(entries) => Some(entries.into_iter().map(EntryDto::into_entry).collect::<Option<_>>()?),
            None => None,
        };
        Some(Self {
            subject: dto.subject.into_subject()?,
            files: all_ws(&dto.files)?,
            entries,
            new_folders: all_ws(&dto.new_folders)?,
        })
    }
}

//! Watches folders on Linux: by inotify itself, one watch per folder, all through one queue, for all workspaces.
//!
//! A user has 128 instances of inotify, and every editor, file manager and build tool takes some, so the daemon takes
//! one. Each workspace has a backend of its own ([`WatchBackend`]), by which the instance knows what the workspace watches and
//! where its events go. Whoever empties the queue hands on the events of all workspaces.
//!
//! Why not through the `notify` crate, which serves every other platform (measured on the kernel's tree, 5,100 folders):
//! - *It asks only for changes.* notify 8 also asks for every opening of a file, so reading the tree (a build, `rg`)
//!   woke the daemon for each file and could overflow the queue, which costs a look at every file.
//! - *A call can empty the queue itself.* The kernel puts an event into the queue before the call that caused it
//!   returns. A call that empties the queue has therefore seen everything that was complete before it, without a cookie
//!   file, another thread or any waiting ([`WatchEventOrder::Drained`]).
//! - *Ending a watch costs the same however many there are.* notify 8 searches all of them for each.
//!
//! One reader at a time, the thread that sleeps on the queue or a call in a hurry, takes events out and hands each on
//! before the next. It holds `turn` from taking to handing on, so whoever has had the turn knows that all events taken
//! before have been handed on as well.
//!
//! A descriptor must be known before its events are looked up: adding a watch and noting its name are one step under
//! the lock of `members`, and an event is looked up under the same lock after it was taken out. Taking a descriptor's
//! last name away and ending its watch are one step under that lock too, because the kernel could give the same
//! descriptor to another workspace in between.

use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hob_base::{Deadline, lock};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::{Errno, ioctl_fionread};

use super::folders::{Folders, Name, Owner};
use super::{EventSink, FsEvent, WatchBackend, WatchError, WatchEventOrder, WatchScope};

/// Bytes to take out of the queue at once: some five hundred events.
const CHUNK: usize = 16 << 10;

/// Time for which the sleeping thread yields while calls want the turn.
const STAND_BACK: Duration = Duration::from_millis(1);

/// Events that can change a workspace's files. The end of a write through a memory map shows only as `CLOSE_WRITE`, a
/// write through a descriptor that stays open only as `MODIFY`. `DELETE_SELF` is not needed: `IGNORED` follows it
/// unasked.
const CHANGES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::MOVE_SELF)
    // A link is not its target. Events of files without a name are wanted: they may have another name, or get one
    // later.
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW);

/// Events of a folder above a workspace: only that it is moved. Its contents do not matter.
const WAY: WatchFlags = WatchFlags::MOVE_SELF
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::DONT_FOLLOW)
    .union(WatchFlags::MASK_ADD);

/// The workspaces that watch, and the folders that each has watched.
#[derive(Default)]
struct Members {
    folders: Folders,
    sinks: HashMap<Owner, InotifyMember>,
    /// Number of members so far, including those that have left.
    made: Owner,
}

/// A workspace that watches through this queue.
struct InotifyMember {
    sink: EventSink,
    /// Folders above the workspace that are watched for moves.
    ways: Vec<PathBuf>,
}

/// The queue, with the members that it serves.
struct Queue {
    inotify: OwnedFd,
    members: Mutex<Members>,
    /// Held by the reader that takes events out, until it has handed them on.
    turn: Mutex<()>,
    /// Number of calls that want the turn or have it. A lock is not fair: unless it yields, the thread would keep the
    /// turn for as long as events come.
    hurried: AtomicUsize,
    /// True if waiting for events has failed for good.
    is_broken: AtomicBool,
}

/// The instance and its thread; both end when it is dropped, with all watches.
struct Instance {
    queue: Arc<Queue>,
    stop: Arc<OwnedFd>,
    reader: Option<JoinHandle<()>>,
}

/// One workspace's backend.
struct Inotify {
    instance: Arc<Instance>,
    owner: Owner,
}

/// The one instance, while somebody watches.
#[derive(Default)]
pub(super) struct SharedInotify(Mutex<Weak<Instance>>);

impl SharedInotify {
    /// Makes a workspace's backend, and the instance if there is none yet.
    pub(super) fn make_backend(&self, sink: EventSink) -> Result<Box<dyn WatchBackend>, WatchError> {
        let mut shared = lock(&self.0);
        let known = shared.upgrade().filter(|known| !known.queue.is_broken.load(Ordering::Relaxed));
        let instance = match known {
            Some(instance) => instance,
            None => Arc::new(Instance::new()?),
        };
        *shared = Arc::downgrade(&instance);
        drop(shared);
        let owner = instance.queue.join(sink);
        Ok(Box::new(Inotify { instance, owner }))
    }
}

impl Instance {
    fn new() -> Result<Self, WatchError> {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(describe_init)?;
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).map_err(describe_init)?);
        let queue = Arc::new(Queue {
            inotify,
            members: Mutex::default(),
            turn: Mutex::default(),
            hurried: AtomicUsize::new(0),
            is_broken: AtomicBool::new(false),
        });
        let (held, told) = (Arc::clone(&queue), Arc::clone(&stop));
        let reader = thread::Builder::new().name("hob-watch".to_owned());
        let reader = reader
            .spawn(move || held.read_until(&told))
            .map_err(|e| WatchError::Other(format!("no thread for the watcher: {e}")))?;
        Ok(Self { queue, stop, reader: Some(reader) })
    }
}

fn describe_init(error: Errno) -> WatchError {
    match error {
        Errno::MFILE => WatchError::Other(
            "too many watchers or open files (on Linux, raise fs.inotify.max_user_instances)".to_owned(),
        ),
        error => WatchError::Other(std::io::Error::from(error).to_string()),
    }
}

fn describe_add(error: Errno) -> WatchError {
    match error {
        Errno::NOSPC => WatchError::Limit,
        // The path is no folder any more, or a link to one.
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => WatchError::Gone,
        Errno::ACCESS | Errno::PERM => WatchError::Denied,
        error => WatchError::Other(std::io::Error::from(error).to_string()),
    }
}

impl WatchBackend for Inotify {
    fn watch(&self, dir: &Path, _scope: WatchScope) -> Result<(), WatchError> {
        self.instance.queue.add(Name::new(self.owner, dir), CHANGES)
    }

    fn watch_way(&self, dir: &Path) {
        let queue = &self.instance.queue;
        // Where the folder cannot be watched, calls still find out about a move themselves.
        if queue.add(Name::new(self.owner, dir), WAY).is_ok()
            && let Some(member) = lock(&queue.members).sinks.get_mut(&self.owner)
            && !member.ways.iter().any(|way| way == dir)
        {
            member.ways.push(dir.to_path_buf());
        }
    }

    fn forget(&self, dir: &Path) {
        let queue = &self.instance.queue;
        let mut members = lock(&queue.members);
        members
            .folders
            .forget_below(self.owner, dir)
            .into_iter()
            .for_each(|descriptor| queue.end(descriptor));
    }

    fn covers_trees(&self) -> bool {
        false
    }

    fn order(&self) -> WatchEventOrder {
        WatchEventOrder::Drained
    }

    fn drain(&self, deadline: Deadline) -> bool {
        let queue = &self.instance.queue;
        let _hurry = WaitingCall::new(&queue.hurried);
        let _turn = lock(&queue.turn);
        queue.hand_on_all(deadline)
    }
}

/// Counts a call that wants the turn, until the guard is dropped.
struct WaitingCall<'q>(&'q AtomicUsize);

impl<'q> WaitingCall<'q> {
    fn new(count: &'q AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Inotify {
    fn drop(&mut self) {
        self.instance.queue.remove_member(self.owner);
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = rustix::io::write(&*self.stop, &1_u64.to_ne_bytes());
        // Watches and instance are free again when this returns, for the next owner; unless the thread itself holds the
        // last reference while it hands on its last event.
        if let Some(reader) =
            self.reader.take().filter(|reader| reader.thread().id() != thread::current().id())
        {
            let _ = reader.join();
        }
    }
}

impl Queue {
    fn join(&self, sink: EventSink) -> Owner {
        let mut members = lock(&self.members);
        members.made += 1;
        let owner = members.made;
        members.sinks.insert(owner, InotifyMember { sink, ways: Vec::new() });
        owner
    }

    fn remove_member(&self, owner: Owner) {
        let mut members = lock(&self.members);
        let member = members.sinks.remove(&owner);
        members.folders.forget_all(owner).into_iter().for_each(|descriptor| self.end(descriptor));
        drop(members);
        // The member's sink may hold the last reference to something, so it is dropped without the lock.
        drop(member);
    }

    fn add(&self, name: Name, what: WatchFlags) -> Result<(), WatchError> {
        let mut members = lock(&self.members);
        let descriptor = inotify::add_watch(&self.inotify, &*name.path, what).map_err(describe_add)?;
        if let Some(nameless) = members.folders.insert(name, descriptor) {
            self.end(nameless);
        }
        Ok(())
    }

    /// Sleeps on the queue until `stop` is signalled.
    fn read_until(&self, stop: &OwnedFd) {
        loop {
            let mut fds = [
                PollFd::new(&self.inotify, PollFlags::IN),
                PollFd::from_borrowed_fd(std::os::fd::AsFd::as_fd(stop), PollFlags::IN),
            ];
            match poll(&mut fds, None) {
                Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return self.note_broken(error),
            }
            if !fds[1].revents().is_empty() {
                return;
            }
            if fds[0].revents().is_empty() {
                continue;
            }
            if self.hurried.load(Ordering::Relaxed) > 0 {
                // Those calls take the waiting events out.
                thread::sleep(STAND_BACK);
                continue;
            }
            let _turn = lock(&self.turn);
            self.hand_on_chunk();
        }
    }

    /// Records that events wake nobody any more; calls that look for themselves stay right.
    fn note_broken(&self, error: Errno) {
        self.is_broken.store(true, Ordering::Relaxed);
        self.note_loss(&format!("events cannot be waited for: {}", std::io::Error::from(error)));
    }

    /// Reports to every workspace that events may be lost.
    fn note_loss(&self, why: &str) {
        let sinks: Vec<EventSink> =
            lock(&self.members).sinks.values().map(|member| member.sink.clone()).collect();
        sinks.iter().for_each(|sink| sink.push(FsEvent::Lost(why.to_owned())));
    }

    /// Hands on all events that are in the queue at this moment, however fast it fills; the caller holds the turn.
    /// Returns false if that failed or took too long.
    fn hand_on_all(&self, deadline: Deadline) -> bool {
        let Ok(mut waiting) = ioctl_fionread(&self.inotify) else { return false };
        while waiting > 0 {
            if deadline.has_passed() {
                return false;
            }
            match self.hand_on_chunk() {
                0 => return true,
                bytes => waiting = waiting.saturating_sub(bytes),
            }
        }
        true
    }

    /// Takes out one buffer of events and hands them on; the caller holds the turn. Returns the number of bytes, zero
    /// if nothing was there.
    fn hand_on_chunk(&self) -> u64 {
        let mut buffer = [MaybeUninit::<u8>::uninit(); CHUNK];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        let mut bytes = 0;
        loop {
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().map(std::ffi::CStr::to_bytes);
                    bytes += size_of_event(name);
                    self.hand_on(event.wd(), event.events(), name);
                }
                Err(Errno::AGAIN) => return bytes,
                Err(Errno::INTR) => {}
                Err(error) => {
                    self.note_broken(error);
                    return 0;
                }
            }
            if reader.is_buffer_empty() {
                return bytes;
            }
        }
    }

    fn hand_on(&self, descriptor: i32, what: ReadFlags, name: Option<&[u8]>) {
        if what.contains(ReadFlags::QUEUE_OVERFLOW) {
            return self.note_loss("the system's queue of events overflowed");
        }
        // The lock is not held while events are handed on, because the receiver may add or end watches.
        for (sink, event) in self.events_of(descriptor, what, name) {
            sink.push(event);
        }
    }

    /// Translates an event of a descriptor: one event for each name of its folder, with the owner's sink.
    fn events_of(&self, descriptor: i32, what: ReadFlags, name: Option<&[u8]>) -> Vec<(EventSink, FsEvent)> {
        let mut members = lock(&self.members);
        let is_over = what.contains(ReadFlags::IGNORED);
        let names = match is_over {
            true => members.folders.remove(descriptor),
            false => members.folders.names_of(descriptor).to_vec(),
        };
        let meant = names.into_iter().filter_map(|Name { owner, path }| {
            let member = members.sinks.get(&owner)?;
            let is_way = member.ways.iter().any(|way| **way == *path);
            let event = match is_way {
                _ if is_over => FsEvent::Vanished(path.to_path_buf()),
                true => what.contains(ReadFlags::MOVE_SELF).then(|| FsEvent::Vanished(path.to_path_buf()))?,
                false => meaning(&path, what, name)?,
            };
            Some((member.sink.clone(), event))
        });
        meant.collect()
    }

    /// Ends a watch that has no name any more. The watch may have ended by itself.
    fn end(&self, descriptor: i32) {
        let _ = inotify::remove_watch(&self.inotify, descriptor);
    }
}

/// Translates an event in, or of, the folder `dir`; `None` if it means nothing here.
fn meaning(dir: &Path, what: ReadFlags, name: Option<&[u8]>) -> Option<FsEvent> {
    let is = |flags: ReadFlags| what.intersects(flags);
    let Some(name) = name else {
        return match () {
            () if is(ReadFlags::MOVE_SELF) => Some(FsEvent::Vanished(dir.to_path_buf())),
            () if is(ReadFlags::ATTRIB) => Some(FsEvent::Touched(dir.to_path_buf())),
            // An unmounted folder's watch ends with an event of its own.
            () => None,
        };
    };
    let path: PathBuf = dir.join(std::ffi::OsStr::from_bytes(name));
    Some(match () {
        () if is(ReadFlags::CREATE | ReadFlags::MOVED_TO) => FsEvent::Appeared(path),
        () if is(ReadFlags::DELETE | ReadFlags::MOVED_FROM) => FsEvent::Vanished(path),
        () => FsEvent::Touched(path),
    })
}

/// Returns the bytes that an event takes in the queue: a head, and the name with its end rounded up to heads
/// (`inotify(7)`).
fn size_of_event(name: Option<&[u8]>) -> u64 {
    const HEAD: usize = 16;
    let name = name.map_or(0, |name| (name.len() + 1).next_multiple_of(HEAD));
    (HEAD + name) as u64
}

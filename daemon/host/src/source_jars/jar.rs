//! Reads the directory of a jar, and its files one after the other.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Component, Path};

use hob_base::{ContentHash, small};
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipFileHeaderRecord, ZipSliceArchive};
use zlib_rs::{Inflate, InflateFlush, Status};

/// Largest size in bytes and largest number of files of a jar that is read.
const LARGEST_JAR: u64 = 128 << 20;
const MOST_FILES: usize = 60_000;

/// Largest size in bytes of one file of a jar, and of all of them together; the rest is left out.
const LARGEST_FILE: u64 = 4 << 20;
const MOST_BYTES: u64 = 384 << 20;

/// Bits of the window of a deflated file: the most that the format has.
const WINDOW: u8 = 15;

/// The directory of a jar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct JarListing {
    /// Number of files directly in each folder that has any.
    folders: BTreeMap<String, usize>,
    /// A hash that is equal for jars with the same files.
    pub(crate) hash: ContentHash,
    pub(crate) files: usize,
}

impl JarListing {
    /// Returns the number of files of a package of Java or its kin: `a.b` may lie in `a/b`, or below a folder of some
    /// platform (`commonMain/a/b`).
    pub(crate) fn files_of_package(&self, package: &str) -> usize {
        let folder = package.replace('.', "/");
        let is_it = |path: &str| {
            path.strip_suffix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        self.folders.iter().filter(|(path, _)| is_it(path)).map(|(_, count)| count).sum()
    }
}

/// Reads the directory of the jar at `path`; `None` if it cannot be read as a jar, or is too large.
pub(crate) fn list_jar(path: &Path) -> Option<JarListing> {
    let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    if metadata.len() > LARGEST_JAR {
        return None;
    }
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(File::open(path).ok()?, &mut buffer).ok()?;
    let (mut entries, mut read) = (archive.entries(&mut buffer), JarDirectory::default());
    while let Some(entry) = entries.next_entry().ok()? {
        read.take_entry(&entry)?;
    }
    Some(read.into_listing())
}

/// Hands the files of the jar at `path` to `take` with their paths; `None` if it is no jar. Broken and too large files
/// are left out.
pub(super) fn each_file(path: &Path, take: &mut dyn FnMut(&str, &[u8])) -> Option<()> {
    let archive = ZipArchive::from_slice(small::read(path, LARGEST_JAR).ok()?).ok()?;
    let (mut left, mut contents) = (MOST_BYTES, Vec::new());
    for entry in archive.entries().take(MOST_FILES) {
        let entry = entry.ok()?;
        let size = entry.uncompressed_size_hint();
        let Some(name) = plain_name(&entry).filter(|_| size <= LARGEST_FILE) else { continue };
        if size > left {
            break;
        }
        if read_file(&archive, &entry, &mut contents).is_some() {
            left -= size;
            take(&name, &contents);
        }
    }
    Some(())
}

/// Unpacks one file into `contents`; `None` if it differs from what the directory says.
fn read_file(
    archive: &ZipSliceArchive<Vec<u8>>,
    entry: &ZipFileHeaderRecord<'_>,
    contents: &mut Vec<u8>,
) -> Option<()> {
    let found = archive.get_entry(entry.wayfinder()).ok()?;
    let size = usize::try_from(entry.uncompressed_size_hint()).ok()?;
    contents.clear();
    match entry.compression_method() {
        CompressionMethod::STORE => contents.extend_from_slice(found.data()),
        CompressionMethod::DEFLATE => {
            contents.resize(size, 0);
            let unpacked =
                Inflate::new(false, WINDOW).decompress(found.data(), contents, InflateFlush::Finish);
            unpacked.ok().filter(|status| size == 0 || *status == Status::StreamEnd)?;
        }
        _ => return None,
    }
    (contents.len() == size && rawzip::crc32(contents) == entry.crc32()).then_some(())
}

/// Returns the path of a file; `None` for a folder, and for a path that is not plainly below the jar's folder.
fn plain_name(entry: &ZipFileHeaderRecord<'_>) -> Option<String> {
    let path = entry.file_path();
    let name = std::str::from_utf8(path.as_bytes()).ok().filter(|_| !entry.is_dir())?;
    let is_plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let is_odd = |c: char| c.is_control() || ['\\', ':'].contains(&c);
    (is_plain && !name.is_empty() && !name.contains(is_odd)).then(|| name.to_owned())
}

/// The part of a jar's directory that has been read.
#[derive(Default)]
struct JarDirectory {
    folders: BTreeMap<String, usize>,
    text: String,
    files: usize,
}

impl JarDirectory {
    /// Adds an entry; `None` if there are too many.
    fn take_entry(&mut self, entry: &ZipFileHeaderRecord<'_>) -> Option<()> {
        let Some(name) = plain_name(entry) else { return Some(()) };
        self.files += 1;
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        *self.folders.entry(folder.to_owned()).or_default() += 1;
        writeln!(self.text, "{name} {:x} {}", entry.crc32(), entry.uncompressed_size_hint()).ok()?;
        (self.files <= MOST_FILES).then_some(())
    }

    fn into_listing(self) -> JarListing {
        JarListing { folders: self.folders, hash: ContentHash::of(self.text.as_bytes()), files: self.files }
    }
}

#[cfg(test)]
pub(super) mod fixture {
    //! Jars made of strings.

    use std::io::Write as _;

    use rawzip::ZipArchiveWriter;

    /// Returns the bytes of a jar with these files, stored as they are.
    pub(in super::super) fn jar_of(files: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = ZipArchiveWriter::new(Vec::new());
        for (name, text) in files {
            let path = rawzip::path::EntryPath::verbatim(name.as_bytes());
            let (mut entry, config) = archive.new_file(path).start().expect("memory does not fail");
            let mut writer = config.wrap(&mut entry);
            writer.write_all(text.as_bytes()).expect("memory does not fail");
            let (_, descriptor) = writer.finish().expect("memory does not fail");
            entry.finish(descriptor).expect("memory does not fail");
        }
        archive.finish().expect("memory does not fail")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jar_is_listed_and_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a-sources.jar");
        let files = [
            ("com/acme/A.java", "class A {}"),
            ("commonMain/com/acme/b/B.kt", "class B"),
            ("../C.java", "class C {}"),
        ];
        std::fs::write(&path, fixture::jar_of(&files)).expect("a file");
        let listing = list_jar(&path).expect("a jar");
        assert_eq!(listing.files, 2, "{listing:?}");
        assert_eq!((listing.files_of_package("com.acme"), listing.files_of_package("com.acme.b")), (1, 1));
        assert_eq!((listing.files_of_package("com"), listing.files_of_package("acme.x")), (0, 0));
        let mut read = Vec::new();
        each_file(&path, &mut |name, bytes| read.push(format!("{name} {}", bytes.len()))).expect("a jar");
        assert_eq!(read, ["com/acme/A.java 10", "commonMain/com/acme/b/B.kt 7"]);
        std::fs::write(&path, "no jar").expect("a file");
        assert!(list_jar(&path).is_none() && each_file(&path, &mut |_, _| ()).is_none());
    }
}

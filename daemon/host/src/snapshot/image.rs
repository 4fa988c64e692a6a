//! Saves the parts of the map other than facts: its names and lists, its hub scores, and its edges, a file each.
//!
//! A file has its magic, the bytes that the map wrote, and the blake3 of both. The map itself finds out
//! whether they fit the files: names, lists and scores file by file, edges as a whole.

use std::fs;
use std::io;

use hob_base::{AbsPath, ContentHash};

use super::atomic::write_atomically;
use super::format::FormatError;

/// One of the image files.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageFile {
    magic: [u8; 8],
    name: &'static str,
}

/// The file of names and lists.
pub(super) const NAMES: ImageFile = ImageFile { magic: *b"hobnames", name: "names" };
/// The file of hub scores.
pub(super) const SCORES: ImageFile = ImageFile { magic: *b"hobscore", name: "scores" };
/// The file of the edges of a derivation.
pub(super) const EDGES: ImageFile = ImageFile { magic: *b"hobedges", name: "edges" };

pub(super) fn write(kept: ImageFile, folder: &AbsPath, content: &[u8]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(kept.magic.len() + content.len() + 32);
    bytes.extend(kept.magic);
    bytes.extend(content);
    let sum = ContentHash::of(&bytes);
    bytes.extend(sum.as_bytes());
    write_atomically(folder.join(kept.name).as_path(), &bytes)
}

/// Removes the file, if there is one.
pub(super) fn remove(kept: ImageFile, folder: &AbsPath) -> io::Result<()> {
    match fs::remove_file(folder.join(kept.name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the content, or `None` if there is no file. An error says why the file cannot be used.
pub(super) fn read(kept: ImageFile, folder: &AbsPath) -> Result<Option<Vec<u8>>, String> {
    let bytes = match fs::read(folder.join(kept.name)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    unseal_image(kept, bytes).map(Some).map_err(|error| error.to_string())
}

fn unseal_image(kept: ImageFile, mut bytes: Vec<u8>) -> Result<Vec<u8>, FormatError> {
    if !bytes.starts_with(&kept.magic) {
        return Err(FormatError::Foreign);
    }
    let (sealed, sum) = bytes.split_last_chunk::<32>().ok_or(FormatError::Damaged)?;
    if ContentHash::of(sealed).as_bytes() != sum {
        return Err(FormatError::Damaged);
    }
    bytes.truncate(bytes.len() - 32);
    bytes.drain(..kept.magic.len());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_comes_back_and_every_damage_is_noticed() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = AbsPath::new(dir.path()).expect("absolute");
        assert_eq!(read(NAMES, &folder), Ok(None));
        write(NAMES, &folder, b"names and lists").expect("a folder of our own");
        assert_eq!(read(NAMES, &folder).expect("just written").as_deref(), Some(&b"names and lists"[..]));
        assert_eq!(read(SCORES, &folder), Ok(None), "each has a file of its own");
        let good = fs::read(folder.join(NAMES.name)).expect("just written");
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 4;
            assert!(unseal_image(NAMES, bad).is_err(), "flipped {at}");
            assert!(unseal_image(NAMES, good[..at].to_vec()).is_err(), "cut at {at}");
        }
    }
}

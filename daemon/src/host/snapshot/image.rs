//! The file of the map's names and lists.
//!
//! Magic, the image as the map wrote it, and the blake3 of both. Whether the image fits the files is for the map to find
//! out, which it does file by file.

use std::fs;
use std::io;

use hob_base::{AbsPath, ContentHash};

use super::format::FormatError;
use super::write_atomically;

const MAGIC: &[u8; 8] = b"hobnames";
const NAME: &str = "names";

pub(super) fn write(folder: &AbsPath, image: &[u8]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(MAGIC.len() + image.len() + 32);
    bytes.extend(MAGIC);
    bytes.extend(image);
    let sum = ContentHash::of(&bytes);
    bytes.extend(sum.as_bytes());
    write_atomically(folder.join(NAME).as_path(), &bytes)
}

/// The image, if there is one; else why there is none to use.
pub(super) fn read(folder: &AbsPath) -> Result<Option<Vec<u8>>, String> {
    let bytes = match fs::read(folder.join(NAME)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    unseal(bytes).map(Some).map_err(|error| error.to_string())
}

fn unseal(mut bytes: Vec<u8>) -> Result<Vec<u8>, FormatError> {
    if !bytes.starts_with(MAGIC) {
        return Err(FormatError::Foreign);
    }
    let (sealed, sum) = bytes.split_last_chunk::<32>().ok_or(FormatError::Damaged)?;
    if ContentHash::of(sealed).as_bytes() != sum {
        return Err(FormatError::Damaged);
    }
    bytes.truncate(bytes.len() - 32);
    bytes.drain(..MAGIC.len());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_comes_back_and_every_damage_is_noticed() {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = AbsPath::new(dir.path()).expect("absolute");
        assert_eq!(read(&folder), Ok(None));
        write(&folder, b"names and lists").expect("a folder of our own");
        assert_eq!(read(&folder).expect("just written").as_deref(), Some(&b"names and lists"[..]));
        let good = fs::read(folder.join(NAME)).expect("just written");
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 4;
            assert!(unseal(bad).is_err(), "flipped {at}");
            assert!(unseal(good[..at].to_vec()).is_err(), "cut at {at}");
        }
    }
}

//! Frames: a little-endian `u32` length and that many bytes of MessagePack.
//!
//! Encoding and decoding without IO, so that the async sides and the tests share one implementation. Structs are written
//! with field names: a newer peer may add fields and an older one skips them. A frame over [`MAX_FRAME`], an unknown
//! message or a malformed body ends the connection it came on, with a reason, and nothing else.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Largest body, in bytes.
pub const MAX_FRAME: usize = 64 * 1024 * 1024;

/// Why a frame could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side closed the connection between two frames.
    #[error("the connection was closed")]
    Closed,
    /// The length exceeds [`MAX_FRAME`].
    #[error("a frame of {0} bytes exceeds the limit of {MAX_FRAME} bytes")]
    TooLarge(usize),
    /// The body is not a message of this protocol.
    #[error("malformed message: {0}")]
    Malformed(String),
    /// The transport failed, or closed within a frame.
    #[error("the connection failed: {0}")]
    Io(#[from] std::io::Error),
}

/// The whole frame for a message.
///
/// # Errors
/// [`FrameError::TooLarge`]; [`FrameError::Malformed`] if it cannot be serialised.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, FrameError> {
    let mut out = vec![0; 4];
    let mut serializer = rmp_serde::Serializer::new(&mut out).with_struct_map();
    message.serialize(&mut serializer).map_err(|e| FrameError::Malformed(e.to_string()))?;
    let body = out.len() - 4;
    if body > MAX_FRAME {
        return Err(FrameError::TooLarge(body));
    }
    out[..4].copy_from_slice(&(body as u32).to_le_bytes());
    Ok(out)
}

/// The message in a frame's body.
///
/// # Errors
/// [`FrameError::Malformed`].
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, FrameError> {
    rmp_serde::from_slice(body).map_err(|e| FrameError::Malformed(e.to_string()))
}

/// The body length that a frame's first four bytes announce.
///
/// # Errors
/// [`FrameError::TooLarge`].
pub fn body_len(header: [u8; 4]) -> Result<usize, FrameError> {
    let len = u32::from_le_bytes(header) as usize;
    if len > MAX_FRAME { Err(FrameError::TooLarge(len)) } else { Ok(len) }
}

/// Reads one message. Not cancel-safe: give it a task of its own.
///
/// # Errors
/// Any [`FrameError`].
pub async fn read<T: DeserializeOwned>(from: &mut (impl AsyncRead + Unpin)) -> Result<T, FrameError> {
    decode(&read_body(from).await?)
}

/// Reads one frame's body, for those who count bytes. Not cancel-safe.
///
/// # Errors
/// Any [`FrameError`] but `Malformed`.
pub async fn read_body(from: &mut (impl AsyncRead + Unpin)) -> Result<Vec<u8>, FrameError> {
    let mut header = [0; 4];
    let first = from.read(&mut header[..1]).await?;
    if first == 0 {
        return Err(FrameError::Closed);
    }
    from.read_exact(&mut header[1..]).await?;
    let len = body_len(header)?;
    // Grown as bytes arrive: a lying header must not make the receiver allocate 64 MiB.
    let mut body = Vec::with_capacity(len.min(64 * 1024));
    let read = from.take(len as u64).read_to_end(&mut body).await?;
    if read < len {
        return Err(FrameError::Io(std::io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(body)
}

/// Writes one message and flushes it.
///
/// # Errors
/// Any [`FrameError`] but `Closed`.
pub async fn write<T: Serialize>(to: &mut (impl AsyncWrite + Unpin), message: &T) -> Result<(), FrameError> {
    to.write_all(&encode(message)?).await?;
    to.flush().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
    }

    #[test]
    fn a_message_survives_the_wire() {
        let frame = encode(&("call", 7_u32, "ü")).expect("it fits");
        let back: (String, u32, String) = block_on(read(&mut &frame[..])).expect("it is whole");
        assert_eq!(back, ("call".into(), 7, "ü".into()));
    }

    #[test]
    fn bad_frames_are_told_apart() {
        let read_unit = |bytes: &[u8]| block_on(read::<String>(&mut &*bytes.to_vec()));
        assert!(matches!(read_unit(&[]), Err(FrameError::Closed)));
        assert!(matches!(read_unit(&[1, 0]), Err(FrameError::Io(_))));
        assert!(matches!(read_unit(&[5, 0, 0, 0, 1]), Err(FrameError::Io(_))));
        assert!(matches!(read_unit(&u32::MAX.to_le_bytes()), Err(FrameError::TooLarge(_))));
        assert!(matches!(read_unit(&[1, 0, 0, 0, 0xc1]), Err(FrameError::Malformed(_))));
    }
}

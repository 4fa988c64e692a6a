//! Encodes and decodes frames: a little-endian `u32` length and that many bytes of MessagePack.
//!
//! The functions for encoding and decoding do no IO, so that the async sides and the tests share one
//! implementation. Structs are written with field names: a newer peer may add fields and an older one skips
//! them; they are read by names alone (`strict`). A frame over [`MAX_FRAME`], an unknown message or a
//! malformed body ends the connection, with a reason, and nothing else.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::strict;

/// Largest body, in bytes.
pub const MAX_FRAME: usize = 64 * 1024 * 1024;

/// Largest body that the daemon accepts from a client that is no editor, in bytes: an editor sends whole
/// documents, others only questions.
pub const MAX_QUESTION: usize = 16 * 1024 * 1024;

/// Why a frame could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side closed the connection between two frames.
    #[error("the connection was closed")]
    Closed,
    /// The length exceeds the limit.
    #[error("a frame of {bytes} bytes exceeds the limit of {limit} bytes")]
    TooLarge {
        /// The body's length in bytes, as its header gives it.
        bytes: usize,
        /// The most bytes allowed: [`MAX_FRAME`], or less.
        limit: usize,
    },
    /// The body is not a message of this protocol.
    #[error("malformed message: {0}")]
    Malformed(String),
    /// The transport failed, or closed within a frame.
    #[error("the connection failed: {0}")]
    Io(#[from] std::io::Error),
}

/// Encodes a message as a whole frame.
///
/// # Errors
/// [`FrameError::TooLarge`]; [`FrameError::Malformed`] if it cannot be serialised.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, FrameError> {
    let mut out = vec![0; 4];
    let mut serializer = rmp_serde::Serializer::new(&mut out).with_struct_map();
    message.serialize(&mut serializer).map_err(|e| FrameError::Malformed(e.to_string()))?;
    let body = out.len() - 4;
    if body > MAX_FRAME {
        return Err(FrameError::TooLarge { bytes: body, limit: MAX_FRAME });
    }
    out[..4].copy_from_slice(&(body as u32).to_le_bytes());
    Ok(out)
}

/// Decodes a frame's body, by names alone and to its last byte.
///
/// # Errors
/// [`FrameError::Malformed`].
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, FrameError> {
    strict::decode(body).map_err(FrameError::Malformed)
}

/// Reads one message. Not cancel-safe: give it a task of its own.
///
/// # Errors
/// Any [`FrameError`].
pub async fn read<T: DeserializeOwned>(from: &mut (impl AsyncRead + Unpin)) -> Result<T, FrameError> {
    decode(&read_body(from).await?)
}

/// Reads one frame's body, for callers that count bytes. Not cancel-safe.
///
/// # Errors
/// Any [`FrameError`] but `Malformed`.
pub async fn read_body(from: &mut (impl AsyncRead + Unpin)) -> Result<Vec<u8>, FrameError> {
    let len = read_len(from, MAX_FRAME).await?;
    read_rest(from, len).await
}

/// Reads the length of the next frame's body, for callers that reserve room before they read it. Not
/// cancel-safe.
///
/// # Errors
/// Any [`FrameError`] but `Malformed`; `TooLarge` for more than `limit` bytes.
pub async fn read_len(from: &mut (impl AsyncRead + Unpin), limit: usize) -> Result<usize, FrameError> {
    let mut header = [0; 4];
    let first = from.read(&mut header[..1]).await?;
    if first == 0 {
        return Err(FrameError::Closed);
    }
    from.read_exact(&mut header[1..]).await?;
    let bytes = u32::from_le_bytes(header) as usize;
    if bytes > limit { Err(FrameError::TooLarge { bytes, limit }) } else { Ok(bytes) }
}

/// Reads a body of a known length. Not cancel-safe.
///
/// # Errors
/// [`FrameError::Io`].
pub async fn read_rest(from: &mut (impl AsyncRead + Unpin), len: usize) -> Result<Vec<u8>, FrameError> {
    // The buffer grows as bytes arrive: a false length must not make the receiver allocate 64 MiB.
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
        assert!(matches!(read_unit(&u32::MAX.to_le_bytes()), Err(FrameError::TooLarge { .. })));
        assert!(matches!(read_unit(&[1, 0, 0, 0, 0xc1]), Err(FrameError::Malformed(_))));
    }
}

//! Reads a disk form from its front, little-endian.

/// The bytes that are left to read. A read returns `None` where they end too early or are not UTF-8.
pub(crate) struct ByteReader<'b> {
    pub(crate) rest: &'b [u8],
}

impl ByteReader<'_> {
    pub(crate) fn read_bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*head)
    }

    pub(crate) fn read_u32(&mut self) -> Option<u32> {
        self.read_bytes().map(u32::from_le_bytes)
    }

    pub(crate) fn read_u64(&mut self) -> Option<u64> {
        self.read_bytes().map(u64::from_le_bytes)
    }

    /// Reads a text that follows its length in bytes. `None` may leave the length read.
    pub(crate) fn read_text(&mut self) -> Option<String> {
        let len = self.read_u32()? as usize;
        let (head, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        String::from_utf8(head.to_vec()).ok()
    }
}

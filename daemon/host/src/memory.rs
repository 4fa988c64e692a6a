//! Reads the memory that this process holds, as the system counts it. Mapped files are not counted: their pages are the
//! system's cache of the disk, which it takes back whenever it needs the room.

/// Returns the resident memory of this process in bytes, without that of files; `None` where the system does not say.
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
        let mut fields = statm.split_whitespace().skip(1).map(|field| field.parse::<u64>().ok());
        let (resident, of_files) = (fields.next()??, fields.next()??);
        Some(resident.saturating_sub(of_files) * rustix::param::page_size() as u64)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

//! Reads the place of a secret: the name of a variable, or the path of a file. The secret itself never stands
//! in the settings.

use std::path::PathBuf;
use std::time::Duration;

use toml::de::DeValue;

use super::parse::{SettingsReader, TomlEntry, is_plain};

/// Longest time-out in milliseconds; calls end after a similar time themselves.
const LONGEST_MS: i64 = 60_000;

impl SettingsReader<'_> {
    /// Reads the name of a variable that holds a secret, such as `example`.
    pub(super) fn read_secret_variable(&mut self, entry: TomlEntry<'_, '_>, example: &str) -> Option<String> {
        // If the user writes the secret itself here, the problem does not repeat it.
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let name = entry.value.get_ref().as_str().filter(|name| is_name(name));
        if name.is_none() {
            let key = entry.key.get_ref();
            let what =
                format!("`{key}` must be the name of a variable that holds the key, such as \"{example}\"");
            self.add_problem(entry.value.span().start, what);
        }
        name.map(str::to_owned)
    }

    /// Reads the path of a file that holds a secret, such as `example`.
    pub(super) fn read_secret_file(&mut self, entry: TomlEntry<'_, '_>, example: &str) -> Option<PathBuf> {
        let path = entry.value.get_ref().as_str().filter(|path| is_plain(path));
        let path = path.map(|path| PathBuf::from(self.at_home(path))).filter(|path| path.is_absolute());
        if path.is_none() {
            let what = format!("`{}` must be the path of a file, such as \"{example}\"", entry.key.get_ref());
            self.add_problem(entry.value.span().start, what);
        }
        path
    }

    /// Reads a time-out in milliseconds.
    pub(super) fn read_time_out(&mut self, entry: TomlEntry<'_, '_>) -> Option<Duration> {
        let DeValue::Integer(number) = entry.value.get_ref() else {
            self.report_wrong_type(entry, "a number of milliseconds");
            return None;
        };
        let ms = i64::from_str_radix(number.as_str(), number.radix()).ok();
        let ms = ms.filter(|ms| (1..=LONGEST_MS).contains(ms)).and_then(|ms| u64::try_from(ms).ok());
        if ms.is_none() {
            let what = format!("`timeout_ms` must be between 1 and {LONGEST_MS}");
            self.add_problem(entry.value.span().start, what);
        }
        ms.map(Duration::from_millis)
    }
}

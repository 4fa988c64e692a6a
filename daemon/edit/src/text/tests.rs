//! Text edits as an agent meets them.

use super::*;
use crate::splice;

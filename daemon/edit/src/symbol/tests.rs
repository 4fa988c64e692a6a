//! Edits of whole definitions as an agent meets them.

use super::*;
use crate::splice;

//! Numbers packages outside the workspace, in order of first use.
//!
//! They are found while queries run under a shared lock, so the table has a lock of its own. It only grows: a number
//! means the same package for as long as the map lives.

use std::sync::{PoisonError, RwLock};

use hob_proto::node_id::NodeId;

use super::ExternalId;
use crate::index::MapNameTable;
use crate::langs::lang::Lang;

/// The table of packages.
#[derive(Debug, Default)]
pub(super) struct Externals {
    /// Keys of the packages: `<lang>:<package>`.
    names: RwLock<MapNameTable>,
}

impl Externals {
    /// Returns the number of a package of a language, which it gets if it has none.
    pub(super) fn package_number(&self, lang: Lang, package: &str) -> ExternalId {
        self.number_of_key(&format!("{}:{package}", lang.package_id()))
    }

    /// Returns the number of the package with a key, which it gets if it has none.
    pub(super) fn number_of_key(&self, key: &str) -> ExternalId {
        let known = self.names.read().unwrap_or_else(PoisonError::into_inner).find(key);
        let id =
            known.unwrap_or_else(|| self.names.write().unwrap_or_else(PoisonError::into_inner).intern(key));
        ExternalId(id.0)
    }

    /// Returns the key of a package.
    pub(super) fn package_key(&self, id: ExternalId) -> String {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        names.get(crate::index::NameId(id.0)).to_owned()
    }

    /// Returns the language prefix and the name of a package.
    pub(super) fn name(&self, id: ExternalId) -> Option<(String, String)> {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        let (lang, package) = names.get(crate::index::NameId(id.0)).split_once(':')?;
        Some((lang.to_owned(), package.to_owned()))
    }

    /// Returns the node ID of a package.
    pub(super) fn id(&self, id: ExternalId) -> NodeId {
        let (lang, package) = self.name(id).unwrap_or_default();
        NodeId::External { lang, package }
    }
}

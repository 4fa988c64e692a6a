//! Holds a server's answer with its completeness: a server that is still loading answers too.

/// The completeness of an answer: whether it may lack something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// Nothing is missing from the answer.
    Complete,
    /// Something may be missing; the text says why.
    Partial(String),
    /// Nobody knows what is missing; the text says why.
    Unknown(String),
}

/// An answer with its completeness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerAnswer<T> {
    /// The server's answer itself.
    pub value: T,
    /// The completeness of the value: whether it may lack something.
    pub completeness: Completeness,
}

impl<T> ServerAnswer<T> {
    /// Converts the value; the completeness stays.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> ServerAnswer<U> {
        ServerAnswer { value: change(self.value), completeness: self.completeness }
    }

    /// Returns true if nothing is missing from the answer.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.completeness == Completeness::Complete
    }
}

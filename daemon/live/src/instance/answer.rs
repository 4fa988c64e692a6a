//! Holds an answer of a server and says how whole it is: a server that is still loading answers all the same.

/// The completeness of an answer: whether it may lack something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// Nothing is missing from the answer.
    Complete,
    /// Something may be missing; the text says why.
    Partial(String),
    /// Nothing can be said; the text says why.
    Unknown(String),
}

/// An answer and how whole it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerAnswer<T> {
    /// The server's answer itself.
    pub value: T,
    /// Says whether the value may lack something; see [`Completeness`].
    pub completeness: Completeness,
}

impl<T> ServerAnswer<T> {
    /// The same, about something made of it.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> ServerAnswer<U> {
        ServerAnswer { value: change(self.value), completeness: self.completeness }
    }

    /// Returns true if nothing is missing from the answer.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.completeness == Completeness::Complete
    }
}

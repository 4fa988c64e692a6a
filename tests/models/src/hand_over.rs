//! Who is the daemon: at most one serves, its socket is its own, and a newer client's daemon takes the place of an older one
//! (`daemon/src/lifecycle`, `client/src/autostart.rs`).
//!
//! Two clients, one of an older and one of a newer build, that start daemons under the start lock; daemons that claim the daemon's lock, bind
//! the socket, retire or crash. A socket's name may be left by a daemon that crashed.

use stateright::{Model, Property};

use crate::check::{holds, is_broken};

const CLIENTS: usize = 2;
/// Daemons that are started in one run.
const DAEMONS: usize = 3;
const CRASHES: u8 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Life {
    /// Started by a client; it has nothing yet.
    Begun,
    /// It holds the daemon's lock.
    Locked,
    Serving,
    /// It has taken its socket's name away.
    Unbound,
    /// A flawed one that has let go of the lock before the name.
    Unlocked,
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Daemon {
    build: u8,
    life: Life,
    is_retiring: bool,
    /// Its name was taken from the socket while it served.
    is_robbed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Client {
    Away,
    /// It holds the start lock.
    Starting,
    /// It has started this daemon and waits for it.
    Waiting(usize),
    /// It has asked this older daemon to retire, and holds the start lock.
    Replacing(usize),
    Connected(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct HandOverState {
    daemons: Vec<Daemon>,
    clients: [Client; CLIENTS],
    /// The daemon that the socket's name leads to.
    socket: Option<usize>,
    lock: Option<usize>,
    start_lock: Option<usize>,
    crashes: u8,
    /// An older client has ended a newer daemon.
    is_downgraded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandOverAction {
    Client(usize),
    Daemon(usize),
    Retire(usize),
    Crash(usize),
    Leave(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandOverFlaw {
    None,
    /// A retiring daemon lets go of the lock before it takes its name away.
    UnlocksBeforeUnbinding,
    /// A daemon serves without the lock.
    ServesWithoutLock,
    /// Any other build is replaced, not only an older one.
    ReplacesNewer,
    /// A client that has waited for the start lock does not look again who serves.
    DoesNotLookAgain,
}

struct HandOver(HandOverFlaw);

impl HandOver {
    fn serving(state: &HandOverState) -> Option<usize> {
        state.socket.filter(|daemon| state.daemons[*daemon].life == Life::Serving)
    }

    fn is_to_be_replaced(&self, build: u8, theirs: u8) -> bool {
        if self.0 == HandOverFlaw::ReplacesNewer { build != theirs } else { build > theirs }
    }

    fn step_client(&self, state: &mut HandOverState, number: usize) -> Option<()> {
        // The number of a client is its build.
        let build = number as u8;
        let serving = Self::serving(state);
        state.clients[number] = match state.clients[number] {
            Client::Away => match serving {
                Some(daemon) if !self.is_to_be_replaced(build, state.daemons[daemon].build) => {
                    Client::Connected(daemon)
                }
                _ => {
                    state.start_lock.is_none().then_some(())?;
                    state.start_lock = Some(number);
                    Client::Starting
                }
            },
            Client::Starting => match serving {
                Some(daemon) if self.is_to_be_replaced(build, state.daemons[daemon].build) => {
                    state.daemons[daemon].is_retiring = true;
                    state.is_downgraded |= state.daemons[daemon].build > build;
                    Client::Replacing(daemon)
                }
                Some(daemon) if self.0 != HandOverFlaw::DoesNotLookAgain => {
                    state.start_lock = None;
                    Client::Connected(daemon)
                }
                _ => {
                    (state.daemons.len() < DAEMONS).then_some(())?;
                    state.daemons.push(Daemon {
                        build,
                        life: Life::Begun,
                        is_retiring: false,
                        is_robbed: false,
                    });
                    Client::Waiting(state.daemons.len() - 1)
                }
            },
            Client::Replacing(daemon) => {
                (state.daemons[daemon].life == Life::Gone).then_some(())?;
                Client::Starting
            }
            Client::Waiting(daemon) => match state.daemons[daemon].life {
                Life::Serving => {
                    state.start_lock = None;
                    Client::Connected(daemon)
                }
                Life::Gone => Client::Starting,
                _ => return None,
            },
            Client::Connected(daemon) => {
                (state.daemons[daemon].life == Life::Gone).then_some(())?;
                Client::Away
            }
        };
        Some(())
    }

    fn step_daemon(&self, state: &mut HandOverState, number: usize) -> Option<()> {
        let daemon = *state.daemons.get(number)?;
        let life = match daemon.life {
            Life::Begun if self.0 == HandOverFlaw::ServesWithoutLock => Life::Locked,
            // A living holder is waited for.
            Life::Begun => {
                state.lock.is_none().then_some(())?;
                state.lock = Some(number);
                Life::Locked
            }
            Life::Locked => {
                // What has the name is a remnant: its daemon does not hold the lock.
                if let Some(other) = state.socket {
                    state.daemons[other].is_robbed |= state.daemons[other].life == Life::Serving;
                }
                state.socket = Some(number);
                Life::Serving
            }
            Life::Serving => {
                daemon.is_retiring.then_some(())?;
                if self.0 == HandOverFlaw::UnlocksBeforeUnbinding {
                    self.unlock(state, number);
                    Life::Unlocked
                } else {
                    state.socket = None;
                    Life::Unbound
                }
            }
            Life::Unbound => {
                self.unlock(state, number);
                Life::Gone
            }
            Life::Unlocked => {
                if let Some(other) = state.socket.filter(|other| *other != number) {
                    state.daemons[other].is_robbed |= state.daemons[other].life == Life::Serving;
                }
                state.socket = None;
                Life::Gone
            }
            Life::Gone => return None,
        };
        state.daemons[number].life = life;
        Some(())
    }

    fn unlock(&self, state: &mut HandOverState, number: usize) {
        if state.lock == Some(number) {
            state.lock = None;
        }
    }
}

impl Model for HandOver {
    type State = HandOverState;
    type Action = HandOverAction;

    fn init_states(&self) -> Vec<HandOverState> {
        vec![HandOverState {
            daemons: Vec::new(),
            clients: [Client::Away; CLIENTS],
            socket: None,
            lock: None,
            start_lock: None,
            crashes: 0,
            is_downgraded: false,
        }]
    }

    fn actions(&self, state: &HandOverState, actions: &mut Vec<HandOverAction>) {
        for client in 0..CLIENTS {
            actions.extend([HandOverAction::Client(client), HandOverAction::Leave(client)]);
        }
        for daemon in 0..state.daemons.len() {
            actions.extend([
                HandOverAction::Daemon(daemon),
                HandOverAction::Retire(daemon),
                HandOverAction::Crash(daemon),
            ]);
        }
    }

    fn next_state(&self, last: &HandOverState, action: HandOverAction) -> Option<HandOverState> {
        let mut state = last.clone();
        match action {
            HandOverAction::Client(client) => self.step_client(&mut state, client)?,
            HandOverAction::Daemon(daemon) => self.step_daemon(&mut state, daemon)?,
            // Idleness, a signal, the user.
            HandOverAction::Retire(daemon) => {
                let daemon = &mut state.daemons[daemon];
                (daemon.life == Life::Serving && !daemon.is_retiring).then_some(())?;
                daemon.is_retiring = true;
            }
            // The system frees the lock; the socket's name stays.
            HandOverAction::Crash(daemon) => {
                (state.crashes < CRASHES && state.daemons[daemon].life != Life::Gone).then_some(())?;
                state.crashes += 1;
                state.daemons[daemon].life = Life::Gone;
                self.unlock(&mut state, daemon);
            }
            // A client that ends frees the start lock; its daemon goes on.
            HandOverAction::Leave(client) => {
                (state.clients[client] != Client::Away).then_some(())?;
                state.clients[client] = Client::Away;
                if state.start_lock == Some(client) {
                    state.start_lock = None;
                }
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONE, |_, state: &HandOverState| {
                state.daemons.iter().filter(|daemon| daemon.life == Life::Serving).count() <= 1
            }),
            Property::always(OWN, |_, state: &HandOverState| {
                !state.daemons.iter().any(|daemon| daemon.is_robbed)
            }),
            Property::always(NEWER, |_, state: &HandOverState| !state.is_downgraded),
            Property::always(LOCK, |_, state: &HandOverState| {
                state
                    .daemons
                    .iter()
                    .enumerate()
                    .all(|(number, daemon)| daemon.life != Life::Serving || state.lock == Some(number))
            }),
            Property::sometimes("both clients share a daemon", |_, state: &HandOverState| {
                state.clients[0] == state.clients[1] && matches!(state.clients[0], Client::Connected(_))
            }),
            Property::sometimes(
                "a newer daemon has taken an older one's place",
                |_, state: &HandOverState| {
                    state.daemons.len() > 1
                        && state.daemons[0].build == 0
                        && state
                            .daemons
                            .iter()
                            .any(|daemon| daemon.build == 1 && daemon.life == Life::Serving)
                },
            ),
        ]
    }
}

const ONE: &str = "at most one daemon serves";
const OWN: &str = "nobody takes the name of a daemon that serves";
const NEWER: &str = "an older client never ends a newer daemon";
const LOCK: &str = "who serves holds the lock";

#[test]
fn there_is_one_daemon_and_it_is_the_newest_that_was_asked_for() {
    holds(HandOver(HandOverFlaw::None));
}

#[test]
fn no_flaw_goes_unseen() {
    for (flaw, property) in [
        (HandOverFlaw::UnlocksBeforeUnbinding, OWN),
        (HandOverFlaw::ServesWithoutLock, ONE),
        (HandOverFlaw::ReplacesNewer, NEWER),
    ] {
        assert!(is_broken(HandOver(flaw), property), "{flaw:?}");
    }
}

/// The daemon's lock makes a second start harmless: the daemon that was started for nothing waits for the lock.
#[test]
fn the_lock_alone_keeps_two_from_serving() {
    assert!(!is_broken(HandOver(HandOverFlaw::DoesNotLookAgain), ONE));
}

//! Lists what frameworks for Dart give to code: members by the base class, and the libraries for tests.

/// Returns the member that a class inherits with one of its base's type arguments as its type: `widget`, a `Page`, for
/// a `State<Page>`. The number is that of the argument.
pub(super) fn given_member(base: &str) -> Option<(&'static str, usize)> {
    Some(match base {
        "State" | "ConsumerState" | "HookConsumerState" => ("widget", 0),
        "Cubit" | "HydratedCubit" | "ReplayCubit" | "StateNotifier" | "Notifier" | "AutoDisposeNotifier" => {
            ("state", 0)
        }
        "Bloc" | "HydratedBloc" | "ReplayBloc" => ("state", 1),
        "ValueNotifier" => ("value", 0),
        "GetView" => ("controller", 0),
        _ => return None,
    })
}

/// Libraries whose `test` and `group` hold tests.
pub(super) const TEST_LIBRARIES: &[&str] = &[
    "package:test/test",
    "package:flutter_test/flutter_test",
    "package:bloc_test/bloc_test",
    "package:integration_test/integration_test",
    "package:patrol/patrol",
];

/// Functions that get a test with its description.
pub(super) const TEST_WORDS: &[&str] =
    &["test", "testWidgets", "blocTest", "patrolTest", "testGoldens", "testWithGame"];

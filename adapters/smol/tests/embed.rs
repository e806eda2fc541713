//! The example of an agent of its own serves its pods, tells their changes, and ends when it is asked to.

#[test]
fn the_agent_of_the_example_serves_its_pods_and_tells_their_changes() {
    podsapi_test_process::embedding_example("embed-smol");
}

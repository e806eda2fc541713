//! The example of an agent of its own serves its pods, and ends when it is asked to.

use podsapi_client::{Client, ClientOptions};

#[test]
fn the_agent_of_the_example_serves_its_pods() {
    podsapi_test_process::serving_example("embed-tokio", |socket| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let client = Client::connect(socket, ClientOptions::default());
            let pods = client.await.unwrap().list().await.unwrap();
            assert!(!pods.is_empty());
        });
    });
}

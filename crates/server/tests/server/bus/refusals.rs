//! NATS servers that cannot be used.

use std::fs;

use sticheln_server::cluster::bus::verify;
use sticheln_server::cluster::bus_settings::BusSettings;

use super::{Node, server, settings};
use crate::common::nats::{Nats, PASSWORD};
use crate::harness::within_timeout;

/// The sentence with which a server refuses these settings.
async fn refused(settings: &BusSettings) -> String {
    let verified = within_timeout("a refusal", verify(&server(settings))).await;
    let sentence = verified.unwrap_err().to_string();
    assert!(
        sentence.ends_with('.') && !sentence.contains('\n'),
        "{sentence}"
    );
    for secret in [PASSWORD, "wrong-secret"] {
        assert!(!sentence.contains(secret), "{sentence}");
    }
    sentence
}

#[tokio::test]
async fn certificates_and_passwords_are_verified() {
    let nats = Nats::with_tls_and_user();
    let with_ca = |url: &str, name: &str| BusSettings {
        ca_file: Some(nats.folder.join(format!("{name}.pem"))),
        ..settings(url)
    };
    let good = with_ca(&nats.tls_url(), "root");
    let ann = Node::connect(&good, 1).await.unwrap();
    Node::connect(&good, 2).await.unwrap().reply_to_all();
    let reply = ann.request(sticheln_cluster::NodeId(2), "TLS").await;
    assert_eq!(reply.unwrap(), "reply to TLS");

    let sentence = refused(&with_ca(&nats.tls_url(), "other")).await;
    assert!(sentence.contains("certificate"), "{sentence}");
    let other_name = nats.tls_url().replace("127.0.0.1", "localhost");
    let sentence = refused(&with_ca(&other_name, "root")).await;
    assert!(sentence.contains("not valid for name"), "{sentence}");

    let wrong = with_ca(&nats.tls_url().replace(PASSWORD, "wrong-secret"), "root");
    let sentence = refused(&wrong).await;
    assert!(sentence.contains("refuses the user"), "{sentence}");
    let file = nats.folder.join("password");
    fs::write(&file, format!("{PASSWORD}\n")).unwrap();
    let with_file = BusSettings {
        password_file: Some(file),
        ..wrong
    };
    verify(&server(&with_file)).await.unwrap();
}

#[tokio::test]
async fn tokens_are_verified() {
    let nats = Nats::with(&format!("authorization {{ token: '{PASSWORD}' }}"));
    let with = |token: &str| settings(&nats.url().replace("//", &format!("//:{token}@")));
    verify(&server(&with(PASSWORD))).await.unwrap();
    for wrong in [with("wrong-secret"), settings(&nats.url())] {
        let sentence = refused(&wrong).await;
        assert!(sentence.contains("the token"), "{sentence}");
    }
}

#[tokio::test]
async fn unusable_servers_are_refused() {
    let mut nats = Nats::with("max_payload: 100000");
    let sentence = refused(&settings(&nats.url())).await;
    assert!(
        sentence.contains("`max_payload` must be at least 524288"),
        "{sentence}"
    );
    let with_tls = BusSettings {
        ca_file: Some(
            concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/src/storage/postgres/test_ca.pem"
            )
            .into(),
        ),
        ..settings(&nats.url().replace("nats://", "tls://"))
    };
    let sentence = refused(&with_tls).await;
    assert!(sentence.contains("TLS"), "{sentence}");
    nats.stop();
    let sentence = refused(&settings(&nats.url())).await;
    assert!(sentence.contains("cannot be reached: "), "{sentence}");

    let user = format!(
        "authorization {{ users: [ {{ user: tests, password: '{PASSWORD}', \
         permissions: {{ publish: 'sticheln.*.node.*', subscribe: 'sticheln.>' }} }} ] }}"
    );
    let nats = Nats::with(&user);
    let url = nats.url().replace("//", &format!("//tests:{PASSWORD}@"));
    let sentence = refused(&settings(&url)).await;
    assert!(
        sentence.contains("subscribe to `sticheln.sticheln.>`"),
        "{sentence}"
    );
}

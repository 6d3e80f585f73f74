//! Certificates for the tests of TLS.

use std::path::Path;
use std::process::Command;

/// Creates a root certificate `root`, one for this machine that it has signed (`server`), and another root (`other`).
pub fn certificates(folder: &Path) {
    let path = |name: &str| folder.join(name);
    std::fs::write(path("config"), "[req]\ndistinguished_name = dn\n[dn]\n").unwrap();
    let create = |name: &str, extension: &str, signed_by: Option<&str>| {
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt"]);
        openssl.args(["ec_paramgen_curve:P-256", "-nodes", "-days", "2"]);
        openssl.args(["-subj", &format!("/CN={name}"), "-addext", extension]);
        openssl.arg("-config").arg(path("config"));
        openssl.arg("-keyout").arg(path(&format!("{name}.key")));
        openssl.arg("-out").arg(path(&format!("{name}.pem")));
        if let Some(root) = signed_by {
            openssl.arg("-CA").arg(path(&format!("{root}.pem")));
            openssl.arg("-CAkey").arg(path(&format!("{root}.key")));
        }
        let created = openssl.output().unwrap();
        assert!(created.status.success(), "{created:?}");
    };
    for root in ["root", "other"] {
        create(root, "basicConstraints=critical,CA:TRUE", None);
    }
    create("server", "subjectAltName=IP:127.0.0.1", Some("root"));
}

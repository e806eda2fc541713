//! An authority of the test's own, with what it signed for a server and for its clients.

use std::fs;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

/// The files of an authority, in the cluster's folder.
pub(super) struct Credentials {
    folder: PathBuf,
    authority: Issuer<'static, KeyPair>,
}

impl Credentials {
    /// Makes an authority, a server's certificate, a key for service accounts and the file of tokens.
    pub(super) fn make(folder: &Path) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let name = &mut parameters.distinguished_name;
        name.push(DnType::CommonName, "an authority of a test");
        let certificate = parameters.self_signed(&key).unwrap();
        fs::write(folder.join("ca.crt"), certificate.pem()).unwrap();
        let credentials = Self {
            folder: folder.to_owned(),
            authority: Issuer::new(parameters, key),
        };

        let names = ["127.0.0.1", "localhost"].map(str::to_owned).to_vec();
        let mut parameters = CertificateParams::new(names).unwrap();
        parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        credentials.sign("server", parameters);
        let accounts = KeyPair::generate().unwrap();
        fs::write(folder.join("accounts.key"), accounts.serialize_pem()).unwrap();
        fs::write(folder.join("accounts.pub"), accounts.public_key_pem()).unwrap();
        let tokens = format!(
            "{ADMIN},admin,admin,system:masters\n\
             {NODE_TOKEN},system:node:{TOKEN_NODE},{TOKEN_NODE},system:nodes\n"
        );
        fs::write(folder.join("tokens.csv"), tokens).unwrap();
        credentials
    }

    /// Writes a kubeconfig for a server, with the certificate that a node of this name has.
    pub(super) fn of_node(&self, node: &str, server: &str) -> PathBuf {
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let name = &mut parameters.distinguished_name;
        name.push(DnType::OrganizationName, "system:nodes");
        name.push(DnType::CommonName, format!("system:node:{node}"));
        self.sign(node, parameters);
        let user = format!("client-certificate: {node}.crt, client-key: {node}.key");
        self.kubeconfig(node, server, &user)
    }

    /// Writes a kubeconfig for a server, with a token.
    pub(super) fn of_token(&self, name: &str, token: &str, server: &str) -> PathBuf {
        self.kubeconfig(name, server, &format!("token: {token}"))
    }

    fn kubeconfig(&self, name: &str, server: &str, user: &str) -> PathBuf {
        let text = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: test\n\
             contexts: [{{name: test, context: {{cluster: test, user: test}}}}]\n\
             clusters: [{{name: test, cluster: {{server: '{server}', certificate-authority: ca.crt}}}}]\n\
             users: [{{name: test, user: {{{user}}}}}]\n"
        );
        let path = self.folder.join(format!("{name}.kubeconfig"));
        fs::write(&path, text).unwrap();
        path
    }

    fn sign(&self, name: &str, parameters: CertificateParams) {
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &self.authority).unwrap();
        let file = |end: &str| self.folder.join(format!("{name}.{end}"));
        fs::write(file("crt"), certificate.pem()).unwrap();
        fs::write(file("key"), key.serialize_pem()).unwrap();
    }
}

/// The token of the test itself, which may do everything.
pub(super) const ADMIN: &str = "the-token-of-the-test";

/// A token that stands for a node, and the node.
pub(super) const NODE_TOKEN: &str = "the-token-of-a-node";
pub(super) const TOKEN_NODE: &str = "node-with-a-token";

//! As whom an API server is asked: who that is, so that another one is noticed, and whether TLS can
//! be spoken with the certificate.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use kube::config::{AuthInfo, ExecConfig};
use podsapi_proto::json::parse_json;
use secrecy::ExposeSecret;
use sha2::{Digest, Sha256};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use webpki::{EndEntityCert, Error};

use super::plugin::Credentials;
use crate::regular;

/// Who asks, as the SHA-256 of what names them: the same for a certificate or a token that is a
/// renewal of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct User([u8; 32]);

impl User {
    /// Reads who the user is, and the certificate into memory.
    ///
    /// # Errors
    ///
    /// When TLS cannot be spoken with the certificate, in words.
    pub(super) fn of(user: &mut AuthInfo, plugin: Option<&ExecConfig>) -> Result<Self, String> {
        let subject = subject(user)?;
        let token = user.token.as_ref().map(|token| token.expose_secret());
        let mut sum = Sha256::new();
        let mut note = |kind: &str, text: &[u8]| {
            sum.update(kind);
            sum.update(text.len().to_be_bytes());
            sum.update(text);
        };
        if let Some(plugin) = plugin {
            let told = k8s_openapi::serde_json::to_vec(plugin);
            note("plugin", &told.unwrap_or_default());
        }
        if let Some(subject) = subject {
            note("subject", &subject);
        }
        if let Some(token) = token {
            match account(token) {
                Some(account) => note("account", account.as_bytes()),
                // Plugins print a new one each time, and which one is theirs to know.
                None if plugin.is_some() => {}
                None => note("token", token.as_bytes()),
            }
        }
        if let Some(name) = &user.username {
            note("name", name.as_bytes());
        }
        if let Some(name) = &user.impersonate {
            note("impersonated", name.as_bytes());
        }
        for group in user.impersonate_groups.iter().flatten() {
            note("group", group.as_bytes());
        }
        Ok(Self(sum.finalize().into()))
    }
}

/// Puts what a plugin printed in place of the plugin.
pub(super) fn put(user: &mut AuthInfo, credentials: &Credentials) {
    if let Some(token) = &credentials.token
        && user.token.is_none()
    {
        user.token = Some(token.clone().into());
    }
    if let Some((certificate, key)) = &credentials.certificate {
        user.client_certificate_data = Some(STANDARD.encode(certificate));
        user.client_key_data = Some(STANDARD.encode(key).into());
    }
}

/// Returns the subject of the client's certificate.
fn subject(user: &mut AuthInfo) -> Result<Option<Vec<u8>>, String> {
    let pem = |data: Option<&str>, file: Option<&String>| match data {
        Some(data) => STANDARD.decode(data).ok(),
        None => regular::read(Path::new(file?), PEM_LIMIT_BYTES).ok(),
    };
    let certificate = pem(
        user.client_certificate_data.as_deref(),
        user.client_certificate.as_ref(),
    );
    let key = user.client_key_data.as_ref().map(|key| key.expose_secret());
    let key = pem(key, user.client_key.as_ref());
    // What cannot be read, or is no PEM, the client library refuses with its own words.
    let (Some(certificate), Some(key)) = (certificate, key) else {
        return Ok(None);
    };
    let (Ok(first), Ok(first_key)) = (
        CertificateDer::from_pem_slice(&certificate),
        PrivateKeyDer::from_pem_slice(&key),
    ) else {
        return Ok(None);
    };
    if !matches!(first_key, PrivateKeyDer::Pkcs1(_))
        && first_key
            .secret_der()
            .windows(P521.len())
            .any(|part| part == P521)
    {
        return Err(P521_KEY.to_owned());
    }
    // As they were read here, so that certificate and key are of one moment.
    user.client_certificate_data = Some(STANDARD.encode(&certificate));
    user.client_key_data = Some(STANDARD.encode(&key).into());
    match EndEntityCert::try_from(&first) {
        Ok(read) => Ok(Some(read.subject().to_vec())),
        Err(Error::UnsupportedCertVersion) => Err(VERSION_1.to_owned()),
        Err(_) => Ok(None),
    }
}

/// Returns whose a token is that says so: who gave it, and to whom. It is not verified here.
fn account(token: &str) -> Option<String> {
    let payload = token.split('.').nth(1)?;
    let payload = URL_SAFE_NO_PAD.decode(payload).ok()?;
    let payload = parse_json(&payload).ok()?;
    let text = |key: &str| payload.get(key)?.as_str().map(str::to_owned);
    Some(format!("{}\0{}", text("iss")?, text("sub")?))
}

/// The object identifier of the curve P-521 (1.3.132.0.35), as keys have it.
const P521: [u8; 7] = [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23];

const P521_KEY: &str = "the client key is of the curve P-521, with which TLS is not spoken here; give \
                        one of P-256, P-384, Ed25519 or RSA";

const VERSION_1: &str = "the client certificate is of X.509 version 1, with which TLS is not spoken \
                         here; issue one of version 3 (openssl x509 makes one with -extfile)";

/// A chain of certificates has some kilobytes.
const PEM_LIMIT_BYTES: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn user(token: &str) -> AuthInfo {
        AuthInfo {
            token: Some(token.to_owned().into()),
            ..AuthInfo::default()
        }
    }

    fn web_token(payload: &str) -> String {
        format!("e30.{}.sum", URL_SAFE_NO_PAD.encode(payload))
    }

    #[test]
    fn a_renewed_token_is_the_same_user_and_another_one_is_not() {
        let of = |token: &str| User::of(&mut user(token), None).unwrap();
        let first = web_token(r#"{"iss":"a","sub":"system:serviceaccount:ns:n","exp":1}"#);
        let renewed = web_token(r#"{"iss":"a","sub":"system:serviceaccount:ns:n","exp":2}"#);
        let other = web_token(r#"{"iss":"a","sub":"system:serviceaccount:ns:o","exp":1}"#);
        assert_eq!(of(&first), of(&renewed));
        assert_ne!(of(&first), of(&other));
        assert_ne!(of("one"), of("two"));
        assert_ne!(of("one"), User::of(&mut AuthInfo::default(), None).unwrap());
    }

    #[test]
    fn a_renewed_certificate_is_the_same_user_and_another_one_is_not() {
        let of = |name: &str| {
            let mut parameters = rcgen::CertificateParams::new(vec!["n".to_owned()]).unwrap();
            let common = rcgen::DnType::CommonName;
            parameters.distinguished_name.push(common, name);
            let key = rcgen::KeyPair::generate().unwrap();
            let certificate = parameters.self_signed(&key).unwrap();
            let mut user = AuthInfo {
                client_certificate_data: Some(STANDARD.encode(certificate.pem())),
                client_key_data: Some(STANDARD.encode(key.serialize_pem()).into()),
                ..AuthInfo::default()
            };
            User::of(&mut user, None).unwrap()
        };
        assert_eq!(of("system:node:a"), of("system:node:a"));
        assert_ne!(of("system:node:a"), of("system:node:b"));
    }
}

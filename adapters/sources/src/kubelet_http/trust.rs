//! Whose certificates count.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{
    CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

use crate::regular;

/// Whose certificates count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Anybody's: whoever answers is believed.
    AnyCertificate,
    /// Those that an authority in this PEM file signed, for the host that is asked.
    AuthoritiesIn(PathBuf),
}

impl Trust {
    /// Returns how to open connections, with the authorities that are in the file now.
    pub(super) fn configuration(&self) -> Result<ClientConfig, TrustError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(TrustError::Tls)?;
        let mut configuration = match self {
            Self::AnyCertificate => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
                .with_no_client_auth(),
            Self::AuthoritiesIn(file) => {
                let failed = |text| TrustError::File(file.clone(), text);
                let content = regular::read(file, LIMIT_BYTES);
                let content = content.map_err(|error| failed(error.to_string()))?;
                let mut authorities = RootCertStore::empty();
                for certificate in CertificateDer::pem_slice_iter(&content) {
                    let certificate = certificate.map_err(|error| failed(error.to_string()))?;
                    let added = authorities.add(certificate);
                    added.map_err(|error| failed(error.to_string()))?;
                }
                if authorities.is_empty() {
                    return Err(failed(
                        "expected certificates in PEM, found none".to_owned(),
                    ));
                }
                builder
                    .with_root_certificates(authorities)
                    .with_no_client_auth()
            }
        };
        configuration.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(configuration)
    }
}

/// Why no certificate can be checked.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TrustError {
    /// The file of the authorities, and what is wrong with it.
    File(PathBuf, String),
    /// The library has no protocol in common with its own defaults.
    Tls(Error),
}

impl fmt::Display for TrustError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, text) => write!(f, "{}: {text}", path.display()),
            Self::Tls(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TrustError {}

/// Accepts any certificate; that its owner has the key is checked all the same.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.0.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}

/// A bundle of all public authorities has a quarter of this.
const LIMIT_BYTES: u64 = 1 << 20;

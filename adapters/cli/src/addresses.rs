//! The addresses by which this node is known to others.

use std::net::{IpAddr, SocketAddr, UdpSocket};

/// Returns the addresses that this node would send from to the world outside, IPv4 first.
///
/// Nothing is sent: a datagram socket that is connected has chosen its own address. Empty where there
/// is no route out.
pub(crate) fn own() -> Vec<IpAddr> {
    let outside = ["192.0.2.1:9", "[2001:db8::1]:9"];
    outside.into_iter().filter_map(towards).collect()
}

/// The destinations are addresses of documentation, which routers leave to the default route.
fn towards(outside: &str) -> Option<IpAddr> {
    let outside: SocketAddr = outside.parse().ok()?;
    let any = if outside.is_ipv4() {
        "0.0.0.0:0"
    } else {
        "[::]:0"
    };
    let socket = UdpSocket::bind(any).ok()?;
    socket.connect(outside).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_unspecified() && !own.is_loopback()).then_some(own)
}

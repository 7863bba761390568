//! Addresses of the local network.

use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};

use url::{Host, Url};

/// Whether a page comes from this machine or its local network. A name counts if every address that
/// it resolves to is local.
pub fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => is_local_address(address.into()),
        Some(Host::Ipv6(address)) => is_local_address(address.into()),
        Some(Host::Domain(name)) => {
            // Browsers resolve these names to loopback addresses themselves.
            if name == "localhost" || name.ends_with(".localhost") {
                return true;
            }
            let port = url.port_or_known_default().unwrap_or_default();
            let Ok(resolved) = (name, port).to_socket_addrs() else { return false };
            let addresses: Vec<IpAddr> = resolved.map(|address| address.ip()).collect();
            !addresses.is_empty() && addresses.into_iter().all(is_local_address)
        }
        None => false,
    }
}

fn is_local_address(address: IpAddr) -> bool {
    let is_local_v4 = |address: Ipv4Addr| {
        address.is_loopback()
            || address.is_private()
            || address.is_link_local()
            || address.is_unspecified()
    };
    match address {
        IpAddr::V4(address) => is_local_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(mapped) => is_local_v4(mapped),
            None => {
                address.is_loopback()
                    || address.is_unspecified()
                    || address.is_unique_local()
                    || address.is_unicast_link_local()
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::is_local;

    #[test]
    fn loopback_and_private_addresses_are_local() {
        for (address, expected) in [
            ("http://127.0.0.1:8080/", true),
            ("http://localhost/", true),
            ("http://app.localhost:3000/", true),
            ("http://0.0.0.0/", true),
            ("http://192.168.1.7/", true),
            ("http://169.254.1.1/", true),
            ("http://[::1]/", true),
            ("http://[::ffff:10.0.0.1]/", true),
            ("http://[fd00::1]/", true),
            ("http://203.0.113.7/", false),
            ("http://[2001:db8::1]/", false),
            ("http://[::ffff:203.0.113.7]/", false),
            ("data:text/plain,x", false),
        ] {
            assert_eq!(is_local(&Url::parse(address).expect("an address")), expected, "{address}");
        }
    }
}

//! Giving up every capability, in a way that the start of another program does not undo.

use rustix::thread::{self, CapabilitiesSecureBits, CapabilitySet, CapabilitySets};

use super::{Broken, Step};

/// Capabilities the kernel may know; it answers "invalid" from its own last one on.
const MOST: u32 = 63;

/// Leaves this process without capabilities, and without a way to get any: not from its bounding
/// set, not by being the superuser, not from a file.
pub(super) fn drop_all() -> Result<(), Broken> {
    let step = "the loss of capabilities";
    let held = thread::capabilities(None).step(step)?;
    if held.effective.contains(CapabilitySet::SETPCAP) {
        thread::set_capabilities_secure_bits(locked()).step(step)?;
        for number in 0..=MOST {
            let capability = CapabilitySet::from_bits_retain(1 << number);
            match thread::remove_capability_from_bounding_set(capability) {
                Err(rustix::io::Errno::INVAL) => break,
                done => done.step(step)?,
            }
        }
    }
    let none = CapabilitySet::empty();
    let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
    thread::clear_ambient_capability_set().step(step)?;
    thread::set_capabilities(None, none).step(step)
}

fn locked() -> CapabilitiesSecureBits {
    CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED
}

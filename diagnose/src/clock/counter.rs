//! The processor's counter, and whether it can be trusted.
//!
//! Unsafe is kept in this file: reading a counter register takes an intrinsic or an assembly
//! instruction.

#![allow(unsafe_code)]

/// Reads the counter. Meaningful only if [`trusted`] returned a name.
#[cfg_attr(not(debug_assertions), inline(always))]
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(super) fn read() -> u64 {
    // SAFETY: `rdtsc` exists on every x86-64 processor and touches no memory. The kernel can forbid
    // it in user mode (`PR_SET_TSC`). `trusted` is called first, so a program would have to forbid
    // it afterwards.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Reads the counter. Meaningful only if [`trusted`] returned a name.
#[cfg_attr(not(debug_assertions), inline(always))]
#[cfg(all(target_arch = "aarch64", not(miri)))]
pub(super) fn read() -> u64 {
    let ticks: u64;
    // SAFETY: `cntvct_el0` is readable in user mode on Linux and macOS, has no side effect and
    // touches no memory.
    unsafe {
        core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
    };
    ticks
}

/// There is no counter here. Never called, because [`trusted`] returns `None`.
#[cfg_attr(not(debug_assertions), inline(always))]
#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(super) fn read() -> u64 {
    1
}

/// The counter's name if all cores agree on it and it runs at one speed, else `None`.
///
/// On x86-64 the kernel decides. It watches the counter against other clocks, and removes it from
/// its list of clock sources when it misbehaves. Inside a virtual machine the host's clock source
/// may be in use. That source is itself computed from the counter, which stays on the list while it
/// is good.
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
pub(super) fn trusted() -> Option<&'static str> {
    let read = |file: &str| {
        std::fs::read_to_string(format!("/sys/devices/system/clocksource/clocksource0/{file}"))
            .unwrap_or_default()
    };
    let trusted = match read("current_clocksource").trim() {
        "tsc" => true,
        "kvm-clock" => read("available_clocksource").split_whitespace().any(|source| source == "tsc"),
        _ => false,
    };
    trusted.then_some("tsc")
}

/// The architectural counter is shared by all cores by definition.
#[cfg(all(target_arch = "aarch64", any(target_os = "linux", target_os = "macos"), not(miri)))]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere there may be none")]
pub(super) fn trusted() -> Option<&'static str> {
    Some("cntvct")
}

/// No trusted counter is known on this target.
#[cfg(any(
    miri,
    not(any(
        all(target_arch = "x86_64", target_os = "linux"),
        all(target_arch = "aarch64", any(target_os = "linux", target_os = "macos"))
    ))
))]
pub(super) fn trusted() -> Option<&'static str> {
    None
}

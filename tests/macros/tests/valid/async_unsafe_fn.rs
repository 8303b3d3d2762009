//! An async unsafe function.

use diagnose::diagnose;

/// # Safety
/// `number` must point to a number.
#[diagnose]
async unsafe fn read(number: *const u32) -> u32 {
    unsafe { *number }
}

#[test]
fn an_async_function_may_be_unsafe() {
    assert_eq!(diagnose_macros_tests::run(unsafe { read(&7) }), 7);
}

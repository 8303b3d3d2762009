//! The memory of the program's statics.

use std::ops::Range;

/// The memory of the statics of the program and its libraries. `None` if the system does not report
/// it.
#[derive(Debug)]
pub(super) struct Statics(Option<Vec<Range<usize>>>);

impl Statics {
    pub(super) fn read() -> Self {
        // The paths of the files may be of any bytes.
        let maps = std::fs::read("/proc/self/maps").ok();
        Self(maps.map(|maps| Self::of(&String::from_utf8_lossy(&maps))))
    }

    /// Finds the writable parts of mapped files. Memory that was zero at the start, such as a lock
    /// that is made later, has no file. That memory directly follows such a part.
    fn of(maps: &str) -> Vec<Range<usize>> {
        let mut all: Vec<Range<usize>> = Vec::new();
        for (range, is_writable, path) in maps.lines().filter_map(mapping) {
            match all.last_mut() {
                Some(last) if is_writable && path.is_empty() && last.end == range.start => {
                    last.end = range.end;
                }
                _ if is_writable && path.starts_with('/') => all.push(range),
                _ => {}
            }
        }
        all
    }

    /// Returns whether the address may be in a static. Any may be, if unknown.
    pub(super) fn has(&self, address: usize) -> bool {
        self.0.as_ref().is_none_or(|all| all.iter().any(|range| range.contains(&address)))
    }
}

/// A line of `/proc/self/maps`: addresses, whether they are writable, and the file.
fn mapping(line: &str) -> Option<(Range<usize>, bool, &str)> {
    let (addresses, rest) = line.split_once(' ')?;
    let (start, end) = addresses.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    let mut fields = rest.splitn(5, ' ');
    let rights = fields.next()?;
    let path = fields.nth(3).unwrap_or_default();
    Some((address(start)?..address(end)?, rights.contains('w'), path.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::Statics;

    #[cfg(target_pointer_width = "64")]
    const MAPS: &str = "\
55a0c0000000-55a0c0010000 r-xp 00000000 fe:00 263 /srv/shop
55a0c0010000-55a0c0011000 r--p 00010000 fe:00 263 /srv/shop
55a0c0011000-55a0c0012000 rw-p 00011000 fe:00 263                       /srv/shop
55a0c0012000-55a0c0014000 rw-p 00000000 00:00 0
55a0c1000000-55a0c1021000 rw-p 00000000 00:00 0                          [heap]
7f2a80000000-7f2a80021000 rw-p 00000000 00:00 0
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]
";

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn statics_are_in_writable_parts_of_files_and_behind_them() {
        let statics = Statics(Some(Statics::of(MAPS)));
        let has = |address| statics.has(address);
        assert!(
            [0x55a0_c001_1000, 0x55a0_c001_1fff, 0x55a0_c001_2000, 0x55a0_c001_3fff].into_iter().all(has)
        );
        let others =
            [0x55a0_c001_0000, 0x55a0_c001_4000, 0x55a0_c100_0000, 0x7f2a_8000_0000, 0x7ffd_0000_0000];
        assert!(!others.into_iter().any(has));
    }

    #[test]
    fn any_address_may_be_in_a_static_if_none_is_known() {
        assert!(Statics(None).has(1));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn statics_of_this_program_are_found_and_boxes_are_not() {
        use std::sync::OnceLock;
        use std::sync::atomic::AtomicU64;

        static INITIALIZED: AtomicU64 = AtomicU64::new(1);
        static LATER: OnceLock<[u64; 4]> = OnceLock::new();
        let later = LATER.get_or_init(|| [7; 4]);
        let (boxed, on_stack) = (Box::new(1_u64), 1_u64);
        let statics = Statics::read();
        assert!(statics.has(std::ptr::from_ref(&INITIALIZED).addr()));
        assert!(statics.has(std::ptr::from_ref(later).addr()));
        assert!(!statics.has(std::ptr::from_ref(&*boxed).addr()));
        assert!(!statics.has(std::ptr::from_ref(&on_stack).addr()));
    }
}

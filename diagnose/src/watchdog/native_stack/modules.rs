//! The executable and the libraries of this process, with their unwind tables. They are read from
//! the process's own memory.
//!
//! ```text
//! /proc/self/maps   which files are mapped where
//! /proc/self/mem    their ELF headers ─▶ PT_GNU_EH_FRAME ─▶ .eh_frame_hdr ─▶ .eh_frame
//! ```
//! Both are files. So this takes no lock of the dynamic linker, which a stuck thread may hold, and
//! a read of memory that was unmapped in the meantime is an error. Nothing is cached, because an
//! alarm with a stack is rare.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

/// Unwind tables larger than this are not read.
const MAX_TABLE: u64 = 256 << 20;

const PT_LOAD: u32 = 1;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;

/// A loaded module. All addresses are those of this process.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) name: String,
    /// Addresses from its first to its last mapped byte.
    pub(super) range: Range<u64>,
    /// Address at which its file begins.
    pub(super) base: u64,
    /// The section `.eh_frame_hdr`: a sorted index of the functions.
    pub(super) index: Vec<u8>,
    pub(super) index_range: Range<u64>,
    /// The section `.eh_frame`.
    pub(super) frames: Vec<u8>,
    pub(super) frames_range: Range<u64>,
}

/// Returns every module that has unwind tables and can be read.
pub(super) fn loaded() -> Vec<Loaded> {
    // The paths may be of any bytes.
    let Ok(maps) = std::fs::read("/proc/self/maps") else { return Vec::new() };
    let maps = String::from_utf8_lossy(&maps);
    let Ok(memory) = File::open("/proc/self/mem") else { return Vec::new() };
    let memory = OwnMemory(memory);
    files(&maps).into_iter().filter_map(|(name, range)| memory.module(name, range)).collect()
}

/// Returns names and address ranges of mapped files, from the text of `/proc/self/maps`.
fn files(maps: &str) -> Vec<(String, Range<u64>)> {
    let mut files: Vec<(String, Range<u64>)> = Vec::new();
    for line in maps.lines() {
        let mut words = line.splitn(6, ' ');
        let Some((start, end)) = words.next().and_then(|range| range.split_once('-')) else { continue };
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let (Some(start), Some(end)) = (number(start), number(end)) else { continue };
        let offset = words.nth(1).and_then(number);
        let name = words.nth(2).unwrap_or_default().trim();
        if !name.starts_with('/') && name != "[vdso]" {
            continue;
        }
        match files.last_mut().filter(|(last, _)| last == name) {
            Some((_, range)) if offset != Some(0) => range.end = end,
            _ => files.push((name.to_owned(), start..end)),
        }
    }
    files
}

/// The memory of this process, as a file.
struct OwnMemory(File);

/// A program header.
struct ProgramHeader {
    kind: u32,
    offset: u64,
    address: u64,
    size: u64,
}

impl OwnMemory {
    fn read(&self, address: u64, size: u64) -> Option<Vec<u8>> {
        if size > MAX_TABLE {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(size).ok()?];
        self.0.read_exact_at(&mut bytes, address).ok()?;
        Some(bytes)
    }

    fn module(&self, name: String, range: Range<u64>) -> Option<Loaded> {
        let segments = self.segments(range.start)?;
        let first = segments.iter().find(|segment| segment.kind == PT_LOAD)?;
        // The difference between an address in memory and one in the file.
        let bias = range.start.wrapping_sub(first.address.wrapping_sub(first.offset));
        let index = segments.iter().find(|segment| segment.kind == PT_GNU_EH_FRAME)?;
        let index_start = bias.wrapping_add(index.address);
        let index_bytes = self.read(index_start, index.size)?;
        let frames_start = frames_address(&index_bytes, index_start)?;
        let holds = |segment: &&ProgramHeader| {
            let start = bias.wrapping_add(segment.address);
            segment.kind == PT_LOAD && (start..start.wrapping_add(segment.size)).contains(&frames_start)
        };
        let segment = segments.iter().find(holds)?;
        let end = bias.wrapping_add(segment.address).wrapping_add(segment.size);
        let mut frames = self.read(frames_start, end - frames_start)?;
        frames.truncate(table_size(&frames));
        frames.shrink_to_fit();
        let frames_range = frames_start..frames_start + frames.len() as u64;
        let index_range = index_start..index_start + index.size;
        Some(Loaded { name, base: range.start, range, index: index_bytes, index_range, frames, frames_range })
    }

    /// Reads the program headers of the ELF file that is mapped at `base`.
    fn segments(&self, base: u64) -> Option<Vec<ProgramHeader>> {
        let header = self.read(base, 64)?;
        // The magic number, and 64 bits.
        if header.get(..5)? != b"\x7fELF\x02" {
            return None;
        }
        let (start, size, count) = (u64_at(&header, 32)?, u16_at(&header, 54)?, u16_at(&header, 56)?);
        let bytes = self.read(base.checked_add(start)?, u64::from(size) * u64::from(count))?;
        let segment = |bytes: &[u8]| {
            let (kind, offset) = (u32_at(bytes, 0)?, u64_at(bytes, 8)?);
            Some(ProgramHeader { kind, offset, address: u64_at(bytes, 16)?, size: u64_at(bytes, 40)? })
        };
        bytes.chunks(usize::from(size).max(1)).map(segment).collect()
    }
}

/// Returns the address of `.eh_frame`, from the head of `.eh_frame_hdr` at `address`.
fn frames_address(index: &[u8], address: u64) -> Option<u64> {
    // Version 1, and the address as a signed 32-bit difference from its own position. All linkers
    // write this form.
    if index.get(..2)? != [1, 0x1b] {
        return None;
    }
    let difference = i32::from_ne_bytes(index.get(4..8)?.try_into().ok()?);
    Some((address + 4).wrapping_add_signed(i64::from(difference)))
}

/// Returns the length of the entries in bytes. Each begins with its length, and the last one is
/// zero.
fn table_size(frames: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let next = match u32_at(frames, at) {
            None => return frames.len(),
            Some(0) => return at + 4,
            Some(u32::MAX) => {
                let length = u64_at(frames, at + 4).and_then(|length| usize::try_from(length).ok());
                length.and_then(|length| length.checked_add(at + 12))
            }
            Some(length) => usize::try_from(length).ok().and_then(|length| length.checked_add(at + 4)),
        };
        match next {
            Some(next) if next <= frames.len() => at = next,
            _ => return frames.len(),
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{files, loaded, table_size};

    #[test]
    fn mappings_of_one_file_are_one_module() {
        let maps = "\
            1000-2000 r--p 00000000 fe:00 7 /bin/a b\n\
            2000-5000 r-xp 00001000 fe:00 7 /bin/a b\n\
            5000-6000 rw-p 00000000 00:00 0 \n\
            7000-8000 r--p 00000000 fe:00 8                          /lib/c.so\n\
            8000-9000 r--p 00000000 fe:00 8                          /lib/c.so\n\
            a000-b000 rw-p 00000000 00:00 0                          [heap]\n\
            c000-d000 r-xp 00000000 00:00 0                          [vdso]\n";
        let names: Vec<(&str, u64, u64)> = vec![
            ("/bin/a b", 0x1000, 0x5000),
            ("/lib/c.so", 0x7000, 0x8000),
            ("/lib/c.so", 0x8000, 0x9000),
            ("[vdso]", 0xc000, 0xd000),
        ];
        let files = files(maps);
        let files: Vec<_> =
            files.iter().map(|(name, range)| (name.as_str(), range.start, range.end)).collect();
        assert_eq!(files, names);
    }

    #[test]
    fn this_program_has_unwind_tables() {
        let modules = loaded();
        let own = std::env::current_exe().unwrap();
        let own =
            modules.iter().find(|module| own == std::path::Path::new(&module.name)).expect("it is there");
        assert!(own.range.contains(&own.frames_range.start) && own.frames.len() > 1000);
        assert!(modules.iter().any(|module| module.name == "[vdso]"), "{:?}", modules.len());
    }

    #[test]
    fn a_table_ends_with_its_terminator_or_with_the_bytes() {
        assert_eq!(table_size(&[4, 0, 0, 0, 9, 9, 9, 9, 0, 0, 0, 0, 7, 7]), 12);
        assert_eq!(table_size(&[4, 0, 0, 0, 9, 9]), 6);
        assert_eq!(table_size(&[0xff; 12]), 12);
        assert_eq!(table_size(&[]), 0);
    }
}

//! Unwinds a copy of registers and stack to the addresses of the functions, with `framehop`.
//!
//! The unwind tables are read from the memory of this process, through the file `/proc/self/mem`.
//! So if a module is unloaded in the meantime, the read fails without a fault. If the tables cannot
//! be read, only the interrupted address is known.

use framehop::{CacheNative, ExplicitModuleSectionInfo, Module, Unwinder as _, UnwinderNative};

use super::modules::{self, Loaded};

/// Maximum number of frames kept; the innermost ones are.
const MAX_FRAMES: usize = 128;

#[derive(Debug, Clone, Copy)]
pub(super) struct Registers {
    pub(super) instruction: u64,
    pub(super) stack_pointer: u64,
    pub(super) frame_pointer: u64,
    /// The return address that a call leaves in a register; 0 where it is on the stack.
    pub(super) link: u64,
}

/// The copy of a thread.
#[derive(Debug)]
pub(super) struct Copied {
    pub(super) registers: Registers,
    /// The stack in words, from the stack pointer toward the outermost frame.
    pub(super) stack: Vec<u64>,
}

impl Copied {
    fn word(&self, address: u64) -> Result<u64, ()> {
        let offset = address.checked_sub(self.registers.stack_pointer).ok_or(())?;
        let index = usize::try_from(offset / 8).map_err(|_| ())?;
        let word = self.stack.get(index).copied().ok_or(())?;
        match offset % 8 {
            0 => Ok(word),
            // A word of an unaligned stack is made of parts of two words.
            bytes => {
                let next = self.stack.get(index + 1).copied().ok_or(())?;
                Ok(word >> (8 * bytes) | next << (64 - 8 * bytes))
            }
        }
    }
}

/// Returns the code addresses of the thread, innermost first. Each lies inside the running
/// instruction, or inside the call.
pub(super) fn addresses(copied: &Copied) -> Vec<usize> {
    let mut unwinder = UnwinderNative::<Vec<u8>, _>::new();
    for loaded in modules::loaded() {
        unwinder.add_module(module(loaded));
    }
    let Registers { instruction, stack_pointer, frame_pointer, link } = copied.registers;
    #[cfg(target_arch = "x86_64")]
    let registers = {
        let _ = link;
        framehop::UnwindRegsNative::new(instruction, stack_pointer, frame_pointer)
    };
    #[cfg(target_arch = "aarch64")]
    let registers = framehop::UnwindRegsNative::new(link, stack_pointer, frame_pointer);
    let mut cache = CacheNative::<_>::new();
    let mut read = |address| copied.word(address);
    let mut frames = unwinder.iter_frames(instruction, registers, &mut cache, &mut read);
    let mut addresses = Vec::new();
    while addresses.len() < MAX_FRAMES {
        // An error marks the end of the readable part.
        let Ok(Some(frame)) = frames.next() else { break };
        addresses.extend(usize::try_from(frame.address_for_lookup()));
    }
    addresses
}

fn module(loaded: Loaded) -> Module<Vec<u8>> {
    let Loaded { name, range, base, index, index_range, frames, frames_range } = loaded;
    let sections = ExplicitModuleSectionInfo {
        base_svma: base,
        eh_frame_hdr_svma: Some(index_range),
        eh_frame_hdr: Some(index),
        eh_frame_svma: Some(frames_range),
        eh_frame: Some(frames),
        ..ExplicitModuleSectionInfo::default()
    };
    Module::new(name, range, base, sections)
}

#[cfg(test)]
mod tests {
    use super::{Copied, Registers};

    #[test]
    fn a_word_is_read_where_it_lies_and_none_beyond_the_copy() {
        let registers = Registers { instruction: 0, stack_pointer: 0x1000, frame_pointer: 0, link: 0 };
        let copied = Copied { registers, stack: vec![0x0807_0605_0403_0201, 0x100f_0e0d_0c0b_0a09] };
        assert_eq!(copied.word(0x1008), Ok(0x100f_0e0d_0c0b_0a09));
        assert_eq!(copied.word(0x1003), Ok(0x0b0a_0908_0706_0504));
        assert_eq!(copied.word(0x0ff8), Err(()));
        assert_eq!(copied.word(0x1009), Err(()));
        assert_eq!(copied.word(u64::MAX), Err(()));
    }
}

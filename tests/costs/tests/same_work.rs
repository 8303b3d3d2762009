//! Each program does the same work bare, annotated, and with drop-ins.

use diagnose_costs::program::Way;
use diagnose_costs::programs::PROGRAMS;

/// A small size that is a multiple of every program's width.
const SIZE: u64 = 256;

#[test]
fn every_way_of_a_program_does_as_many_operations() {
    for program in PROGRAMS {
        for way in Way::ALL {
            assert_eq!(program.run(way, SIZE), SIZE, "{} {}", program.name, way.name());
        }
    }
}

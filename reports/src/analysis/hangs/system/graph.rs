//! A least fixed point over gates: what opens, if nothing opens without a reason.
//!
//! ```text
//! gate    opens once the weights of its open inputs add up to what it needs: 1 for "any of them", their number for "all"
//! meter   never opens; its level is what it starts with and the weights of its open inputs, and each of its outputs is a gate
//!         that opens at a level of its own
//! ```
//! Meters are there for locks: a thousand holders and a thousand waiters are two thousand wires and not a million. A wire is
//! looked at once, when the gate at its beginning opens, so all of it is linear, but for the sorting of levels. Gates only
//! ever open: what is left closed is the complement of the least fixed point, in whatever order they are looked at.

use crate::analysis::hangs::facts::step;
use crate::lists::Lists;

/// Index of a gate or meter.
pub(crate) type Gate = usize;

/// Gates, meters, and what they are wired to.
#[derive(Debug, Default)]
pub(crate) struct Gates {
    /// What a gate still needs; of a meter, its level.
    numbers: Vec<u64>,
    is_meter: Vec<bool>,
    wires: Vec<Wire>,
}

#[derive(Debug, Clone, Copy)]
struct Wire {
    from: Gate,
    to: Gate,
    /// What it adds to a gate or meter at its end; if it begins at a meter, the level at which the gate opens.
    weight: u64,
    /// It is a way out that nobody waits for: what stays closed is not explained by it.
    is_aside: bool,
}

/// What has opened, and the wires between what has not.
#[derive(Debug)]
pub(crate) struct Solved {
    is_open: Vec<bool>,
    /// The closed inputs of each closed gate and meter, but for those aside.
    pub(crate) inputs: Lists,
    /// The closed outputs of each closed gate and meter, but for those aside.
    pub(crate) outputs: Lists,
}

impl Gates {
    /// A gate that opens at `needs`; at zero it is open from the beginning.
    pub(crate) fn gate(&mut self, needs: u64) -> Gate {
        self.numbers.push(needs);
        self.is_meter.push(false);
        self.numbers.len() - 1
    }

    /// A meter with a level to start with.
    pub(crate) fn meter(&mut self, level: u64) -> Gate {
        self.numbers.push(level);
        self.is_meter.push(true);
        self.numbers.len() - 1
    }

    /// Changes what a gate needs.
    pub(crate) fn set(&mut self, gate: Gate, needs: u64) {
        self.numbers[gate] = needs;
    }

    /// Adds one to what a gate needs, and a wire that gives it: one more of "all".
    pub(crate) fn require(&mut self, gate: Gate, input: Gate) {
        self.numbers[gate] = self.numbers[gate].saturating_add(1);
        self.wire(input, gate, 1);
    }

    /// `from`, once open, gives `weight` to `to`; from a meter, `to` gets 1 at the level `weight`.
    pub(crate) fn wire(&mut self, from: Gate, to: Gate, weight: u64) {
        step();
        self.wires.push(Wire { from, to, weight, is_aside: false });
    }

    /// The same between gates, but it is not listed among what a closed gate waits for.
    pub(crate) fn wire_aside(&mut self, from: Gate, to: Gate) {
        step();
        self.wires.push(Wire { from, to, weight: 1, is_aside: true });
    }

    /// The same, and the gate needs nothing else then.
    pub(crate) fn override_aside(&mut self, from: Gate, to: Gate) {
        step();
        self.wires.push(Wire { from, to, weight: u64::MAX, is_aside: true });
    }

    /// How many gates and meters there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Opens what can open.
    pub(crate) fn solve(&self) -> Solved {
        let is_open = Run::new(self).run();
        let closed = |wire: &&Wire| !is_open[wire.from] && !is_open[wire.to] && !wire.is_aside;
        let inputs = Lists::new(
            self.len(),
            self.wires.iter().filter(closed).inspect(|_| step()).map(|wire| (wire.to, wire.from)),
        );
        let outputs = Lists::new(
            self.len(),
            self.wires.iter().filter(closed).inspect(|_| step()).map(|wire| (wire.from, wire.to)),
        );
        Solved { is_open, inputs, outputs }
    }
}

impl Solved {
    /// Whether the gate has opened.
    pub(crate) fn is_open(&self, gate: Gate) -> bool {
        self.is_open.get(gate).copied().unwrap_or(true)
    }
}

/// The worklist.
struct Run<'a> {
    gates: &'a Gates,
    numbers: Vec<u64>,
    /// Wires by their beginning; those of a meter by their level.
    outputs: Lists,
    /// How many outputs of a meter have had their level.
    passed: Vec<usize>,
    open: Vec<bool>,
    worklist: Vec<Gate>,
}

impl<'a> Run<'a> {
    fn new(gates: &'a Gates) -> Self {
        let pairs = gates.wires.iter().enumerate().map(|(number, wire)| (wire.from, number));
        let mut outputs = Lists::new(gates.len(), pairs);
        for meter in (0..gates.len()).filter(|&gate| gates.is_meter[gate]) {
            let range = outputs.starts[meter]..outputs.starts[meter + 1];
            outputs.items[range].sort_by_key(|&number| gates.wires[number].weight);
        }
        Self {
            gates,
            numbers: gates.numbers.clone(),
            outputs,
            passed: vec![0; gates.len()],
            open: vec![false; gates.len()],
            worklist: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<bool> {
        for gate in 0..self.gates.len() {
            if self.gates.is_meter[gate] {
                self.raise(gate, 0);
            } else if self.numbers[gate] == 0 {
                self.open(gate);
            }
        }
        while let Some(gate) = self.worklist.pop() {
            let (start, end) = (self.outputs.starts[gate], self.outputs.starts[gate + 1]);
            for index in start..end {
                step();
                let Wire { to, weight, .. } = self.gates.wires[self.outputs.items[index]];
                if self.gates.is_meter[to] {
                    self.raise(to, weight);
                } else {
                    self.give(to, weight);
                }
            }
        }
        self.open
    }

    /// Raises the level of a meter, and gives to the outputs that it reaches.
    fn raise(&mut self, meter: Gate, weight: u64) {
        self.numbers[meter] = self.numbers[meter].saturating_add(weight);
        while let Some(&number) = self.outputs.of(meter).get(self.passed[meter]) {
            let wire = self.gates.wires[number];
            if wire.weight > self.numbers[meter] {
                break;
            }
            step();
            self.passed[meter] += 1;
            self.give(wire.to, 1);
        }
    }

    fn give(&mut self, gate: Gate, weight: u64) {
        self.numbers[gate] = self.numbers[gate].saturating_sub(weight);
        if self.numbers[gate] == 0 {
            self.open(gate);
        }
    }

    fn open(&mut self, gate: Gate) {
        if !self.open[gate] {
            self.open[gate] = true;
            self.worklist.push(gate);
        }
    }
}

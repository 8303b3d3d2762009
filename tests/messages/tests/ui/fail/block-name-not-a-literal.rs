fn main() {
    let name = "parse";
    drop(diagnose::block!(name, async {}));
}

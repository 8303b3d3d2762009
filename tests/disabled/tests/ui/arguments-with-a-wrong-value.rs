use diagnose::diagnose;

#[diagnose(name = work)]
async fn name() {}

#[diagnose(label)]
async fn label() {}

#[diagnose(root = true)]
async fn root() {}

#[diagnose(awaits = 1)]
async fn awaits() {}

#[diagnose(root skip)]
async fn no_comma() {}

fn main() {}

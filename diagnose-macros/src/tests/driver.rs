#[diagnose(label = "{port}")]
fn main(port: u16) {
    let body = serve(port);
    {
        return build().expect("a runtime").block_on(body);
    }
}

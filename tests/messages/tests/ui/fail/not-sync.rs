use diagnose::diagnose;

#[diagnose]
async fn work(cell: std::cell::Cell<u32>) {
    std::future::ready(()).await;
    cell.set(1);
}

fn caller() {
    fn is_sync<T: Sync>(_: T) {}
    is_sync(work(std::cell::Cell::new(1)));
}

fn main() {}

use diagnose::diagnose;

#[diagnose]
async fn work(shared: std::rc::Rc<u32>) {
    std::future::ready(()).await;
    drop(shared);
}

fn caller() {
    fn is_send<T: Send>(_: T) {}
    is_send(work(std::rc::Rc::new(1)));
}

fn main() {}

//! `#[diagnose]` on an inline module times everything async in it, however deep.

use diagnose_macros_tests::{calls, run};

#[diagnose::diagnose]
mod work {
    pub(super) async fn outer() -> u32 {
        deeper::inner().await + Part.size().await + left_out() + opted_out().await
    }

    fn left_out() -> u32 {
        1
    }

    #[diagnose::diagnose(skip)]
    async fn opted_out() -> u32 {
        std::future::ready(0).await
    }

    pub(super) struct Part;

    impl Part {
        pub(super) async fn size(&self) -> u32 {
            3
        }
    }

    mod deeper {
        pub(super) async fn inner() -> u32 {
            counted()
        }

        #[diagnose::diagnose(name = "counts")]
        fn counted() -> u32 {
            5
        }
    }

    #[diagnose::diagnose(skip)]
    pub(super) mod quiet {
        pub(in super::super) async fn unseen() {
            std::future::ready(()).await;
        }
    }

    #[diagnose::diagnose(all)]
    pub(super) mod loud {
        pub(in super::super) fn seen() {}

        pub(in super::super) fn not_pinned() -> Box<dyn Future<Output = ()>> {
            Box::new(async {})
        }
    }
}

#[test]
fn functions_in_an_annotated_module_are_timed() {
    assert_eq!(run(work::outer()), 9);
    run(work::quiet::unseen());
    work::loud::seen();
    run(Box::into_pin(work::loud::not_pinned()));
    assert_eq!(calls("counts"), ["1 counts < inner < outer"]);
    assert_eq!(calls("Part::size"), ["1 Part::size < outer"]);
    assert_eq!(calls("seen"), ["1 seen"]);
    for left_out in ["left_out", "opted_out", "unseen", "not_pinned"] {
        assert!(calls(left_out).is_empty(), "{left_out}");
    }
}

fn selects() -> impl ::core::future::Future<Output = ()> {
    static __DIAGNOSE_SITE: ::diagnose::__private::Site = ::diagnose::__private::Site::new(
        ::diagnose::__private::Kind::Fn,
        "selects",
        ::core::module_path!(),
        ::core::file!(),
        ::core::line!(),
        ::core::column!(),
    );
    ::diagnose::__private::Timed::new(
        &__DIAGNOSE_SITE,
        ::diagnose::__private::Label::NONE,
        async move {
            if false {
                return;
            }
            let (a, b) = tokio::join!(
                ::diagnose::__private::arm({ static AWAIT : ::diagnose::__private::Await
                = ::diagnose::__private::Await::new(& AWAIT, & __DIAGNOSE_SITE, "one()",
                ::core::module_path!(), ::core::file!(), ::core::line!(),
                ::core::column!(), 3u32, 36u32,).joined(); & AWAIT }, one()), { static
                __DIAGNOSE_SITE : ::diagnose::__private::Site =
                ::diagnose::__private::Site::new(::diagnose::__private::Kind::Block,
                "{block}", ::core::module_path!(), ::core::file!(), ::core::line!(),
                ::core::column!(),); ::diagnose::__private::Timed::new(& __DIAGNOSE_SITE,
                ::diagnose::__private::Label::NONE, async {
                ::diagnose::__private::ended(& __DIAGNOSE_SITE,
                ::diagnose::__private::at({ static AWAIT : ::diagnose::__private::Await =
                ::diagnose::__private::Await::new(& AWAIT, & __DIAGNOSE_SITE,
                "two().await", ::core::module_path!(), ::core::file!(), ::core::line!(),
                ::core::column!(), 3u32, 57u32,); & AWAIT }, two()). await) }) }
            );
            tokio::select! {
                biased; Some(item) = ::diagnose::__private::arm({ static AWAIT :
                ::diagnose::__private::Await = ::diagnose::__private::Await::new(& AWAIT,
                & __DIAGNOSE_SITE, "stream.next()", ::core::module_path!(),
                ::core::file!(), ::core::line!(), ::core::column!(), 6u32, 35u32,).arm();
                & AWAIT }, stream.next()), if ::diagnose::__private::ended(&
                __DIAGNOSE_SITE, ::diagnose::__private::at({ static AWAIT :
                ::diagnose::__private::Await = ::diagnose::__private::Await::new(& AWAIT,
                & __DIAGNOSE_SITE, "open().await", ::core::module_path!(),
                ::core::file!(), ::core::line!(), ::core::column!(), 6u32, 52u32,); &
                AWAIT }, open()). await) => ::diagnose::__private::ended(&
                __DIAGNOSE_SITE, ::diagnose::__private::at({ static AWAIT :
                ::diagnose::__private::Await = ::diagnose::__private::Await::new(& AWAIT,
                & __DIAGNOSE_SITE, "item.close().await", ::core::module_path!(),
                ::core::file!(), ::core::line!(), ::core::column!(), 6u32, 74u32,); &
                AWAIT }, item.close()). await), _ = ::diagnose::__private::arm({ static
                AWAIT : ::diagnose::__private::Await =
                ::diagnose::__private::Await::new(& AWAIT, & __DIAGNOSE_SITE,
                "&mut timeout", ::core::module_path!(), ::core::file!(), ::core::line!(),
                ::core::column!(), 7u32, 25u32,).arm(); & AWAIT }, & mut timeout) => {
                ::diagnose::__private::ended(& __DIAGNOSE_SITE,
                ::diagnose::__private::at({ static AWAIT : ::diagnose::__private::Await =
                ::diagnose::__private::Await::new(& AWAIT, & __DIAGNOSE_SITE,
                "late().await", ::core::module_path!(), ::core::file!(), ::core::line!(),
                ::core::column!(), 7u32, 43u32,); & AWAIT }, late()). await) } else => {}
            }
            futures::select! {
                item = ::diagnose::__private::arm({ static AWAIT :
                ::diagnose::__private::Await = ::diagnose::__private::Await::new(& AWAIT,
                & __DIAGNOSE_SITE, "stream.next()", ::core::module_path!(),
                ::core::file!(), ::core::line!(), ::core::column!(), 11u32, 29u32,)
                .arm(); & AWAIT }, stream.next()) => item, _ =
                ::diagnose::__private::arm({ static AWAIT : ::diagnose::__private::Await
                = ::diagnose::__private::Await::new(& AWAIT, & __DIAGNOSE_SITE,
                "timeout", ::core::module_path!(), ::core::file!(), ::core::line!(),
                ::core::column!(), 12u32, 20u32,).arm(); & AWAIT }, & mut timeout) => {}
                complete => return,
            }
            select! {
                _ = timeout => {} item = ::diagnose::__private::arm({ static AWAIT :
                ::diagnose::__private::Await = ::diagnose::__private::Await::new(& AWAIT,
                & __DIAGNOSE_SITE, "stream.next()", ::core::module_path!(),
                ::core::file!(), ::core::line!(), ::core::column!(), 17u32, 29u32,)
                .arm(); & AWAIT }, stream.next()) => item,
            }
            select! {
                recv(a) -> b => b. await
            }
        },
    )
}

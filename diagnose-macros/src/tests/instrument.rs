#[diagnose]
async fn instrumented(n: u32) -> Result<u32, Error> {
    let __tracing_attr_span = span();
    let __tracing_instrument_future = async move {
        match async move {
            sleep(n).await;
            let own = async { n };
            Ok(own.await)
        }
        .await
        {
            Ok(x) => Ok(x),
            Err(e) => {
                event(&e);
                Err(e)
            }
        }
    };
    if !__tracing_attr_span.is_disabled() {
        Instrument::instrument(__tracing_instrument_future, __tracing_attr_span).await
    } else {
        __tracing_instrument_future.await
    }
}

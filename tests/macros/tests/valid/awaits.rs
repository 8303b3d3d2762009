//! Where `.await` may stand.
#![deny(warnings)]

use diagnose::diagnose;
use std::future::{Future, IntoFuture, Ready, ready};
use std::pin::Pin;

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

unsafe fn unchecked() -> Ready<u32> {
    ready(3)
}

struct Request;

impl IntoFuture for Request {
    type Output = u32;
    type IntoFuture = Ready<u32>;
    fn into_future(self) -> Ready<u32> {
        ready(1)
    }
}

struct Item {
    count: u32,
}

impl Item {
    async fn with(&self, by: &u32) -> u32 {
        self.count + by
    }
    fn then(self) -> Ready<Option<Self>> {
        ready(Some(self))
    }
}

macro_rules! get {
    ($value:expr) => {
        $value.await
    };
}

#[diagnose]
async fn places<T: Send, const N: usize>(
    mut items: Vec<Item>,
    other: T,
) -> Result<[u32; N], Box<dyn std::error::Error>> {
    let mut sum = Request.await;
    let Some(first) = ready(items.pop()).await else { return Ok([0; N]) };
    while let Some(item) = ready(items.pop()).await {
        sum += item.then().await.ok_or("none")?.with(&ready(1).await).await;
    }
    sum += match ready(first.count).await {
        0 => get!(ready(1)),
        more if more > ready(3).await => more,
        _ => (ready(2).await) + 1,
    };
    let item = Item { count: ready(1).await };
    let listed = [ready(1).await, item.with(&sum).await, unsafe { unchecked() }.await, { ready(4) }.await];
    let mut borrowed = ready(4);
    sum += (&mut borrowed).await + ready(listed.len() as u32).await;
    let found = 'outer: loop {
        for number in ready(listed).await {
            if number > 2 && ready(true).await {
                break 'outer ready(number).await;
            }
        }
    };
    let closure = async |by: u32| -> Result<u32, Box<dyn std::error::Error>> {
        let parsed: u32 = "1".parse()?;
        if by == 0 {
            return Err("zero".into());
        }
        Ok(parsed + by + ready(found).await)
    };
    sum += closure(1).await? + closure(2).await?;
    let labeled = 'block: {
        if sum > 3 {
            break 'block ready(1).await;
        }
        2
    };
    sum += if ready(sum).await > 3 { ready(labeled).await } else { 0 };
    #[allow(clippy::let_unit_value)]
    let () = ready(drop(other)).await;
    #[allow(unused_must_use)]
    ready(Some(1)).await;
    std::sync::Mutex::new(vec![1]).lock().map(|mut it| it.push(1)).ok();
    return Ok(ready([sum; N]).await);
}

#[diagnose]
fn boxed<'a>(
    text: &'a str,
) -> BoxFuture<'a, Result<Box<dyn std::fmt::Display + 'a>, Box<dyn std::error::Error>>> {
    Box::pin(async move {
        let inner: BoxFuture<'a, Result<u32, std::num::ParseIntError>> =
            Box::pin(async move { text.parse::<u32>() });
        if inner.await? == 0 {
            return Err("zero".into());
        }
        let blocks: Vec<BoxFuture<'_, Box<dyn Send>>> =
            vec![Box::pin(async { Box::new(1) as _ }), Box::pin(async { Box::new("a") as _ })];
        for block in blocks {
            block.await;
        }
        Ok(Box::new(text) as _)
    })
}

#[diagnose]
async fn closures(texts: &mut Vec<String>) -> usize {
    async fn call<'a, T: 'a>(
        with: &'a mut Vec<String>,
        closure: impl AsyncFnOnce(&'a mut Vec<String>) -> T,
    ) -> T {
        closure(with).await
    }
    async fn twice<T>(closure: impl AsyncFn(u32) -> T) -> (T, T) {
        (closure(1).await, closure(2).await)
    }
    let first: &mut String = call(texts, async |texts: &mut Vec<String>| &mut texts[0]).await;
    first.push('!');
    let kept = String::from("kept");
    let (a, b) = twice(async |number| kept.len() + number as usize + ready(1).await).await;
    let moved = String::from("moved");
    let (c, d) = twice(async move |number| moved.len() + number as usize).await;
    let results = twice(async |number| {
        let parsed = "1".parse::<u32>()?;
        if number == 1 {
            return Ok(parsed);
        }
        Ok::<_, std::num::ParseIntError>(number)
    })
    .await;
    let mut count = 0;
    let mut counts = async || count += 1;
    counts().await;
    counts().await;
    a + b + c + d + kept.len() + count + usize::from(results.0.is_ok())
}

#[diagnose]
trait Methods {
    async fn default_body(&self) -> u32 {
        async { ready(1).await }.await
    }
}

#[diagnose]
impl Methods for Item {}

#[diagnose(awaits = false)]
mod without {
    pub(crate) async fn any() -> u32 {
        async { std::future::ready(1).await }.await
    }
    #[diagnose(awaits = true)]
    pub(crate) async fn all() -> u32 {
        async { std::future::ready(1).await }.await
    }
}

#[diagnose]
fn plain() -> u32 {
    let block = async { ready(1).await };
    let closure = |by: u32| async move { ready(by).await };
    drop((block, closure(1)));
    1
}

#[test]
fn an_await_may_stand_anywhere() {
    drop(places::<u32, 2>(Vec::new(), 1));
    drop(boxed("1"));
    drop(closures(&mut Vec::new()));
    drop(Item { count: 1 }.default_body());
    drop((without::any(), without::all(), plain()));
}

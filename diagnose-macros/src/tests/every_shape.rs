#[diagnose]
/// Documented.
#[inline]
pub(crate) async unsafe fn patterns<T: Copy, const N: usize>(
    &mut self,
    unused: T,
    _underscored: T,
    #[cfg(unix)] (a, mut b): (T, T),
    #[allow(unused_mut)] mut c: [T; N],
    _: T,
) -> Result<impl Sized, Error>
where
    T: Send,
{
    #![allow(clippy::all)]
    use std::fmt;
    Ok((a, b, c))
}

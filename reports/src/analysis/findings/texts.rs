//! The text of an await: the functions and methods that it calls.

/// The part of an awaited expression that the last `.await` is for: `.query(id).await` of
/// `pool.lock().await.query(id).await`.
pub(super) fn last_awaited(text: &str) -> &str {
    let before = text.trim_end_matches(['?', ' ']).trim_end_matches(".await");
    before.rfind(".await").map_or(text, |at| &text[at + ".await".len()..])
}

/// The name and the arguments, up to their end, of the call that is awaited: `query` and `(id` of
/// `db.query(id).await`.
pub(super) fn last_call(text: &str) -> Option<(&str, &str)> {
    let text = last_awaited(text).trim_end_matches(['?', ' ']);
    let call = text.trim_end_matches(".await").strip_suffix(')')?;
    let mut depth = 1_usize;
    let open = call.rfind(|it: char| {
        depth = (depth + usize::from(it == ')')).saturating_sub(usize::from(it == '('));
        depth == 0
    });
    let (before, arguments) = call.split_at(open?);
    let name = before.rsplit(|it: char| !it.is_alphanumeric() && it != '_').next().unwrap_or_default();
    Some((name, arguments))
}

/// Returns whether a text calls one of these methods.
pub(super) fn calls_any(text: &str, methods: &[&str]) -> bool {
    methods.iter().any(|method| {
        text.match_indices(method).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + method.len()..].chars().next();
            matches!(before, None | Some('.' | ':')) && after == Some('(')
        })
    })
}

/// Returns whether a text calls a function whose name begins with one of these words.
pub(super) fn calls_any_word(text: &str, words: &[&str]) -> bool {
    let parts = text.split(|it: char| !it.is_alphanumeric() && it != '_' && it != '(');
    let mut calls = parts.flat_map(|part| part.split('(').rev().skip(1));
    calls.any(|name| words.contains(&name.split('_').next().unwrap_or(name)))
}

/// Returns whether a text contains one of these parts.
pub(super) fn contains_any(text: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| text.contains(part))
}

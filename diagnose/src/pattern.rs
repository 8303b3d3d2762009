//! Selection of functions by path: `client::*, server::conn::read`.

/// A comma-separated list of paths, with `*` for any run of characters.
///
/// A path of the list matches a function if it matches the whole path, or a tail of it that begins
/// after a `::`. So the crate's name may be left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    globs: Vec<String>,
}

impl Pattern {
    /// Parses a list. Returns `None` if it is empty: then everything matches.
    pub(crate) fn parse(list: &str) -> Option<Self> {
        let globs: Vec<String> =
            list.split(',').map(str::trim).filter(|glob| !glob.is_empty()).map(str::to_owned).collect();
        (!globs.is_empty()).then_some(Self { globs })
    }

    pub(crate) fn matches(&self, module: &str, name: &str) -> bool {
        let path = format!("{module}::{name}");
        let tails =
            std::iter::successors(Some(path.as_str()), |tail| tail.split_once("::").map(|(_, rest)| rest));
        tails.into_iter().any(|tail| self.globs.iter().any(|glob| glob_matches(glob, tail)))
    }
}

/// The usual greedy match: on a mismatch the last star takes one more character.
fn glob_matches(glob: &str, text: &str) -> bool {
    let (glob, text) = (glob.as_bytes(), text.as_bytes());
    let (mut at, mut position) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while position < text.len() {
        if at < glob.len() && glob[at] == b'*' {
            last_star = Some((at, position));
            at += 1;
        } else if at < glob.len() && glob[at] == text[position] {
            at += 1;
            position += 1;
        } else if let Some((star, taken)) = last_star {
            last_star = Some((star, taken + 1));
            at = star + 1;
            position = taken + 1;
        } else {
            return false;
        }
    }
    glob[at..].iter().all(|&rest| rest == b'*')
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    fn matches(list: &str, module: &str, name: &str) -> bool {
        Pattern::parse(list).is_none_or(|pattern| pattern.matches(module, name))
    }

    #[test]
    fn an_empty_list_chooses_everything() {
        assert!(matches(" , ", "app", "main"));
    }

    #[test]
    fn the_crate_name_may_be_left_out() {
        assert!(matches("client::*", "app::client", "get"));
        assert!(matches("app::client::*", "app::client", "get"));
        assert!(!matches("client::*", "app::server", "get"));
    }

    #[test]
    fn a_tail_begins_at_a_path_separator() {
        assert!(matches("get", "app::client", "get"));
        assert!(!matches("et", "app::client", "get"));
    }

    #[test]
    fn a_star_takes_any_run_of_characters() {
        assert!(matches("*::read_*", "app::conn", "read_frame"));
        assert!(matches("a*b*c", "x", "abbbc"));
        assert!(!matches("a*b*c", "x", "abbbd"));
    }

    #[test]
    fn one_of_several_is_enough() {
        assert!(matches("put, get", "app::client", "get"));
    }
}

//! Draws the branches in front of the nodes of a tree.
//!
//! ```text
//! ├─ handle
//! │  └─ read                           one level below
//! …
//!                └─ [level 25] read      from here on below each other, with their level
//!                └─ [level 26] read
//! ```

/// Number of levels that are drawn with an indent. A recursive future may be nested thousands of
/// levels deep, and without this limit each line would be as long as its level.
const LEVELS: usize = 24;

/// The indent that several siblings share.
#[derive(Debug, Clone)]
pub(crate) struct Indent {
    text: String,
    level: usize,
}

impl Indent {
    /// The indent of the first level.
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), level: 1 }
    }

    /// The branch in front of one of the siblings.
    pub(crate) fn branch(&self, is_last: bool) -> String {
        let branch = if is_last { "└─ " } else { "├─ " };
        let level = if self.level > LEVELS { format!("[level {}] ", self.level) } else { String::new() };
        format!("{}{branch}{level}", self.text)
    }

    /// The indent of the sibling's children.
    pub(crate) fn below(&self, is_last: bool) -> Self {
        let mut text = self.text.clone();
        if self.level < LEVELS {
            text.push_str(if is_last { "   " } else { "│  " });
        }
        Self { text, level: self.level + 1 }
    }
}

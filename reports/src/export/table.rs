//! Aligned columns: first right-aligned numbers, then left-aligned names. The last name is
//! open-ended.

use crate::export::wrap::shorten;

/// Minimum width of a name in columns, however wide the numbers are.
const MIN_NAME: usize = 24;

/// Rows under a heading, all with the same number of cells.
#[derive(Debug)]
pub struct Table {
    /// Number of leading columns with numbers.
    numbers: usize,
    /// The heading, then the rows.
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table from the headings of its columns of numbers, then of names.
    #[must_use]
    pub fn new(numbers: &[&str], names: &[&str]) -> Self {
        let heading = [numbers, names].concat();
        Self { numbers: numbers.len(), rows: vec![heading.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    /// Appends a row with as many cells as the heading.
    pub fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.rows[0].len(), "a row has as many cells as the heading");
        self.rows.push(row);
    }

    /// Shortens the names of the last column so that no line has more than `width` columns. A name
    /// keeps at least 24 columns.
    pub fn fit(&mut self, width: usize) {
        let last = self.rows[0].len() - 1;
        let before: usize = (0..last).map(|column| self.width(column) + 2).sum();
        let room = width.saturating_sub(before + 2).max(MIN_NAME);
        for row in &mut self.rows[1..] {
            row[last] = shorten(&row[last], room);
        }
    }

    /// The lines, each with a line break, two spaces in front and between columns, none at the end.
    #[must_use]
    pub fn render(&self) -> String {
        let widths: Vec<usize> = (0..self.rows[0].len()).map(|column| self.width(column)).collect();
        let mut text = String::new();
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                text.push_str("  ");
                let padding = std::iter::repeat_n(' ', widths[column] - cell.chars().count());
                if column < self.numbers {
                    text.extend(padding);
                    text.push_str(cell);
                } else {
                    text.push_str(cell);
                    text.extend(padding);
                }
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    }
}

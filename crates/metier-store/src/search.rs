//! Ranked search over names, tags, descriptions and bodies.
//!
//! Lexical and offline: BM25F over four weighed fields, English stems, tolerance for typing errors,
//! and prefixes of the word being typed. It knows documents, not skills, and reads no file: whoever
//! builds the index brings the text. The same documents and query give the same hits, in the same
//! order, with the same scores. Start at [`SearchIndex::search`]; `words` splits text, `build` makes
//! postings, `vocabulary` finds words, `rank` scores.

mod build;
mod rank;
mod vocabulary;
mod words;

use metier_format::NameKey;

use crate::catalog::Entry;

pub use build::SearchIndexBuilder;

use build::Postings;
use vocabulary::Vocabulary;
use words::Stems;

/// What is searched: one skill, as far as its text is at hand.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The name.
    pub name: &'a str,
    /// The description.
    pub description: &'a str,
    /// The tags.
    pub tags: &'a [Box<str>],
    /// The Markdown after the frontmatter, when it has been read. Indexed up to
    /// [`crate::limits::MAX_SEARCH_FIELD_BYTES`].
    pub body: Option<&'a str>,
}

/// Where a word can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// In the name.
    Name,
    /// In a tag.
    Tags,
    /// In the description.
    Description,
    /// In the body.
    Body,
}

impl Field {
    /// Every field, the weightiest first.
    pub const ALL: [Self; 4] = [Self::Name, Self::Tags, Self::Description, Self::Body];

    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Tags => "tags",
            Self::Description => "description",
            Self::Body => "body",
        }
    }
}

/// Some of the four fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields(u8);

impl Fields {
    /// Whether `field` is among them.
    #[must_use]
    pub fn contains(self, field: Field) -> bool {
        self.0 & (1 << field as u8) != 0
    }

    /// The fields, the weightiest first.
    pub fn iter(self) -> impl Iterator<Item = Field> {
        Field::ALL.into_iter().filter(move |field| self.contains(*field))
    }
}

/// A document that answers a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<'a> {
    /// The document's number: how many were given to the index before it.
    pub document: usize,
    /// Its name.
    pub name: &'a str,
    /// How well it answers: finite, above zero, comparable within one result only.
    pub score: f32,
    /// Where words of the query are in it.
    pub matched: Fields,
}

/// Documents made searchable. See the module for how they are ranked.
///
/// ```
/// use metier_store::search::{Document, SearchIndex};
///
/// let index = SearchIndex::build([
///     Document { name: "fill-form", description: "Fill PDF forms", tags: &[], body: None },
///     Document { name: "draw-map", description: "Draw maps", tags: &[], body: None },
/// ]);
/// let hits = index.search("filling pdfs", 10);
/// assert_eq!(hits[0].name, "fill-form");
/// assert_eq!(index.search("draw a mpa", 10)[0].name, "draw-map");
/// ```
pub struct SearchIndex {
    names: Vec<Box<str>>,
    /// Sorted.
    by_key: Vec<(NameKey, u32)>,
    words: Vocabulary,
    postings: Postings,
    stems: Stems,
    cut: usize,
}

impl SearchIndex {
    /// Makes `documents` searchable. When their bodies should not all be in memory at once, use a
    /// [`SearchIndexBuilder`].
    #[must_use]
    pub fn build<'a>(documents: impl IntoIterator<Item = Document<'a>>) -> Self {
        let mut builder = SearchIndexBuilder::new();
        documents.into_iter().for_each(|document| builder.add(document));
        builder.finish()
    }

    /// Makes entries of a catalog searchable. `body` is asked for one body after the other; where it
    /// has none, the rest is searched.
    #[must_use]
    pub fn of_entries<'a>(
        entries: impl IntoIterator<Item = &'a Entry>,
        mut body: impl FnMut(&Entry) -> Option<String>,
    ) -> Self {
        let mut builder = SearchIndexBuilder::new();
        for entry in entries {
            let body = body(entry);
            builder.add(Document {
                name: entry.name().as_str(),
                description: &entry.found.description,
                tags: entry.facts().map_or(&[], |facts| &facts.tags),
                body: body.as_deref(),
            });
        }
        builder.finish()
    }

    /// The documents that answer `query` best, at most `limit`, the best first; equal scores by name,
    /// then by number. A query without a word in it has no hits, except the document whose name it is:
    /// a document asked for by its exact name comes before all others.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit<'_>> {
        rank::search(self, query, limit)
    }

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// How many documents were too long to be indexed whole.
    #[must_use]
    pub fn cut(&self) -> usize {
        self.cut
    }

    /// Bytes held on the heap, give or take what the allocator adds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let names: usize = self.names.iter().map(|name| 2 * name.len() + 48).sum();
        names + self.words.bytes() + self.postings.bytes()
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;

//! The primer costs less than 120 tokens, in each vocabulary.

use toolgate_tokens::{Tiktoken, TokenCounter};

#[test]
fn the_primer_is_short() {
    for counter in [Tiktoken::o200k(), Tiktoken::cl100k()] {
        let tokens = counter.count(qrp1::PRIMER);
        println!("{}: {tokens} tokens", counter.vocabulary());
        assert!(tokens < 120, "{}: {tokens}", counter.vocabulary());
    }
}

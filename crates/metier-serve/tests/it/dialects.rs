//! What holds for every dialect.

use metier_runtime::capability::Effect;
use metier_serve::Dialect;
use serde_json::json;

use crate::ground::Ground;

#[test]
fn every_dialect_has_a_word_and_tools_that_can_be_called() {
    // U8
    assert_eq!(Dialect::parse("klingon"), None);
    for dialect in Dialect::ALL {
        assert_eq!(Dialect::parse(dialect.as_str()), Some(dialect));
        let host = Ground::usual();
        let mut session = host.session(dialect.again());
        let tools = dialect.tools(session.catalog());
        assert!(!tools.is_empty(), "{}", dialect.as_str());
        for tool in &tools {
            assert!(!tool.description.is_empty() && tool.name.len() <= 64, "{}", tool.name);
            let reply = dialect.call(&mut session, &tool.name, json!({}));
            assert!(reply.is_some(), "{} has {}", dialect.as_str(), tool.name);
        }
        assert_eq!(dialect.call(&mut session, "no_such_tool", json!({})), None);
        let hidden = tools.iter().any(|tool| {
            let text = format!("{} {}", tool.name, tool.description);
            text.contains("stranger") || text.contains("by-hand")
        });
        assert!(!hidden, "{} tells of what no model may see", dialect.as_str());
    }
}

#[test]
fn a_tool_runs_a_script_when_that_is_what_it_says_it_does() {
    // U8, U7
    let session = Ground::usual().session(Dialect::Plain.again());
    let mut running = 0;
    for dialect in Dialect::ALL {
        for tool in dialect.tools(session.catalog()) {
            let runs = tool.effect == Effect::Runs;
            assert_eq!(dialect.runs(&tool.name), runs, "{} {}", dialect.as_str(), tool.name);
            running += usize::from(runs);
        }
        assert!(!dialect.runs("no_such_tool"));
    }
    assert_eq!(running, 6, "two of metier's own, two of agent-base's, one each of two others");
}

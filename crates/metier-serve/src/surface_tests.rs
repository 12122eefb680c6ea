use std::collections::BTreeSet;

use metier_runtime::Capability;
use metier_runtime::capability::Operation;
use metier_store::Catalog;
use serde_json::Value;

use super::*;
use crate::chibi_plugin::{COMMAND, hooks};
use crate::dialect::chibi;
use crate::http;

/// Every way of `surface` with its operation.
fn ways(surface: Surface) -> Vec<(Operation, Way)> {
    let mut all = Vec::new();
    for capability in Capability::ALL {
        if let Cell::Ways(ways) = cell(surface, capability.operation) {
            all.extend(ways.into_iter().map(|way| (capability.operation, way)));
        }
    }
    all
}

/// What `surface` has beyond the operations.
fn beyond(surface: Surface) -> BTreeSet<String> {
    let rows = super::beyond().into_iter().filter(|row| row.surface == surface);
    rows.flat_map(|row| row.names).map(ToString::to_string).collect()
}

#[test]
fn every_operation_is_on_every_surface_or_says_why_not() {
    // U7
    for capability in Capability::ALL {
        for surface in Surface::ALL {
            let what = format!("{} on {}", capability.name, surface.title());
            match cell(surface, capability.operation) {
                Cell::Ways(ways) => assert!(!ways.is_empty(), "{what}"),
                Cell::Gap(why) => assert!(why.len() > 20 && why.ends_with('.'), "{what}: {why}"),
            }
        }
    }
}

#[test]
fn a_way_takes_what_the_operation_has_and_no_more() {
    // U7
    for (operation, way) in Surface::ALL.into_iter().flat_map(ways) {
        let parameters = operation.capability().parameters;
        let Takes::Only(known) = way.takes else { continue };
        for (name, called) in known {
            assert!(parameters.iter().any(|p| p.name == *name), "{}: {name}", way.form);
            assert!(!called.is_empty());
        }
        // Whatever has to be given can be given.
        for parameter in parameters.iter().filter(|parameter| parameter.required) {
            assert!(
                way.called(operation, parameter.name).is_some(),
                "{}: {}",
                way.form,
                parameter.name
            );
        }
    }
}

#[test]
fn a_way_that_takes_everything_takes_what_its_operation_has_and_nothing_of_others() {
    // U7
    let Cell::Ways(ways) = cell(Surface::Http, Operation::Show) else { panic!("a gap") };
    for way in ways {
        assert_eq!(way.called(Operation::Show, "name"), Some("name"));
        assert_eq!(way.called(Operation::Show, "query"), None, "that is of `search`");
    }
}

#[test]
fn the_tools_of_mcp_are_the_operations() {
    // U7, U2
    let tools = Dialect::Plain.tools(&Catalog::default());
    assert_eq!(tools.len(), Capability::ALL.len());
    for (operation, way) in ways(Surface::Mcp) {
        let Form::Tool(name) = way.form else { continue };
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        assert_eq!(tool.input, operation.capability().parameters_schema());
        assert_eq!(tool.output, Some(operation.capability().result_schema()));
    }
}

#[test]
fn the_routes_of_the_interface_are_the_operations_and_what_is_named_beyond() {
    // U7, U3
    let mut named = beyond(Surface::Http);
    for (_, way) in ways(Surface::Http) {
        named.insert(match way.form {
            Form::Route(name) => format!("/v1/{name}"),
            Form::RouteInSession(name) => format!("/v1/sessions/{{session}}/{name}"),
            other => panic!("{other} is no route"),
        });
    }
    let mut routed = BTreeSet::new();
    for route in http::ROUTES {
        let names = Capability::ALL.iter().map(|capability| capability.name);
        match route.path.contains("{name}") {
            true => routed.extend(names.map(|name| route.path.replace("{name}", name))),
            false => assert!(routed.insert(route.path.to_owned()), "{} is there twice", route.path),
        }
    }
    assert_eq!(routed, named);
    let document = http::document();
    let paths: BTreeSet<String> = document["paths"].as_object().unwrap().keys().cloned().collect();
    assert!(routed.remove("/mcp"), "which has a protocol of its own");
    assert_eq!(paths, routed);
}

#[test]
fn chibi_is_told_of_the_tools_and_hooks_in_the_table_and_of_no_others() {
    // U7, U4
    let mut named = beyond(Surface::Chibi);
    for (_, way) in ways(Surface::Chibi) {
        named.insert(match way.form {
            Form::ChibiTool(name, _) | Form::ChibiHook(name) => name.to_owned(),
            other => panic!("{other} is not chibi's"),
        });
    }
    // Stands for the skills' own.
    assert!(named.remove("skill_NAME"));
    let tools = chibi::own().into_iter().map(|tool| tool.name);
    let more = [chibi::MARKET, COMMAND].into_iter().chain(hooks()).map(str::to_owned);
    let told: BTreeSet<String> = tools.chain(more).collect();
    assert_eq!(told, named);
}

#[test]
fn chibis_tools_take_what_the_table_says() {
    // U7, U4
    let tools = chibi::own();
    let properties = |schema: &Value| -> BTreeSet<String> {
        schema["properties"].as_object().unwrap().keys().cloned().collect()
    };
    let mut checked = 0;
    for (_, way) in ways(Surface::Chibi) {
        let (Form::ChibiTool(name, None), Takes::Only(takes)) = (way.form, way.takes) else {
            continue;
        };
        let Some(tool) = tools.iter().find(|tool| tool.name == name) else { continue };
        let called: BTreeSet<String> =
            takes.iter().map(|(_, called)| (*called).to_owned()).collect();
        assert_eq!(properties(&tool.input), called, "{name}");
        checked += 1;
    }
    assert_eq!(checked, tools.len());
}

#[test]
fn every_event_an_agent_must_send_is_a_way_of_an_operation() {
    // U7, U5
    let spelled: String = ways(Surface::Hook).iter().map(|(_, way)| way.form.to_string()).collect();
    for agent in HookAgent::ALL {
        for (event, _) in agent.needed() {
            assert!(spelled.contains(&format!("`{event}`")), "{} {event}", agent.title());
        }
    }
}

#[test]
fn every_difference_is_one_of_some_way() {
    // U7
    let named: BTreeSet<Difference> = Surface::ALL
        .into_iter()
        .flat_map(ways)
        .flat_map(|(_, way)| way.differs.iter().copied())
        .collect();
    assert_eq!(named, Difference::ALL.into());
}

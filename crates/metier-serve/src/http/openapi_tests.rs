use metier_runtime::Capability;
use serde_json::json;

use super::document;

#[test]
fn every_operation_is_described_with_what_it_takes_and_how_it_fails() {
    // U3, U7
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    for capability in Capability::ALL {
        let post = &document["paths"][format!("/v1/{}", capability.name)]["post"];
        assert_eq!(post["operationId"], capability.name);
        let schema = &post["requestBody"]["content"]["application/json"]["schema"];
        for parameter in capability.parameters {
            assert!(schema["properties"].get(parameter.name).is_some(), "{}", parameter.name);
        }
        let told = post["responses"].to_string();
        for code in capability.errors {
            assert!(told.contains(&format!("\"{code}\"")), "{} {code}", capability.name);
        }
        let inside = format!("/v1/sessions/{{session}}/{}", capability.name);
        assert_eq!(document["paths"][inside]["post"]["parameters"][0]["required"], true);
    }
    assert!(document["paths"].get("/v1/events/stream").is_some());
}

#[test]
fn what_may_be_left_out_may_be_null_and_what_is_not_known_is_not_taken() {
    // U3
    let document = document();
    let schema = |name: &str| {
        let body = &document["paths"][format!("/v1/{name}")]["post"]["requestBody"];
        body["content"]["application/json"]["schema"].clone()
    };
    let prompt = schema("prompt");
    assert_eq!(prompt["properties"]["style"]["type"], json!(["string", "null"]));
    assert!(prompt["properties"]["style"]["enum"].as_array().unwrap().contains(&json!(null)));
    let guard = schema("guard");
    assert_eq!(guard["properties"]["tool"]["type"], "string");
    assert_eq!(guard["required"], json!(["tool"]));
    assert_eq!(guard["additionalProperties"], false);
}

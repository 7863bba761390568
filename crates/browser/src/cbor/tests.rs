use proptest::prelude::*;
use serde_json::json;

use super::*;

fn call<'c>(params: &Value, bytes: Option<(&'c str, &'c [u8])>) -> Call<'c> {
    Call { id: 7, session: Some("S"), method: "A.b", params: params.clone(), bytes }
}

/// Decodes a message, beginning with its header.
fn read(message: &[u8]) -> Option<Value> {
    let (header, inside) = message.split_at_checked(HEADER)?;
    let length = length(header.try_into().expect("as long as a header"))?;
    (length == inside.len()).then(|| decode(inside)).flatten()
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no others", |it| it.is_finite()).prop_map(super::number),
        any::<i32>().prop_map(|half| super::number(f64::from(half) / 2.0)),
        any::<String>().prop_map(Value::from),
        "[a-z]{20,300}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..8)
                .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #[test]
    fn a_call_decodes_to_its_json(value in any_value(), bytes: Vec<u8>) {
        let params = json!({ "value": value });
        let mut said = json!({ "id": 7, "sessionId": "S", "method": "A.b", "params": params });
        prop_assert_eq!(read(&encode(&call(&params, None))), Some(said.clone()));
        said["params"]["body"] = BASE64.encode(&bytes).into();
        prop_assert_eq!(read(&encode(&call(&params, Some(("body", &bytes))))), Some(said));
    }

    #[test]
    fn random_bytes_decode_or_give_none(mut bytes: Vec<u8>, value in any_value(), at: usize, byte: u8) {
        // Decoding must end, whatever its result.
        let _ = decode(&bytes);
        bytes = encode(&call(&json!({ "value": value }), None));
        for cut in HEADER..bytes.len() {
            prop_assert_eq!(decode(&bytes[HEADER..cut]), None);
        }
        let at = at % bytes.len();
        bytes[at] = byte;
        let _ = read(&bytes);
    }
}

#[test]
fn text_of_the_page_may_be_utf16() {
    let units = [0x68, 0xe4, 0xd83d, 0xde00, 0xd800];
    let mut inside = vec![(BYTE_STRING << 5) | 0x0a];
    inside.extend(units.into_iter().flat_map(u16::to_le_bytes));
    assert_eq!(decode(&inside), Some("hä😀\u{fffd}".into()));
}

#[test]
fn whole_numbers_are_integers() {
    for (number, expected) in [(2.0, json!(2)), (-7.0, json!(-7)), (0.5, json!(0.5))] {
        let inside = [&[DOUBLE][..], &f64::to_be_bytes(number)].concat();
        assert_eq!(decode(&inside), Some(expected));
    }
}

#[test]
fn deep_nesting_is_refused() {
    let nested = |depth| [vec![ARRAY; depth], vec![STOP; depth]].concat();
    assert!(decode(&nested(DEEPEST)).is_some());
    assert_eq!(decode(&nested(DEEPEST + 1)), None);
    assert_eq!(decode(&nested(1 << 20)), None);
}

#[test]
fn the_id_of_an_answer_is_known_from_its_start() {
    for id in [0_u64, 7, 300, 70_000, 5_000_000_000] {
        let call = Call { id, session: None, method: "x", params: Value::Null, bytes: None };
        let message = encode(&call);
        assert_eq!(leading_id(&message[HEADER..HEADER + 14]), Some(id));
        assert_eq!(leading_id(&message[HEADER..HEADER + 4]), None);
    }
    assert_eq!(leading_id(b"\xbf\x66method"), None);
    assert_eq!(leading_id(b""), None);
}

//! What the bindings use of JavaScript itself. The crate `js-sys` declares all of it, and leaves a function of 100 bytes
//! in the wasm for every callback that any of its declarations takes.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    pub type Array;

    #[wasm_bindgen(constructor)]
    pub fn new() -> Array;
    #[wasm_bindgen(static_method_of = Array, js_name = isArray)]
    pub fn is_array(value: &JsValue) -> bool;
    #[wasm_bindgen(method, getter)]
    pub fn length(this: &Array) -> u32;
    #[wasm_bindgen(method, structural, indexing_getter)]
    pub fn get(this: &Array, index: u32) -> JsValue;
    #[wasm_bindgen(method)]
    pub fn push(this: &Array, value: &JsValue);
}

#[wasm_bindgen]
extern "C" {
    pub type Object;

    #[wasm_bindgen(constructor)]
    pub fn new() -> Object;
    #[wasm_bindgen(method, structural, indexing_setter)]
    pub fn member(this: &Object, name: &str, value: &JsValue);
}

#[wasm_bindgen]
extern "C" {
    /// May throw: a getter, a proxy.
    #[wasm_bindgen(catch, js_namespace = Reflect)]
    pub fn get(object: &JsValue, name: &JsValue) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = ownKeys)]
    pub fn own_keys(object: &JsValue) -> Result<Array, JsValue>;
}

#[wasm_bindgen]
extern "C" {
    pub type Error;

    #[wasm_bindgen(constructor)]
    pub fn new(message: &str) -> Error;
    #[wasm_bindgen(method, setter)]
    pub fn set_name(this: &Error, name: &str);
}

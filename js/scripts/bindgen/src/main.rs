//! `precis-bindgen FILE.wasm FOLDER`: writes the bindings of a compiled engine, an ES module with its declarations and the
//! wasm that belongs to it, into a folder.

use std::env::args;
use wasm_bindgen_cli_support::Bindgen;

fn main() {
    let paths: Vec<String> = args().skip(1).collect();
    let [wasm, folder] = &paths[..] else { panic!("usage: precis-bindgen FILE.wasm FOLDER") };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).typescript(true).omit_default_module_path(true);
    // Names of functions and producers are of no use to those who install the package.
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.web(true).expect("a target");
    bindgen.generate(folder).expect("bindings of the engine");
}

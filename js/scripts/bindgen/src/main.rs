//! `bindgen IN.wasm DIRECTORY`: writes the glue `precis.js`, its types and the finished wasm.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(input), Some(directory)) = (args.next(), args.next()) else {
        return Err("usage: bindgen IN.wasm DIRECTORY".into());
    };
    Ok(wasm_bindgen_cli_support::Bindgen::new()
        .input_path(input)
        .out_name("precis")
        .web(true)?
        .omit_default_module_path(true)
        .reset_state_function(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .typescript(true)
        .generate(directory)?)
}

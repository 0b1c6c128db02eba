//! Blocks of memory that the host and the engine hand to each other.

/// Hands over bytes that begin with their number.
pub fn give(bytes: Vec<u8>) -> *mut u8 {
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// Takes back what [`give`] handed over.
///
/// # Safety
/// `block` is such a block, its length is as it was, and nobody else uses it.
pub unsafe fn take(block: *mut u8) -> Vec<u8> {
    // SAFETY: by contract the block begins with its length, and is a box of so many bytes.
    unsafe {
        let length = block.cast::<u32>().read_unaligned() as usize;
        Box::from_raw(core::ptr::slice_from_raw_parts_mut(block, length)).into_vec()
    }
}

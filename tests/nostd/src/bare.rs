//! What std would bring: an allocator, a panic handler, and names that the linker asks for.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::panic::PanicInfo;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Bytes for all allocations of the run, which takes some kilobytes.
const HEAP_BYTES: usize = 1 << 20;

/// The exit code that says that a panic happened.
const PANICKED: i32 = 101;

/// Hands out memory from one array, front to back, and takes nothing back.
struct Heap {
    memory: Memory,
    used: AtomicUsize,
}

/// The array, aligned for every type that is allocated.
#[repr(align(16))]
struct Memory(UnsafeCell<[u8; HEAP_BYTES]>);

#[global_allocator]
static HEAP: Heap = Heap {
    memory: Memory(UnsafeCell::new([0; HEAP_BYTES])),
    used: AtomicUsize::new(0),
};

// SAFETY: the memory is only reached through `alloc`, which gives no byte to two callers.
unsafe impl Sync for Heap {}

// SAFETY: each call gets a range of its own, aligned as asked (the base is aligned to 16 and larger
// alignments are refused), inside the array, or null.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > align_of::<Memory>() {
            return ptr::null_mut();
        }
        let take = |used: usize| {
            let start = used.checked_next_multiple_of(layout.align())?;
            start
                .checked_add(layout.size())
                .filter(|&end| end <= HEAP_BYTES)
        };
        match self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
        {
            Err(_) => ptr::null_mut(),
            Ok(used) => {
                let start = used.next_multiple_of(layout.align());
                // SAFETY: `take` found the range from `start` on to be inside the array.
                unsafe { self.memory.0.get().cast::<u8>().add(start) }
            }
        }
    }

    unsafe fn dealloc(&self, _memory: *mut u8, _layout: Layout) {}
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: `exit` of the C library may be called with any number.
    unsafe { exit(PANICKED) }
}

#[link(name = "c")]
unsafe extern "C" {
    fn exit(code: i32) -> !;
}

/// The precompiled core was built to unwind and names this; panics abort here, so none calls it.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// As above, for builds without optimisation, in which the linker keeps the landing pads.
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    // SAFETY: `exit` of the C library may be called with any number.
    unsafe { exit(PANICKED) }
}

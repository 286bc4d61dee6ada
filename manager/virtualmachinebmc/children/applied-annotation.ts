/** Annotation of a BMC's children that holds the digest of what was last applied. */
export const APPLIED_ANNOTATION = 'bmc.kubevirt.io/applied';

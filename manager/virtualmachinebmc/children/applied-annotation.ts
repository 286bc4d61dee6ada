/** Annotation of a BMC's children with the digest of the last applied draft. */
export const APPLIED_ANNOTATION = 'bmc.kubevirt.io/applied';

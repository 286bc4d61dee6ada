/** The releases of CDI that the stand-in can be: what an import may ask for differs between them. */
const CDI_VERSIONS = ['1.64', '1.65', '1.66'] as const;
export type CdiVersion = (typeof CDI_VERSIONS)[number];

export interface CdiFeatures {
  /** `spec.source.http.checksum`. */
  checksum: boolean;
  /** `spec.source.http.insecureSkipVerify`. */
  insecureSkipVerify: boolean;
}

export function featuresOf(version: CdiVersion): CdiFeatures {
  const index = CDI_VERSIONS.indexOf(version);
  return { checksum: index >= CDI_VERSIONS.indexOf('1.65'), insecureSkipVerify: index >= CDI_VERSIONS.indexOf('1.66') };
}

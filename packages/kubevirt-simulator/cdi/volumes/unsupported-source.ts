import type { DataVolume } from '../objects.ts';

/** Names what a DataVolume asks of CDI that the stand-in cannot do; undefined where it can all of it. */
export function unsupportedSource({ spec }: DataVolume): string | undefined {
  if (spec.sourceRef !== undefined) return 'spec.sourceRef';
  const { http, blank, ...others } = spec.source ?? {};
  if (http === undefined && blank === undefined) {
    const [other] = Object.keys(others);
    return other === undefined ? 'a DataVolume that is populated from elsewhere' : `spec.source.${other}`;
  }
  return spec.contentType === 'archive' ? 'spec.contentType archive' : undefined;
}

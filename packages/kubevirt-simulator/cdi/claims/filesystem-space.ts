import type { CdiConfig } from '../objects.ts';

/** What CDI reserves for the filesystem of a volume where nobody says otherwise (`DefaultGlobalOverhead`). */
export const DEFAULT_OVERHEAD = '0.055';

/** Images are aligned to whole MiB (`DefaultAlignBlockSize`). */
const BLOCK = 1024 * 1024;

/** The share of a volume that its filesystem needs, by its storage class: from 0 to 1; none for a block device. */
export function overheadOf(
  config: CdiConfig | undefined,
  storageClass: string | undefined,
  volumeMode: string,
): number {
  if (volumeMode === 'Block') return 0;
  const { global = DEFAULT_OVERHEAD, storageClass: byClass = {} } = config?.status?.filesystemOverhead ?? {};
  return Number((storageClass === undefined ? undefined : byClass[storageClass]) ?? global);
}

/** Bytes that a volume must have to hold an image of `bytes` (`GetRequiredSpace`). */
export function requiredSpace(bytes: number, overhead: number): number {
  const aligned = Math.ceil(bytes / BLOCK) * BLOCK;
  return Math.ceil(aligned / (1 - overhead));
}

/** Bytes of the largest image that a volume of `bytes` holds (`GetUsableSpace`). */
export function usableSpace(bytes: number, overhead: number): number {
  return Math.floor(Math.floor((1 - overhead) * bytes) / BLOCK) * BLOCK;
}

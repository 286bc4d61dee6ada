import type { Volume } from '../kubevirt/objects.ts';

/** The claim that a volume is: that of its DataVolume has the same name. Undefined: it is something else. */
export function claimNameOf(volume: Volume): string | undefined {
  return textAt(volume['dataVolume'], 'name') ?? textAt(volume['persistentVolumeClaim'], 'claimName');
}

/** Its disk may come and go while the guest runs (`IsDeclarativeHotplugVolume`). */
export function isHotpluggable(volume: Volume): boolean {
  return [volume['dataVolume'], volume['persistentVolumeClaim']].some(
    (source) => isObject(source) && source['hotpluggable'] === true,
  );
}

function textAt(source: unknown, field: string): string | undefined {
  const value = isObject(source) ? source[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

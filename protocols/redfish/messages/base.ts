import { BASE, BASE_VERSION } from './base-registry.ts';
import type { Message } from './message.ts';

export type BaseMessage = keyof typeof BASE;

/** Maximum characters of an argument or a pointer: both may be client input of any length. */
const QUOTED = 128;

/** A message of the Base registry with its arguments inserted; long arguments are truncated. */
export function base(name: BaseMessage, args: readonly string[] = [], properties?: readonly string[]): Message {
  const { severity, text, resolution } = BASE[name];
  const shown = args.map(cut);
  return {
    MessageId: `Base.${BASE_VERSION}.${name}`,
    Message: text.replace(/%(\d)/g, (_match, place: string) => shown[Number(place) - 1] ?? ''),
    MessageArgs: shown,
    MessageSeverity: severity,
    Resolution: resolution,
    ...(properties === undefined ? {} : { RelatedProperties: properties.map(cut) }),
  };
}

/** Does not split a surrogate pair. */
function cut(text: string): string {
  return text.length > QUOTED ? `${text.slice(0, QUOTED).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

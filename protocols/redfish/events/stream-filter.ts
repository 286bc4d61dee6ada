import type { ServiceEvent } from '../context.ts';
import { matches } from '../query/filter.ts';
import { parseFilter } from '../query/parse-filter.ts';
import { resourceTypeOf } from './resource-type.ts';

/**
 * `?$filter=` of a stream, over `EventFormatType`, `MessageId`, `OriginResource`, `RegistryPrefix` and `ResourceType` (DSP0266
 * §13.5.2).
 *
 * @param url of the request
 * @returns whether an event passes
 * @throws RedfishError 400
 */
export function streamFilter(url: string): (event: ServiceEvent) => boolean {
  const question = url.indexOf('?');
  const text = question === -1 ? null : new URLSearchParams(url.slice(question)).get('$filter');
  if (text === null) return () => true;
  const filter = parseFilter(text);
  return ({ messageId, origin }) =>
    matches(filter, {
      EventFormatType: 'Event',
      MessageId: messageId,
      OriginResource: origin,
      RegistryPrefix: messageId.split('.')[0],
      ResourceType: origin === undefined ? undefined : resourceTypeOf(origin),
    });
}

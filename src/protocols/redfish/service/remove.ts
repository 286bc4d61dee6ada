import { MachineError } from '../../machine/index.ts';
import { base } from '../messages/index.ts';
import type { Answer } from './answer.ts';
import { checkIfMatch } from './conditions.ts';
import { type Exchange, resourceEvent } from './exchange.ts';
import { machineRefusal } from './machine-error.ts';
import { composePayload, ownUri } from './payload.ts';
import { findPlace } from './place.ts';
import { gone } from './refusals.ts';

/**
 * Answers DELETE.
 *
 * @throws RedfishError
 */
export async function remove({ service, request, place, caller }: Exchange): Promise<Answer> {
  return service.writes.run(await ownUri(place), async () => {
    const now = findPlace(service.tree, place.uri);
    if (now?.resource.delete === undefined) throw gone(place.uri);
    const ifMatch = request.headers['if-match'];
    if (ifMatch !== undefined) checkIfMatch(ifMatch, (await composePayload(now)).etag);
    try {
      await now.resource.delete(caller);
    } catch (error) {
      throw error instanceof MachineError ? machineRefusal(error, base('ResourceCannotBeDeleted')) : error;
    }
    service.publish(resourceEvent('ResourceRemoved', place.uri));
    return { status: 204 };
  });
}

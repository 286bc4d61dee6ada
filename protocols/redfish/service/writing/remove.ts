import { MachineError } from '../../../machine/index.ts';
import { base, machineRefusal } from '../../messages/index.ts';
import { type Answer, checkIfMatch, type Exchange, resourceEvent, gone } from '../exchange/index.ts';
import { composePayload, ownUri } from '../reading/index.ts';
import { findPlace } from '../tree/index.ts';

/**
 * Answers DELETE.
 *
 * @throws RedfishError
 */
export async function remove({ service, request, place, caller }: Exchange): Promise<Answer> {
  const uri = await ownUri(place);
  return service.writes.run(uri, async () => {
    const now = findPlace(service.tree, place.uri);
    if (now?.resource.delete === undefined) throw gone(place.uri);
    const ifMatch = request.headers['if-match'];
    if (ifMatch !== undefined) checkIfMatch(ifMatch, (await composePayload(now)).etag);
    try {
      await now.resource.delete(caller);
    } catch (error) {
      throw error instanceof MachineError ? machineRefusal(error, base('ResourceCannotBeDeleted')) : error;
    }
    service.publish(resourceEvent('ResourceRemoved', uri));
    return { status: 204 };
  });
}

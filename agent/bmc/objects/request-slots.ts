import type { InTurn } from '@groundcrew/controller-runtime';
import { Slots } from './slots.ts';

/** Maximum number of requests of a kind to the API server at a time, besides watches: each needs a connection. */
const MOST = 16;
/** A BMC reads its Secrets before it is served. */
const SECRET = /^\/api\/v1\/namespaces\/[^/]+\/secrets\//;
/** Requests that virt-api passes on to virt-handler on the machine's node. */
const TO_NODE = /^\/apis\/subresources\.kubevirt\.io\/[^/]+\/namespaces\/[^/]+\/virtualmachineinstances\//;

/**
 * The turns of all requests of a process. What a client waits for goes before background work, and the renewal of a lease does not
 * wait. Two kinds of requests have slots of their own. Those to nodes: a node that does not answer holds them for a minute, and the
 * machines of other nodes are started, stopped and read meanwhile. Secrets: after a start in a storm, the clients of the BMCs that are
 * served already would keep the others from it.
 *
 * @param isForClient whether the request that begins now is made for a client
 */
export function requestSlots(isForClient: () => boolean): InTurn {
  const [toNodes, secrets, others] = [new Slots(MOST), new Slots(MOST), new Slots(MOST)];
  return (request, { path, signal }) => {
    if (path.includes('/leases/')) return request();
    const slots = TO_NODE.test(path) ? toNodes : SECRET.test(path) ? secrets : others;
    return slots.run(request, { isUrgent: isForClient(), signal });
  };
}

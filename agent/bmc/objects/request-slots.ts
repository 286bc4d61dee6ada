import type { Clock, InTurn } from '@groundcrew/controller-runtime';
import { FairSlots } from './fair-slots.ts';

/** Requests of a kind to the API server at a time, besides watches and slow ones: each needs a connection. */
const AT_A_TIME = 16;
/** A BMC reads its Secrets before it is served. */
const SECRET = /^\/api\/v1\/namespaces\/[^/]+\/secrets\//;
/** Requests that virt-api passes on to virt-handler on the machine's node. */
const TO_NODE = /^\/apis\/subresources\.kubevirt\.io\/[^/]+\/namespaces\/[^/]+\/virtualmachineinstances\//;

/**
 * The turns of all requests of a process. What a client waits for goes before background work, and the renewal of a lease does not
 * wait. Two kinds of requests have slots of their own. Those to nodes: a node that does not answer holds them for a minute, and the
 * machines of other nodes are started, stopped and read meanwhile. Secrets: after a start in a storm, the clients of the BMCs that are
 * served already would keep the others from it. Within each kind, so do requests for what is slow: for machines of such a node.
 *
 * @param isForClient whether the request that begins now is made for a client
 * @param most quick requests of a kind at a time; with slow ones five times as many
 */
export function requestSlots(isForClient: () => boolean, clock: Clock, most = AT_A_TIME): InTurn {
  const kind = (): FairSlots => new FairSlots(most, clock);
  const [toNodes, secrets, others] = [kind(), kind(), kind()];
  return (request, { path, signal }) => {
    if (path.includes('/leases/')) return request();
    const slots = TO_NODE.test(path) ? toNodes : SECRET.test(path) ? secrets : others;
    const [subject = ''] = path.split('?', 1);
    return slots.run(subject, request, { isUrgent: isForClient(), signal });
  };
}

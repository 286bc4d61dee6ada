import type { Clock, InTurn } from '@groundcrew/controller-runtime';
import type { Trace } from '../request-traces.ts';
import { FairSlots } from './fair-slots.ts';
import type { Rank } from './slots.ts';

/** Requests to the API server at a time, besides watches and slow ones: each needs a connection. */
const AT_A_TIME = 16;
/** Milliseconds after which a request is slow. In a storm the API server takes up to 2.5 s, and more requests would make it slower. */
const SLOW_AFTER = 3_000;
/** Requests with slots of their own, by their path: of each 16 so many. */
const APART = [
  // Passed on by virt-api to virt-handler. A node that does not answer holds them for a minute; the machines of others go on.
  {
    path: /^\/apis\/subresources\.kubevirt\.io\/[^/]+\/namespaces\/[^/]+\/virtualmachineinstances\//,
    share: 1,
    slowAfter: 500,
  },
  // A BMC is served once its Secrets are read: after a start in a storm, clients of BMCs that are served would go before them.
  { path: /^\/api\/v1\/namespaces\/[^/]+\/secrets\//, share: 4, slowAfter: SLOW_AFTER },
  // Event logs and Events: they may be late.
  { path: /\/(?:configmaps|events)\b/, share: 1 / 16, slowAfter: SLOW_AFTER },
];

/**
 * The turns of all requests of a process. Of the requests of clients, those go first for which
 * others were sent already, and then the latest: in a storm, each client would otherwise wait for each of its requests until its time
 * is over, and no command would be done. Every fifth turn is for background work. What is
 * slow, such as requests for machines of a node that does not answer, waits for other slots than the rest of its kind.
 *
 * @param current the client's request that the request is made for
 * @param most quick requests of a kind at a time; with slow ones five times as many
 */
export function requestSlots(
  current: () => Pick<Trace, 'hasCalled'> | undefined,
  clock: Clock,
  most = AT_A_TIME,
): InTurn {
  const apart = APART.map(({ path, share, slowAfter }) => ({
    path,
    slots: new FairSlots(Math.ceil(most * share), slowAfter, clock),
  }));
  const others = new FairSlots(most, SLOW_AFTER, clock);
  return (request, { path, signal }) => {
    const { slots } = apart.find((one) => one.path.test(path)) ?? { slots: others };
    const [subject = ''] = path.split('?', 1);
    return slots.run(subject, request, { rank: rankOf(current()), signal });
  };
}

function rankOf(trace: Pick<Trace, 'hasCalled'> | undefined): Rank {
  if (trace === undefined) return 'last';
  return trace.hasCalled ? 'first' : 'latest';
}

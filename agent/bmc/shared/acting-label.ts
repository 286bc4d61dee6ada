import { LABELS } from '../../../api/index.ts';
import {
  Backoff,
  type Clock,
  isNotFound,
  type KubeClient,
  type Logger,
  type ObjectRef,
  PODS,
  sleep,
} from '@groundcrew/controller-runtime';

export interface ActingLabelOptions {
  /** Writes only while this process acts. */
  client: KubeClient;
  namespace: string;
  /** Name of the shared agent: its pods are `<name>-0` and `<name>-1`. */
  name: string;
  podName: string;
  clock: Clock;
  logger: Logger;
}

/** Milliseconds between attempts. */
const RETRY = { base: 250, max: 5_000 };

/** Directs the Services of all BMCs to this pod: labels it, then takes the label from the other pod. Ends with `signal`. */
export async function takeOverServices(options: ActingLabelOptions, signal: AbortSignal): Promise<void> {
  const { name, podName, logger } = options;
  const peer = [`${name}-0`, `${name}-1`].filter((pod) => pod !== podName);
  if (await label(podName, 'true', options, signal)) logger.info({ pod: podName }, 'the Services select this pod');
  // A name that is not of the set, in tests, has two peers.
  for (const pod of peer) await label(pod, null, options, signal);
}

/** Retries until it is done. @returns false if `signal` was aborted first */
async function label(
  name: string,
  value: 'true' | null,
  { client, namespace, clock, logger }: ActingLabelOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const backoff = new Backoff({ ...RETRY, random: Math.random });
  while (!signal.aborted) {
    try {
      if (value === null && (await isGone(client, { namespace, name }))) return true;
      await client.patch(
        PODS,
        { namespace, name },
        'merge',
        { metadata: { labels: { [LABELS.acting]: value } } },
        { signal },
      );
      return true;
    } catch (error) {
      if (value === null && isNotFound(error)) return true;
      logger.warn({ err: error, pod: name }, 'a pod cannot be labelled; trying again');
    }
    await sleep(clock, backoff.next(), signal);
  }
  return false;
}

/**
 * Whether a pod needs no change: it does not exist, or terminates. A terminating one is no endpoint of new clients, and a Service that
 * still selects it lets the sessions of IPMI end in their own time.
 */
async function isGone(client: KubeClient, ref: Required<ObjectRef>): Promise<boolean> {
  const pod = await client.find(PODS, ref);
  return pod === undefined || pod.metadata.deletionTimestamp !== undefined;
}
